package correlate

import (
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A Schema says which parts of old and new values correspond. It is compiled
// from a schema node. A nil Schema is that of a nil node, which declares
// nothing.
type Schema struct {
	props      map[string]*Schema
	additional *Schema
	items      *Schema
	mapList    bool     // the list type is map
	keys       []string // list map keys, nil if elements cannot be looked up
}

// New compiles n and everything below it. It returns nil if n is nil.
func New(n *schema.Node) *Schema {
	c := compiler{}
	return c.compileNode(n)
}

// A compiler has the compiled nodes. Nodes are shared.
type compiler map[*schema.Node]*Schema

func (c compiler) compileNode(n *schema.Node) *Schema {
	if n == nil {
		return nil
	}
	if s, ok := c[n]; ok {
		return s
	}
	s := &Schema{items: c.compileNode(n.Items())}
	c[n] = s
	additional, _ := n.AdditionalProperties()
	s.additional = c.compileNode(additional)
	if n.Len() > 0 {
		s.props = make(map[string]*Schema, n.Len())
		for name, p := range n.Properties() {
			s.props[name] = c.compileNode(p)
		}
	}
	if t, _ := n.ListType(); t == "map" {
		s.mapList = true
		if n.Kind() == schema.KindArray && s.items != nil {
			s.keys = n.ListMapKeys()
		}
	}
	return s
}

// Child returns the Schema of the entry of this name: that of the property, or
// else of additionalProperties. It returns nil if neither is declared.
func (s *Schema) Child(name string) *Schema {
	if s == nil {
		return nil
	}
	if p, ok := s.props[name]; ok {
		return p
	}
	return s.additional
}

// Unchanged reports whether next equals old. It is false for a nil Schema.
func (s *Schema) Unchanged(next, old any) bool {
	if s == nil {
		return false
	}
	switch next := next.(type) {
	case map[string]any:
		old, ok := old.(map[string]any)
		return ok && s.sameMap(next, old)
	case []any:
		old, ok := old.([]any)
		return ok && s.sameList(next, old)
	default:
		return jsonval.Equal(next, old)
	}
}

func (s *Schema) sameMap(next, old map[string]any) bool {
	if len(next) != len(old) {
		return false
	}
	for name, v := range next {
		before, ok := old[name]
		if !ok || !s.Child(name).Unchanged(v, before) {
			return false
		}
	}
	return true
}

func (s *Schema) sameList(next, old []any) bool {
	if len(next) != len(old) {
		return false
	}
	if len(next) == 0 {
		return true
	}
	if !s.mapList {
		return jsonval.Equal(next, old)
	}
	e := Elements{schema: s, next: next, old: old}
	for i := range next {
		if !e.At(i).Unchanged() {
			return false
		}
	}
	return true
}

// A Pair is a part of a new object and the corresponding part of the old
// object. The zero Pair means that nothing corresponds.
type Pair struct {
	schema    *Schema
	Next, Old any
}

// Pair returns next and old as a Pair, such as the roots of two objects. It
// returns the zero Pair if s is nil.
func (s *Schema) Pair(next, old any) Pair {
	if s == nil {
		return Pair{}
	}
	return Pair{schema: s, Next: next, Old: old}
}

// Correlated reports whether p has an old value. The value may be null.
func (p Pair) Correlated() bool { return p.schema != nil }

// Unchanged reports whether the new value equals the old one. It is false for
// the zero Pair. Each call compares the values.
func (p Pair) Unchanged() bool { return p.schema.Unchanged(p.Next, p.Old) }

// Key returns the Pair of the entries of this name. It returns the zero Pair if
// one of the values is not an object or does not have the entry, or if the name
// is not declared.
func (p Pair) Key(name string) Pair {
	if p.schema == nil {
		return Pair{}
	}
	next, ok := p.Next.(map[string]any)
	if !ok {
		return Pair{}
	}
	old, ok := p.Old.(map[string]any)
	if !ok {
		return Pair{}
	}
	v, ok := next[name]
	if !ok {
		return Pair{}
	}
	before, ok := old[name]
	if !ok {
		return Pair{}
	}
	return p.schema.Child(name).Pair(v, before)
}

// Elements returns the Elements of a pair of lists, for one walk over the new
// list. No element corresponds to anything if p is zero or not a pair of lists,
// or if the list type is not map.
func (p Pair) Elements() Elements {
	next, ok := p.Next.([]any)
	if !ok || p.schema == nil {
		return Elements{}
	}
	old, ok := p.Old.([]any)
	if !ok {
		return Elements{}
	}
	return Elements{schema: p.schema, next: next, old: old}
}
