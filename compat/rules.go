package compat

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/celcond"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// ruleKeywords returns the conditions of the rules of a schema, without those that
// only updates obey.
func (k *conditions) ruleKeywords(n *schema.Node) []keyword {
	var out []keyword
	for i, rule := range n.Rules() {
		translated := k.translator.Rule(rule.Rule, n, k.changed)
		if translated.Transition && !rule.OptionalOldSelf {
			continue
		}
		holds := translated.Holds
		if n.Nullable() { // the server evaluates no rule of null
			holds = search.Or(search.Types(search.Null), holds)
		}
		w := newKeyword(CodeRule, holds, rule.Rule, fmt.Sprintf("/x-kubernetes-validations/%d", i))
		w.rule = &rule
		out = append(out, w)
	}
	return out
}

// knownCounts returns a function that finds a macro in the rules of o which agrees with one
// of the other side on all pairs of elements that o admits; see [celcond.Count].
func (w *walk) knownCounts(o *schema.Node) func(c celcond.Count) (name string, ok bool) {
	var known []celcond.Count
	for _, rule := range o.Rules() {
		known = append(known, w.from.translator.Rule(rule.Rule, o, nil).Counts...)
	}
	if len(known) == 0 || w.readers {
		return nil
	}
	return func(c celcond.Count) (name string, ok bool) {
		for i := range known {
			if k := &known[i]; k.Name != c.Name && slices.Equal(k.List, c.List) && w.agree(o, k, &c) {
				return k.Name, true
			}
		}
		return "", false
	}
}

// agree reports whether a count holds and fails where a known one does.
func (w *walk) agree(o *schema.Node, known, c *celcond.Count) bool {
	for _, name := range known.List {
		if name == celcond.Items {
			return false
		}
		o = memberSchema(o, name)
	}
	element := w.from.of(o.Items())
	pair := search.And(search.Types(search.Object), search.At(celcond.First, element), search.At(celcond.Second, element))
	differ := func(known, c *search.Cond) bool { return w.solve(pair, known, search.Not(c)).Status != search.None }
	return !differ(known.Holds, c.Holds) && !differ(known.Fails, c.Fails)
}

// transforms reports whether rules of the new definition may see another value than
// the old one stored: something below is pruned, or has another default, or is no
// longer nullable, or is another value in CEL.
func (w *walk) transforms(o, n *schema.Node) bool {
	if o == n {
		return false
	}
	pair := [2]*schema.Node{o, n}
	if known, ok := w.changed[pair]; ok {
		return known
	}
	w.changed[pair] = true // for a schema that contains itself, which none does
	changed := retyped(o, n) || reordered(o, n) || o.Nullable() && !n.Nullable() || w.transformsMembers(o, n) || w.transforms(o.Items(), n.Items())
	if !changed {
		changed = w.transforms(additionalOf(o), additionalOf(n)) || w.from.otherValues(o) != search.False && w.to.otherValues(n) == search.False
	}
	w.changed[pair] = changed
	return changed
}

// retyped reports whether rules see the values of two schemas as values of two types:
// 5/2 is 2 for integers and 2.5 for numbers. An embedded resource has fields of its own.
func retyped(o, n *schema.Node) bool {
	return o != nil && n != nil && (o.Kind() != n.Kind() || o.IntOrString() != n.IntOrString() || celFormat(o) != celFormat(n) || o.EmbeddedResource() != n.EmbeddedResource())
}

// reordered reports whether rules compare the lists of two schemas in two ways.
func reordered(o, n *schema.Node) bool {
	return o != nil && n != nil && (celListType(o) != celListType(n) || !slices.Equal(o.ListMapKeys(), n.ListMapKeys()))
}

// celListType returns the type of lists whose order does not matter in rules.
func celListType(n *schema.Node) string {
	if listType, _ := n.ListType(); listType != "atomic" {
		return listType
	}
	return ""
}

// celFormat returns the format of a string that is no string in rules.
func celFormat(n *schema.Node) string {
	switch f := n.Limits().Format; {
	case n.Kind() != schema.KindString:
	case f == "byte", f == "duration", f == "date", f == "date-time":
		return f
	}
	return ""
}

func (w *walk) transformsMembers(o, n *schema.Node) bool {
	for name := range o.Properties() {
		if w.transformsMember(o, n, name) || w.transforms(o.Property(name), n.Property(name)) {
			return true
		}
	}
	for name, child := range n.Properties() {
		if _, has := child.Default(); has && o.Property(name) == nil {
			return true
		}
	}
	return false
}

// transformsMember reports whether the new definition may add, drop or replace a
// member that both or one of the schemas declare, apart from what is below it.
func (w *walk) transformsMember(o, n *schema.Node, name string) bool {
	old, child := o.Property(name), n.Property(name)
	_, has := child.Default()
	switch {
	case old == nil:
		return has
	case child == nil:
		return w.to.otherValues(n) == search.False
	case old.Nullable() && !child.Nullable():
		return true
	}
	_, had := old.Default()
	return !sameDefault(old, child) && (had || !slices.Contains(o.Limits().Required, name))
}

// changedAt returns the function that says which values below a value differ from
// what the old definition stored; see [celcond.Translator.Rule].
func (w *walk) changedAt(o, n *schema.Node) func(path []string) bool {
	if w.readers {
		return nil
	}
	return func(path []string) bool {
		o, n := o, n
		for _, name := range path {
			if o == n {
				return false
			}
			switch name {
			case celcond.Presence:
				return false
			case celcond.Size:
				return retyped(o, n) || o.Kind() == schema.KindObject && w.transforms(o, n)
			case celcond.Items:
				o, n = o.Items(), n.Items()
				continue
			}
			if w.transformsMember(o, n, name) {
				return true
			}
			if o.Property(name) == nil && n.Property(name) != nil {
				return w.from.otherValues(o) != search.False
			}
			o, n = memberSchema(o, name), memberSchema(n, name)
		}
		return w.transforms(o, n)
	}
}

func sameDefault(o, n *schema.Node) bool {
	before, had := o.Default()
	after, has := n.Default()
	return had == has && (!had || jsonval.Equal(before, after))
}
