package compat

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A combined schema has junctors: a Node or a Branch.
type combined interface {
	AllOf() []*schema.Branch
	AnyOf() []*schema.Branch
	OneOf() []*schema.Branch
	Not() *schema.Branch
}

// junctors returns the conditions of allOf, anyOf, oneOf and not. n is the schema
// whose values they constrain.
func (k *conditions) junctors(b combined, n *schema.Node) []keyword {
	var out []keyword
	add := func(code Code, c *search.Cond, at string) {
		if typesOf(n)&search.Null != 0 { // the server evaluates none of them on null
			c = search.Or(search.Types(search.Null), c)
		}
		out = append(out, newKeyword(code, c, "", at))
	}
	for i, sub := range b.AllOf() {
		add(CodeAllOf, k.branch(sub, n), fmt.Sprintf("/allOf/%d", i))
	}
	if subs := b.AnyOf(); len(subs) > 0 {
		add(CodeAnyOf, search.Or(k.branches(subs, n)...), "/anyOf")
	}
	if subs := b.OneOf(); len(subs) > 0 {
		add(CodeOneOf, exactlyOne(k.branches(subs, n)), "/oneOf")
	}
	if sub := b.Not(); sub != nil {
		add(CodeNot, search.Not(k.branch(sub, n)), "/not")
	}
	return out
}

func (k *conditions) branches(list []*schema.Branch, n *schema.Node) []*search.Cond {
	out := make([]*search.Cond, len(list))
	for i, b := range list {
		out[i] = k.branch(b, n)
	}
	return out
}

// exactlyOne holds if one condition holds and the others do not.
func exactlyOne(list []*search.Cond) *search.Cond {
	alternatives := make([]*search.Cond, len(list))
	for i := range list {
		parts := []*search.Cond{list[i]}
		for j, c := range list {
			if j != i {
				parts = append(parts, search.Not(c))
			}
		}
		alternatives[i] = search.And(parts...)
	}
	return search.Or(alternatives...)
}

// branch returns the condition of a branch on the values of n, which may be nil.
func (k *conditions) branch(b *schema.Branch, n *schema.Node) *search.Cond {
	var parts []*search.Cond
	if b.IntOrString() {
		parts = append(parts, search.Types(search.Integer|search.String))
	} else if kind := b.Kind(); kind != schema.KindNone {
		mask := typeMasks[kind]
		if b.Nullable() || n.Nullable() {
			mask |= search.Null
		}
		parts = append(parts, search.Types(mask), rangeOf(b.Type(), ""))
	}
	// A branch without a type knows the formats of strings.
	for _, w := range k.limits(b.Limits(), b.Type(), n) {
		parts = append(parts, w.cond)
	}
	var names []string
	for name, child := range b.Properties() {
		names = append(names, name)
		c := k.branch(child, memberSchema(n, name))
		parts = append(parts, search.Vacuous(k.member(n, name, c, false)))
	}
	if b.Items() != nil {
		parts = append(parts, search.Vacuous(search.EveryItem(k.branch(b.Items(), n.Items()))))
	}
	switch additional, declared := b.AdditionalProperties(); {
	case additional != nil:
		parts = append(parts, search.Vacuous(search.EveryOther(names, k.branch(additional, nil))))
	case declared && !b.AllowsAdditionalProperties():
		parts = append(parts, search.Vacuous(search.EveryOther(names, search.False)))
	}
	for _, w := range k.junctors(b, n) {
		parts = append(parts, w.cond)
	}
	return search.And(parts...)
}
