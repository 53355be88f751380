package compat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	satisfy "github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// guardObjects is how many generated objects each proof must withstand.
const guardObjects = 16

// guard gives the smallest object and generated objects to both definitions, as witnesses
// are. A proof that one of them contradicts is replaced by that object. Definitions of
// different scopes have no object in common.
func (c *comparison) guard(found []Finding) []Finding {
	if c.old.Spec.Scope != c.crd.Spec.Scope {
		return found
	}
	for _, readers := range []bool{false, true} {
		var last map[string]any
		for _, obj := range c.samples(readers) {
			proved := slices.ContainsFunc(found, func(f Finding) bool { return f.Code == Proved && (f.Role == Readers) == readers })
			if !proved || c.watch.Ended() {
				break
			}
			differences, err := c.differences(readers, obj, last)
			if err != nil {
				break
			}
			for i := range differences {
				c.contradict(found, &differences[i])
			}
			last = obj
		}
	}
	return found
}

// differences returns the differences of an object, and those of an update that replaces
// another one with it.
func (c *comparison) differences(readers bool, obj, last map[string]any) ([]difference, error) {
	if readers {
		return c.readerDifferences(obj)
	}
	out, err := c.createDifferences(obj)
	if err != nil || last == nil {
		return out, err
	}
	obj = unstructuredCopy(obj).Object
	obj["metadata"] = last["metadata"]
	d, _, err := c.updateDifference(obj, last)
	if d != nil {
		out = append(out, *d)
	}
	return out, err
}

// contradict replaces the proof that a difference contradicts.
func (c *comparison) contradict(found []Finding, d *difference) {
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == Proved && f.Role == d.role })
	if i < 0 || !c.contradicts(d) || d.role == Stored && d.code == Refused && slices.ContainsFunc(found, aboutTransition) {
		return
	}
	f := c.finding(Contradiction, Incompatible, Error, d.role)
	f.Field, f.Witness, f.Old, f.New, f.Ratcheted = d.path.String(), &d.witness, d.old, d.new, d.ratcheted
	f.Text = fmt.Sprintf("%s, but crdkit had proved that nothing differs: this is a bug in crdkit, please report both definitions and the object", consequence(d))
	found[i] = f
}

// aboutTransition reports whether a finding is about a transition rule, which may refuse an
// update that changes nothing.
func aboutTransition(f Finding) bool { return f.Code == CodeTransition }

// contradicts reports whether a proof denies a difference. It does not deny that new fields
// have defaults or that a field which storage removed is kept, and says about readers what [readerCodes] has.
func (c *comparison) contradicts(d *difference) bool {
	switch {
	case d.role == Readers && d.code == Refused:
		return slices.ContainsFunc(d.errors, func(e *validation.Error) bool {
			return slices.Contains([]field.ErrorType{field.ErrorTypeRequired, field.ErrorTypeNotSupported, field.ErrorTypeTypeInvalid}, e.Type) &&
				!strings.Contains(e.SchemaPointer, "Of/") && !strings.Contains(e.Pointer, "/metadata") && !rootMember(e.Pointer[strings.LastIndex(e.Pointer, "/")+1:])
		})
	case d.role != Readers && d.code != Defaulted:
		return true
	}
	n, sent, known := c.oldNode, any(d.witness.Object), true
	for _, s := range d.path {
		if name, ok := s.Name(); ok {
			parent, _ := sent.(map[string]any)
			n = memberSchema(n, name)
			sent, known = parent[name]
			continue
		}
		i, _ := s.Index()
		list, _ := sent.([]any)
		n, sent = n.Items(), slices.Concat(list, make([]any, i+1))[i]
	}
	return n != nil && !known
}

// samples returns objects at the old version, or for readers at the new one.
func (c *comparison) samples(readers bool) []map[string]any {
	crd, index, node, v := c.old, c.oldIndex, c.oldNode, c.oldVersion
	if readers {
		crd, index, node, v = c.crd, c.newIndex, c.newNode, c.newVersion
	}
	var out []map[string]any
	solver := satisfy.NewSolver(c.ctx, min(c.work, maxAloneWork))
	if obj, ok := solver.Solve(newConditions(solver, crd, index, node, false).object(v)).Value.(map[string]any); ok {
		out = append(out, obj)
	}
	space := spaceOf(v, node)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range guardObjects {
		out = append(out, whole(space.Object(rng, i%2 == 1)).(map[string]any))
	}
	return out
}

// spaceOf returns the objects of a version, for their generation.
func spaceOf(v *crdkit.Version, root *schema.Node) *satisfy.Space {
	gvk := v.GroupVersionKind()
	return satisfy.New(root, satisfy.Head{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespaced: v.Definition().Namespaced()}, nil)
}

// whole changes whole numbers in a value to integers, and returns it.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = whole(member)
		}
	case []any:
		for i, item := range v {
			v[i] = whole(item)
		}
	}
	return v
}
