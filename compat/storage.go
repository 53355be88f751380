package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/satisfy"
	"github.com/crdkit/crdkit/schema"
)

// maxStorageGoals bounds the fields that are lost in storage for one version. More are one
// unknown.
const maxStorageGoals = 50

// storageFindings returns a finding for each field that clients can write at the version,
// and that the server removes because the new definition stores objects at a version
// whose schema does not declare it. A webhook may keep such fields, so nothing is known.
func (c *comparison) storageFindings() []Finding {
	if c.oldVersion.Name() != c.newVersion.Name() || convertsByWebhook(c.old) || convertsByWebhook(c.crd) || c.newDef.Storage() == nil || c.oldDef.Storage() == nil {
		return nil
	}
	w := &storageWalk{pair: c.pair, seen: map[storedNodes]bool{}}
	w.walk(storedNodes{c.oldNode, c.newNode, c.oldStorageNode, c.newStorageNode}, nil, "", true)
	if len(w.goals) == 0 {
		return nil
	}
	solver := satisfy.NewSolver(c.ctx, c.work)
	before := newConditions(solver, c.old, c.oldIndex, c.oldNode, false)
	object := before.object(c.oldVersion)
	asked := &walk{from: before}
	var out []Finding
	for i := range w.goals {
		g := &w.goals[i]
		r := solver.Solve(satisfy.And(object, within(g.steps, g.target)))
		if r.Status == satisfy.None {
			continue
		}
		found, err := c.confirmStorage(g, r)
		switch {
		case err != nil:
			out = append(out, c.undecided(asked, g, err.Error()))
		case found != nil:
			out = append(out, *found)
		default:
			out = append(out, c.undecided(asked, g, cmp.Or(r.Reason, "the object that should show it does not")))
		}
	}
	if w.more {
		out = append(out, c.undecided(asked, &goal{}, fmt.Sprintf("more than %d fields are not declared at the storage version", maxStorageGoals)))
	}
	return out
}

// confirmStorage returns the finding for a field that both definitions admit and only
// the old one keeps, nil if the object does not show it.
func (c *comparison) confirmStorage(g *goal, r satisfy.Result) (*Finding, error) {
	obj, ok := r.Value.(map[string]any)
	if !ok {
		return nil, nil
	}
	before, err := c.kept(c.oldVersion, obj)
	if err != nil || before == nil {
		return nil, err
	}
	after, err := c.kept(c.newVersion, obj)
	if err != nil || after == nil {
		return nil, err
	}
	d := difference{role: Writers, witness: Witness{Object: obj}}
	for _, d := range c.contentDifferences(d, before, after) {
		if d.code == Pruned && isAt(d.path, extend(g.steps, step{name: g.part})) {
			f := c.findingOf(g, &d)
			return &f, nil
		}
	}
	return nil, nil
}

// kept returns what a client reads of an object that it has created, nil if the object is
// refused.
func (c *comparison) kept(v *crdkit.Version, obj map[string]any) (map[string]any, error) {
	o, err := write(c.ctx, v, obj, nil)
	if err != nil || o.object == nil || drops(o.result) {
		return nil, err
	}
	stored, err := v.Store(c.ctx, unstructuredCopy(o.object))
	if err != nil {
		return nil, err
	}
	read, _, err := v.Read(c.ctx, stored)
	if err != nil {
		return nil, err
	}
	return read.Object, nil
}

// storedNodes are the schemas of one value: at a version and at the storage version, of
// both definitions.
type storedNodes struct{ old, crd, oldStorage, newStorage *schema.Node }

// A storageWalk collects the fields that only the new storage version removes.
type storageWalk struct {
	*pair
	seen  map[storedNodes]bool // without goals
	goals []goal
	more  bool
}

func (w *storageWalk) walk(n storedNodes, steps []step, pointer string, root bool) {
	if n.newStorage == n.crd || n.newStorage == nil || w.seen[n] || w.more || len(steps) > maxWalkDepth {
		return
	}
	before := len(w.goals)
	for name := range n.old.Properties() {
		if (root || n.old.EmbeddedResource()) && rootMember(name) {
			continue
		}
		w.member(n, name, steps, pointer)
	}
	if n.old.Items() != nil {
		w.walk(storedNodes{n.old.Items(), n.crd.Items(), n.oldStorage.Items(), n.newStorage.Items()}, extend(steps, step{item: true}), pointer+"/items", false)
	}
	if additional := additionalOf(n.old); additional != nil {
		names := []string{}
		for name := range n.old.Properties() {
			names = append(names, name)
		}
		slices.Sort(names)
		w.walk(storedNodes{additional, additionalOf(n.crd), additionalOf(n.oldStorage), additionalOf(n.newStorage)}, extend(steps, step{others: names}), pointer+"/additionalProperties", false)
	}
	if len(w.goals) == before {
		w.seen[n] = true
	}
}

func (w *storageWalk) member(n storedNodes, name string, steps []step, pointer string) {
	if !keeps(n.crd, name, w.crd.Spec.PreserveUnknownFields) || !keeps(n.oldStorage, name, w.old.Spec.PreserveUnknownFields) {
		return
	}
	if keeps(n.newStorage, name, w.crd.Spec.PreserveUnknownFields) {
		child := storedNodes{memberSchema(n.old, name), memberSchema(n.crd, name), memberSchema(n.oldStorage, name), memberSchema(n.newStorage, name)}
		w.walk(child, extend(steps, step{name: name}), propertyPointer(pointer, name), false)
		return
	}
	if w.more = len(w.goals) >= maxStorageGoals; w.more {
		return
	}
	w.goals = append(w.goals, goal{
		code: CodeProperty, role: Writers, steps: steps, part: name, schema: n.old, target: satisfy.At(name, satisfy.True), pointer: pointer,
		text: fmt.Sprintf("%s is not declared at the storage version %s", name, w.newDef.Storage().Name()),
	})
}

func additionalOf(n *schema.Node) *schema.Node {
	additional, _ := n.AdditionalProperties()
	return additional
}

// keeps reports whether the server keeps a member of the values of a schema.
func keeps(n *schema.Node, name string, open bool) bool {
	return memberSchema(n, name) != nil || open || n == nil || n.Kind() != schema.KindObject || n.PreserveUnknownFields() || n.AllowsAdditionalProperties()
}
