package compat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/satisfy"
	"github.com/crdkit/crdkit/schema"
)

// storedNodes are the schemas of one value: at a version and at the storage version, of
// both definitions.
type storedNodes struct{ old, crd, oldStorage, newStorage *schema.Node }

// A storageWalk collects a goal for each field that clients can write at the version, and
// that only the new storage version removes, or gives another default when it is read.
type storageWalk struct {
	*pair
	goals *walk
	seen  map[storedNodes]bool // without goals
}

// storesAnotherVersion reports whether a definition converts objects of the version to or
// from another one in a way that is known. What a webhook keeps is not known.
func (c *comparison) storesAnotherVersion() bool {
	return !convertsByWebhook(c.old) && !convertsByWebhook(c.crd) && c.newDef.Storage() != nil && c.oldDef.Storage() != nil &&
		(c.oldDef.Storage() != c.oldVersion || c.newDef.Storage() != c.newVersion)
}

func (c *comparison) storageGoals(goals *walk) {
	if c.storesAnotherVersion() {
		w := &storageWalk{pair: c.pair, goals: goals, seen: map[storedNodes]bool{}}
		w.walk(storedNodes{c.oldNode, c.newNode, c.oldStorageNode, c.newStorageNode}, nil, "", true)
	}
}

func (w *storageWalk) walk(n storedNodes, steps []step, pointer string, root bool) {
	if n.oldStorage == n.newStorage || w.seen[n] || len(steps) > maxWalkDepth {
		return
	}
	before := len(w.goals.goals)
	names := map[string]bool{}
	for _, node := range []*schema.Node{n.old, n.oldStorage, n.newStorage} {
		for name := range node.Properties() {
			names[name] = true
		}
	}
	sorted := slices.AppendSeq([]string{}, maps.Keys(names))
	slices.Sort(sorted)
	for _, name := range sorted {
		if !rootMember(name) || !root && !n.old.EmbeddedResource() {
			w.member(n, name, steps, pointer)
		}
	}
	if n.old.Items() != nil {
		w.walk(storedNodes{n.old.Items(), n.crd.Items(), n.oldStorage.Items(), n.newStorage.Items()}, extend(steps, step{item: true}), pointer+"/items", false)
	}
	if additional := additionalOf(n.old); additional != nil {
		others := extend(steps, step{others: sorted})
		w.walk(storedNodes{additional, additionalOf(n.crd), additionalOf(n.oldStorage), additionalOf(n.newStorage)}, others, pointer+"/additionalProperties", false)
	}
	if len(w.goals.goals) == before {
		w.seen[n] = true
	}
}

func (w *storageWalk) member(n storedNodes, name string, steps []step, pointer string) {
	if !keeps(n.old, name, w.old.Spec.PreserveUnknownFields) || !keeps(n.crd, name, w.crd.Spec.PreserveUnknownFields) {
		return
	}
	was, is := keeps(n.oldStorage, name, w.old.Spec.PreserveUnknownFields), keeps(n.newStorage, name, w.crd.Spec.PreserveUnknownFields)
	before, after := memberSchema(n.oldStorage, name), memberSchema(n.newStorage, name)
	g := goal{code: CodeProperty, steps: steps, part: name, pointer: pointer, stored: true}
	_, defaulted := n.crd.Property(name).Default()
	switch {
	case was && !is:
		g.target = satisfy.At(name, satisfy.True)
		g.text = fmt.Sprintf("the field is not declared at the storage version %s", w.newDef.Storage().Name())
		w.goals.add(n.old, g)
		return
	case is && (!sameDefault(before, after) || !was && defaulted):
		g.code, g.absent = CodeDefault, name
		g.target = satisfy.Types(satisfy.Object)
		if _, had := n.old.Property(name).Default(); was || !had {
			g.target = satisfy.And(g.target, satisfy.IfAt(name, satisfy.False))
		}
		g.text = fmt.Sprintf("the field has another default at the storage version %s", w.newDef.Storage().Name())
		w.goals.add(n.old, g)
	}
	if was && is {
		w.walk(storedNodes{memberSchema(n.old, name), memberSchema(n.crd, name), before, after}, extend(steps, step{name: name}), propertyPointer(pointer, name), false)
	}
}

// storedAlike reports whether a goal is about what the old storage version removes, so that
// no client reads a difference.
func (c *comparison) storedAlike(g *goal) bool {
	if g.stored || !slices.Contains(contentCodes, g.code) || !c.storesAnotherVersion() {
		return false
	}
	n, open := c.oldStorageNode, c.old.Spec.PreserveUnknownFields
	for _, s := range g.steps {
		switch {
		case s.item:
			n = n.Items()
		case s.others == nil:
			if !keeps(n, s.name, open) {
				return true
			}
			n = memberSchema(n, s.name)
		case keeps(n, unknownField, open):
			n = additionalOf(n)
		default:
			return declaresOnly(n, s.others)
		}
	}
	if g.code == CodeUnknownFields {
		return !keeps(n, unknownField, open) && declaresOnly(n, g.names)
	}
	return !keeps(n, g.part, open)
}

// declaresOnly reports whether a schema declares no other property than those in a list.
func declaresOnly(n *schema.Node, names []string) bool {
	for name := range n.Properties() {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

func additionalOf(n *schema.Node) *schema.Node {
	additional, _ := n.AdditionalProperties()
	return additional
}

// keeps reports whether the server keeps a member of the values of a schema.
func keeps(n *schema.Node, name string, open bool) bool {
	return memberSchema(n, name) != nil || open || n == nil || n.Kind() != schema.KindObject || n.PreserveUnknownFields() || n.AllowsAdditionalProperties()
}
