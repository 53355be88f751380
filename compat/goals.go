package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A goal describes objects that would show an incompatibility: one side admits them, and they break
// one keyword of the other side.
type goal struct {
	code    Code
	role    Role
	steps   []step
	target  *search.Cond // the condition on a value that breaks the keyword
	part    string       // the member of the value that the goal is about, or ""
	absent  string       // a member that the request leaves out, so that a default applies
	pointer string       // of the keyword, below the schema of the new version
	text    string
	names   []string     // for unknown fields: the declared members
	stored  bool         // the new storage version is the cause
	rule    *schema.Rule // the rule that refuses the object, nil for another keyword
	update  *search.Cond // for a transition rule: the condition on an update, nil if it is not known
}

func (w *walk) role() Role {
	if w.readers {
		return RoleReaders
	}
	return RoleWriters
}

// maxGoals bounds the goals of one version. If there are more, one finding says that the rest is
// unknown.
const maxGoals = 400

type walk struct {
	from, to    *conditions // objects of the first side (from) must satisfy the second (to)
	readers     bool
	goals       []goal
	ruleChanges []ruleChange
	without     map[comparedPair]bool    // pairs without goals
	changed     map[[2]*schema.Node]bool // see transforms
	stopReason  string                   // why the walk ended early
	isHidden    func(g *goal) bool       // reports whether the storage version hides the goal
	depth       int
}

// A comparedPair has the schemas of one value: o of the first side, n of the second.
type comparedPair struct {
	o, n *schema.Node
	// gains means that transition rules see an old value at n, but not at o.
	gains bool
}

func newWalk(from, to *conditions, readers bool, isHidden func(*goal) bool) *walk {
	return &walk{isHidden: isHidden, from: from, to: to, readers: readers, without: map[comparedPair]bool{}, changed: map[[2]*schema.Node]bool{}}
}

func (w *walk) pair(o, n *schema.Node, steps []step, pointer string) {
	here := comparedPair{o, n, !w.readers && correlatable(w.to.root, steps) && !correlatable(w.from.root, steps)}
	if o == n && w.from.open == w.to.open && !here.gains || w.without[here] || w.stopReason != "" {
		return
	}
	if w.depth++; w.depth > maxWalkDepth {
		w.stopReason = "the schema is nested too deeply"
	}
	defer func() { w.depth-- }()
	before, changesBefore := len(w.goals), len(w.ruleChanges)
	w.local(o, n, steps, pointer)
	if w.readers && o == nil && n.Kind() != schema.KindNone {
		return // o admits any value, so nothing below matters
	}
	w.transitions(o, n, steps, pointer)
	w.recordRules(o, n, steps, pointer)
	w.properties(o, n, steps, pointer)
	w.others(o, n, steps, pointer)
	if o.Items() != nil || n.Items() != nil {
		at, items := pointer, n.Items()
		switch n {
		case nil:
		case undeclared:
			items = undeclared
		default:
			at += "/items"
		}
		w.pair(o.Items(), items, extend(steps, step{item: true}), at)
	}
	if len(w.goals) == before && len(w.ruleChanges) == changesBefore {
		w.without[here] = true
	}
}

const maxWalkDepth = 400

func extend(steps []step, s step) []step { return append(slices.Clip(steps), s) }

// readerCodes are the codes of the keywords that clients rely on.
var readerCodes = []Code{CodeType, CodeRequired, CodeEnum, CodeFormat}

// local compares the keywords of two schemas without their children.
func (w *walk) local(o, n *schema.Node, steps []step, pointer string) {
	have := map[string]bool{}
	was := w.from.keywords(o)
	for _, k := range was {
		have[string(k.code)+k.cond.Key()] = true
	}
	w.to.changed = w.changedAt(o, n)
	w.to.translator.SetKnown(w.knownCounts(o))
	defer w.to.translator.SetKnown(nil)
	for _, k := range w.to.keywords(n) {
		if have[string(k.code)+k.cond.Key()] || w.readers && !slices.Contains(readerCodes, k.code) {
			continue
		}
		w.add(o, goal{code: k.code, steps: steps, target: search.Not(k.cond), pointer: pointer + k.at, text: w.changeText(was, k), rule: k.rule})
	}
	if n.Kind() == schema.KindObject && len(n.Limits().Enum) > 0 && !w.readers && w.transforms(o, n) {
		w.add(o, goal{code: CodeEnum, steps: steps, target: search.Types(search.Object), pointer: pointer + "/enum", text: "the enum has whole objects, and defaults or pruning change them"})
	}
	if keepsNull(o) && !keepsNull(n) && typesOf(n)&search.Null != 0 && (len(steps) == 0 || !steps[len(steps)-1].item) { // elements stay null
		text := "null is not kept any more"
		if w.readers {
			text = "null is kept"
		}
		w.add(o, goal{code: CodeType, steps: steps, target: search.Types(search.Null), pointer: pointer + "/type", text: text})
	}
	if n.EmbeddedResource() && !o.EmbeddedResource() && !w.readers {
		target := search.Or(search.Not(embeddedMembers()), search.At("metadata", search.MinProps(1))) // the server drops invalid metadata
		w.add(o, goal{code: CodeEmbedded, steps: steps, target: target, pointer: pointer + "/x-kubernetes-embedded-resource", text: "the value must be a resource"})
	}
}

func (w *walk) changeText(was []keyword, k keyword) string {
	before, after := "", k.text
	var enum []any
	for _, old := range was {
		if old.code == k.code {
			before, enum = old.text, old.enum
		}
	}
	if w.readers {
		before, after = after, before
	}
	switch {
	case k.code == CodeRule:
		return "the rule is new or changed: " + k.text
	case k.text == "":
		return fmt.Sprintf("%s is new or changed", k.code)
	case k.code == CodeRequired && w.readers:
		return k.text + " is not required any more"
	case k.code == CodeRequired:
		return k.text + " is required"
	case before == "":
		return fmt.Sprintf("%s is new: %s", k.code, after)
	case len(enum) > 0 && w.readers:
		return "the enum has new values: " + shortList(missing(k.enum, enum))
	case len(enum) > 0:
		return "the enum lacks values: " + shortList(missing(k.enum, enum))
	case k.code == CodeMaxProperties && before == after:
		return fmt.Sprintf("%s is %s, and defaults differ", k.code, after)
	case after == "":
		return fmt.Sprintf("%s is gone: %s", k.code, before)
	}
	return fmt.Sprintf("%s was %s and is %s", k.code, before, after)
}

// add adds a goal if a value that o admits may meet it. If there are too many goals, it ends the
// walk.
func (w *walk) add(o *schema.Node, g goal) {
	if len(w.goals) > maxGoals {
		w.stopReason = fmt.Sprintf("there are more than %d differences", maxGoals)
		return
	}
	g.role = cmp.Or(g.role, w.role())
	if !w.isHidden(&g) && w.solve(w.from.of(o), g.target).Status != search.None {
		w.goals = append(w.goals, g)
	}
}

// solve returns a value that satisfies all conditions. It uses at most a quarter of the steps left
// to w.from.solver.
func (w *walk) solve(conds ...*search.Cond) search.Result {
	return w.solveWithin(w.from.solver.Work()/4, conds...)
}

func (w *walk) solveWithin(share int, conds ...*search.Cond) search.Result {
	solver := w.from.solver
	left := solver.Work()
	solver.SetWork(share)
	r := solver.Solve(search.And(conds...))
	solver.SetWork(left - share + max(solver.Work(), 0))
	return r
}

func (w *walk) properties(o, n *schema.Node, steps []step, pointer string) {
	if root := len(steps) == 0; root || o.EmbeddedResource() && n.EmbeddedResource() {
		w.metadata(o.Property("metadata"), n.Property("metadata"), extend(steps, step{name: "metadata"}), propertyPointer(pointer, "metadata"))
		if root {
			w.constants(o, n, pointer)
		}
	}
	for name, old := range declaredProperties(o) {
		if o == w.from.root && rootMember(name) || w.readers && old == resourceMetadata {
			continue
		}
		here := extend(steps, step{name: name})
		switch child := declaredProperty(n, name); {
		case child != nil:
			at := propertyPointer(pointer, name)
			w.pair(old, child, here, at)
			w.defaults(o, old, child, name, steps, at)
		case w.readers: // clients ignore fields that they do not know
			if additional := additionalOf(n); additional != nil {
				w.pair(old, additional, here, pointer+"/additionalProperties")
			}
		default:
			w.removed(o, n, old, name, steps, pointer)
		}
	}
	for name, child := range n.Properties() {
		if declaredProperty(o, name) != nil || n == w.to.root && rootMember(name) {
			continue
		}
		if c := w.from.otherValues(o); c != search.False && (o.Kind() == schema.KindObject || c != search.True) {
			additional, at := additionalOf(o), propertyPointer(pointer, name)
			w.pair(additional, child, extend(steps, step{name: name}), at)
			if additional != nil {
				w.defaults(o, nil, child, name, steps, at) // the default of additionalProperties does not fill an absent member
			}
		}
	}
}

// metadata compares the constraints on names of objects and of embedded resources.
func (w *walk) metadata(o, n *schema.Node, steps []step, pointer string) {
	for _, member := range []string{"name", "generateName"} {
		if child := n.Property(member); child != nil {
			w.pair(cmp.Or(o.Property(member), resourceText), child, extend(steps, step{name: member}), propertyPointer(pointer, member))
		}
	}
}

// constants adds a goal for each keyword that refuses the apiVersion or kind of the version itself.
func (w *walk) constants(o, n *schema.Node, pointer string) {
	gvk := w.to.side.version.GroupVersionKind()
	for _, constant := range []struct{ name, value string }{{"apiVersion", gvk.GroupVersion().String()}, {"kind", gvk.Kind}} {
		old, child := o.Property(constant.name), n.Property(constant.name)
		steps, at := []step{{name: constant.name}}, propertyPointer(pointer, constant.name)
		w.to.changed = nil
		for _, k := range w.to.keywords(child) {
			if (!w.readers || slices.Contains(readerCodes, k.code)) && !w.to.solver.Satisfied(k.cond, constant.value) {
				w.add(old, goal{code: k.code, steps: steps, target: search.True, pointer: at + k.at, text: w.changeText(w.from.keywords(old), k), rule: k.rule})
			}
		}
		w.transitions(old, child, steps, at)
	}
}

// removed compares a property that the second side does not declare.
func (w *walk) removed(o, n, old *schema.Node, name string, steps []step, pointer string) {
	additional := additionalOf(n)
	here := extend(steps, step{name: name})
	switch c := w.to.otherValues(n); {
	case additional != nil:
		w.pair(old, additional, here, pointer+"/additionalProperties")
	case c == search.True:
		w.pair(old, nil, here, pointer)
	default:
		w.add(o, goal{code: CodeProperty, steps: steps, part: name, target: search.At(name, search.True), pointer: pointer, text: "the field is not declared any more"})
	}
	if _, ok := old.Default(); ok && w.to.otherValues(n) != search.False {
		w.add(o, goal{code: CodeDefault, steps: steps, part: name, target: search.Types(search.Object), absent: name, pointer: pointer, text: "the default is gone"})
	}
}

func (w *walk) defaults(o, old, child *schema.Node, name string, steps []step, pointer string) {
	if w.readers || sameDefault(old, child) {
		return
	}
	before, had := old.Default()
	after, has := child.Default()
	text := fmt.Sprintf("the default was %s and is %s", short(before), short(after))
	switch {
	case !had:
		text = "the default is new: " + short(after)
	case !has:
		text = "the default is gone: " + short(before)
	}
	target := search.Types(search.Object)
	if !had {
		target = search.And(target, search.IfAt(name, search.False))
	}
	w.add(o, goal{code: CodeDefault, steps: steps, part: name, target: target, absent: name, pointer: pointer + "/default", text: text})
}

// others compares how the two sides treat members that neither declares.
func (w *walk) others(o, n *schema.Node, steps []step, pointer string) {
	if w.readers && n.Kind() != schema.KindObject {
		return
	}
	from, to := w.from.otherValues(o), w.to.otherValues(n)
	oldAdditional, newAdditional := additionalOf(o), additionalOf(n)
	if from == search.False || to == search.True && oldAdditional == newAdditional {
		return
	}
	names := w.to.propertyNames(n, w.from.propertyNames(o, []string{}))
	slices.Sort(names)
	here := extend(steps, step{others: slices.Compact(names)})
	switch {
	case newAdditional != nil:
		w.pair(oldAdditional, newAdditional, here, pointer+"/additionalProperties")
		return
	case to == search.True:
		w.pair(oldAdditional, nil, here, pointer)
		return
	}
	if !w.readers {
		w.add(o, goal{code: CodeUnknownFields, steps: steps, names: names, target: search.SomeOther(names, search.True), pointer: pointer, text: "fields that the schema does not declare are not kept any more"})
	}
}

func missing(list, values []any) []any {
	known := map[string]bool{}
	for _, v := range list {
		known[valueText(v)] = true
	}
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return known[valueText(v)] })
}
