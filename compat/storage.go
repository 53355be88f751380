package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// storedNodes are the schemas of one value in both definitions: at a version, and at the storage
// version.
type storedNodes struct{ old, crd, oldStorage, newStorage *schema.Node }

// A storageWalk collects goals for fields of a version that are lost or get another default,
// because objects are stored or read at another version.
type storageWalk struct {
	*pair
	at    string // the other version, for texts
	role  Role   // of the goals; "" means the role of the walk
	goals *walk
	seen  map[storedNodes]bool // without goals
	// readerGoals are about objects that readers get as invalid, because of the storage version.
	readerGoals []readerGoal
}

type readerGoal struct {
	node *schema.Node
	goal goal
}

// storesAnotherVersion reports whether a definition stores objects at another version than the
// compared one, without a webhook.
func (c *comparison) storesAnotherVersion() bool {
	return !convertsByWebhook(c.old) && !convertsByWebhook(c.crd) && c.newDef.Storage() != nil && c.oldDef.Storage() != nil &&
		(c.oldDef.Storage() != c.before.version || c.newDef.Storage() != c.after.version)
}

func (c *comparison) storageGoals(goals *walk) {
	if c.storesAnotherVersion() {
		w := &storageWalk{pair: c.pair, at: "the storage version " + c.newDef.Storage().Name(), goals: goals, seen: map[storedNodes]bool{}}
		w.walk(storedNodes{c.before.node, c.after.node, c.oldStorageNode, c.newStorageNode}, nil, "", true)
		c.readerGoals = w.readerGoals
	}
	if c.readsAnotherVersion() {
		w := &storageWalk{pair: c.pair, at: "the old storage version " + c.oldDef.Storage().Name(), role: RoleStored, goals: goals, seen: map[storedNodes]bool{}}
		w.walk(storedNodes{c.before.node, c.after.node, c.oldStorageNode, c.readNode}, nil, "", true)
	}
}

func (c *comparison) readsAnotherVersion() bool {
	return !convertsByWebhook(c.old) && !convertsByWebhook(c.crd) && c.readNode != nil && c.readNode != c.after.node && c.readNode != c.newStorageNode
}

func (w *storageWalk) walk(n storedNodes, steps []step, pointer string, root bool) {
	if n.oldStorage == n.newStorage || w.seen[n] {
		return
	}
	w.seen[n] = true // a value may contain values with these schemas
	if len(steps) > maxWalkDepth {
		w.goals.stopReason = "the schema of the storage version is nested too deeply"
		return
	}
	before := len(w.goals.goals)
	names := append([]string{}, n.old.Limits().Required...)
	if root { // the server never prunes these members
		names = append(names, "apiVersion", "kind", "metadata")
	}
	for _, node := range []*schema.Node{n.old, n.oldStorage, n.newStorage} {
		for name := range declaredProperties(node) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if !root || !rootMember(name) {
			w.member(n, name, steps, pointer)
		}
	}
	w.others(n, names, steps, pointer)
	if n.newStorage.EmbeddedResource() && !n.oldStorage.EmbeddedResource() && !n.old.EmbeddedResource() {
		w.add(n, goal{code: CodeEmbedded, steps: steps, part: "metadata", target: search.At("metadata", search.MinProps(1)), pointer: pointer}, "the value is a resource")
	}
	if all := n.newStorage == undeclared && len(w.goals.goals) > before; !all && (n.old == nil || typesOf(n.old)&search.Array != 0) {
		items := storedNodes{itemsOf(n.old), itemsOf(n.crd), itemsOf(n.oldStorage), itemsOf(n.newStorage)}
		w.walk(items, extend(steps, step{item: true}), pointer+"/items", false)
	}
	if len(w.goals.goals) > before {
		delete(w.seen, n)
	}
}

func (w *storageWalk) add(n storedNodes, g goal, text string) {
	g.role, g.stored, g.text = w.role, true, text+" at "+w.at
	w.goals.add(n.old, g)
}

func (w *storageWalk) addReaderGoal(n storedNodes, g goal, text string) {
	g.text = text + " at " + w.at
	w.readerGoals = append(w.readerGoals, readerGoal{n.crd, g})
}

func (w *storageWalk) member(n storedNodes, name string, steps []step, pointer string) {
	was, is, ok := w.kept(n, name)
	if !ok {
		return
	}
	_, defaulted := n.crd.Property(name).Default()
	switch {
	case was && !is:
		w.add(n, goal{code: CodeProperty, steps: steps, part: name, target: search.At(name, search.True), pointer: pointer}, "the field is not declared")
		if slices.Contains(n.old.Limits().Required, name) {
			w.addReaderGoal(n, goal{code: CodeRequired, steps: steps, part: name, target: search.At(name, search.True), pointer: pointer + "/required"}, name+" is required and not declared")
		}
		return
	case is && (!sameDefault(n.oldStorage.Property(name), n.newStorage.Property(name)) || !was && defaulted):
		g := goal{code: CodeDefault, steps: steps, part: name, absent: name, target: search.Types(search.Object), pointer: pointer}
		if _, had := n.old.Property(name).Default(); was || !had {
			g.target = search.And(g.target, search.IfAt(name, search.False))
		}
		w.add(n, g, "the field has another default")
		if def, ok := n.newStorage.Property(name).Default(); ok && !w.goals.from.solver.Satisfied(w.goals.from.of(n.old.Property(name)), def) {
			g.pointer = propertyPointer(pointer, name)
			w.addReaderGoal(n, g, name+" has a default that the schema does not admit")
		}
	}
	if was && is {
		w.part(n.members(name), extend(steps, step{name: name}), propertyPointer(pointer, name))
	}
}

// kept reports whether the old storage version keeps a member (was), whether the new one keeps it
// (is), and whether the compared version keeps it in both definitions (ok).
func (w *storageWalk) kept(n storedNodes, name string) (was, is, ok bool) {
	old, crd := w.old.Spec.PreserveUnknownFields, w.crd.Spec.PreserveUnknownFields
	return keeps(n.oldStorage, name, old), keeps(n.newStorage, name, crd), keeps(n.old, name, old) && keeps(n.crd, name, crd)
}

// others compares the members that no schema declares.
func (w *storageWalk) others(n storedNodes, names []string, steps []step, pointer string) {
	switch was, is, ok := w.kept(n, unknownField); {
	case !ok || !was:
	case !is:
		w.add(n, goal{code: CodeUnknownFields, steps: steps, target: search.SomeOther(names, search.True), pointer: pointer}, "fields that the schema does not declare are not kept")
	default:
		w.part(n.members(unknownField), extend(steps, step{others: names}), pointer)
	}
}

func (n storedNodes) members(name string) storedNodes {
	return storedNodes{memberSchema(n.old, name), memberSchema(n.crd, name), memberSchema(n.oldStorage, name), memberSchema(n.newStorage, name)}
}

// part compares a member that both storage versions keep.
func (w *storageWalk) part(n storedNodes, steps []step, pointer string) {
	if keepsNull(n.old) && keepsNull(n.crd) && keepsNull(n.oldStorage) && !keepsNull(n.newStorage) {
		w.add(n, goal{code: CodeType, steps: steps, target: search.Types(search.Null), pointer: pointer}, "null is not kept")
	}
	w.walk(n, steps, pointer, false)
}

func (c *comparison) hiddenByStorage(g *goal) bool {
	if g.stored || !slices.Contains(contentCodes, g.code) || !c.storesAnotherVersion() {
		return false
	}
	n, open := c.oldStorageNode, c.old.Spec.PreserveUnknownFields
	for _, s := range g.steps {
		switch {
		case s.item:
			n = itemsOf(n)
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

// declaresOnly reports whether all properties of a schema are in names.
func declaresOnly(n *schema.Node, names []string) bool {
	for name := range n.Properties() {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}
