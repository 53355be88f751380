package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/validation"
)

// guard gives the smallest object and generated objects to both definitions, as witnesses
// are. A proof that one of them contradicts is replaced by that object. Definitions of
// different scopes have no object in common.
func (c *comparison) guard(found []Finding) []Finding {
	if c.old.Spec.Scope != c.crd.Spec.Scope {
		return found
	}
	for _, readers := range []bool{false, true} {
		var last map[string]any
		for obj := range c.side(readers).samples(c.ctx, min(c.work, sampleWork), search.True) {
			proved := slices.ContainsFunc(found, func(f Finding) bool { return f.Code == Proved && (f.Role == Readers) == readers })
			if !proved || c.ctx.Err() != nil {
				break
			}
			_, differences, err := c.differences(readers, obj, nil)
			if err == nil && last != nil && !readers {
				changed := maps.Clone(obj)
				changed["metadata"] = last["metadata"]
				var more []difference
				_, more, err = c.differences(false, changed, last)
				differences = append(differences, more...)
			}
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
	_, known := d.path.Lookup(d.witness.Object)
	return !known && nodeAt(c.before.node, d.path) != nil
}
