package compat

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/celcond"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/satisfy"
	"github.com/crdkit/crdkit/schema"
)

// ruleConditions translates the rules of one side to conditions.
type ruleConditions struct {
	translator *celcond.Translator
	// suffix is appended to the names of opaque conditions. It distinguishes the
	// expressions of two sides that see different values.
	suffix string
}

func newRuleConditions(k *conditions) *ruleConditions {
	return &ruleConditions{translator: celcond.New(func(n *schema.Node, name string, c *satisfy.Cond) *satisfy.Cond {
		return k.member(n, name, c, true)
	})}
}

// keywords returns the conditions of the rules of a schema, without those that
// only updates obey.
func (r *ruleConditions) keywords(n *schema.Node) []keyword {
	var out []keyword
	for i, rule := range n.Rules() {
		translated := r.translator.Rule(rule.Rule, n, r.suffix)
		if translated.Transition && !rule.OptionalOldSelf {
			continue
		}
		w := newKeyword(CodeRule, translated.Holds, rule.Rule, fmt.Sprintf("/x-kubernetes-validations/%d", i))
		w.rule = &rule
		out = append(out, w)
	}
	return out
}

// transforms reports whether the new definition may see another value than the
// old one stored: something below is pruned, or has another default, or is no
// longer nullable.
func (w *walk) transforms(o, n *schema.Node) bool {
	if o == n {
		return false
	}
	pair := [2]*schema.Node{o, n}
	if known, ok := w.changed[pair]; ok {
		return known
	}
	w.changed[pair] = true // for a schema that contains itself, which none does
	changed := o.Nullable() && !n.Nullable() || w.transformsMembers(o, n) || w.transforms(o.Items(), n.Items())
	if !changed {
		before, _ := o.AdditionalProperties()
		after, _ := n.AdditionalProperties()
		changed = w.transforms(before, after) || w.from.otherValues(o) != satisfy.False && w.to.otherValues(n) == satisfy.False
	}
	w.changed[pair] = changed
	return changed
}

func (w *walk) transformsMembers(o, n *schema.Node) bool {
	for name, old := range o.Properties() {
		child := n.Property(name)
		if child == nil && w.to.otherValues(n) == satisfy.False || !sameDefault(old, child) || w.transforms(old, child) {
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

func sameDefault(o, n *schema.Node) bool {
	before, had := o.Default()
	after, has := n.Default()
	return had == has && (!had || jsonval.Equal(before, after))
}
