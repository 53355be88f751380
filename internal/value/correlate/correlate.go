package correlate

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A Schema says which parts of an old and a new value correspond. It is compiled from a
// [schema.Node]. A nil Schema declares nothing.
type Schema struct {
	props      map[string]*Schema
	additional *Schema
	items      *Schema
	mapList    bool     // of list type map
	keys       []string // list map keys, nil if elements cannot be looked up
}

// New compiles n and all schemas below it. It returns nil if n is nil.
func New(n *schema.Node) *Schema {
	c := compiler{}
	return c.compileNode(n)
}

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

// Child returns the Schema of a property or entry, nil if it is not declared.
func (s *Schema) Child(name string) *Schema {
	if s == nil {
		return nil
	}
	if p, ok := s.props[name]; ok {
		return p
	}
	return s.additional
}

// Unchanged reports whether next equals old. It returns false for a nil Schema.
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

// A Pair is a part of a new object and the corresponding part of the old object. The zero Pair has
// no parts.
type Pair struct {
	schema    *Schema
	Next, Old any
}

// Pair returns next and old as a Pair. Usually next and old are whole objects. If s is nil, the
// Pair is zero.
func (s *Schema) Pair(next, old any) Pair {
	if s == nil {
		return Pair{}
	}
	return Pair{schema: s, Next: next, Old: old}
}

// Correlated reports whether p has an old value, which may be null.
func (p Pair) Correlated() bool { return p.schema != nil }

// Unchanged compares the values. It returns false for the zero Pair.
func (p Pair) Unchanged() bool { return p.schema.Unchanged(p.Next, p.Old) }

// Key returns the Pair of the entries with a name. It is zero unless the entry is
// declared, and both values of p are objects with the entry.
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

// Elements returns the Elements for one walk over the new list. If the list is not of type map, no
// elements correspond.
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

// Elements finds the old elements of a list of type map, for one walk. The zero Elements finds
// none.
type Elements struct {
	schema    *Schema
	next, old []any

	// byKey has the first element of old[:seen] for each key. It is used only for long lists.
	byKey map[any]map[string]any
	seen  int
}

// scanned is the length up to which an old list is searched without an allocation.
const scanned = 16

// At returns the new element i and the corresponding old element. If no old element corresponds, it
// returns the zero Pair.
func (e *Elements) At(i int) Pair {
	if e.schema == nil || len(e.schema.keys) == 0 || i >= len(e.next) {
		return Pair{}
	}
	item, ok := e.next[i].(map[string]any)
	if !ok {
		return Pair{}
	}
	old := e.find(item)
	if old == nil {
		return Pair{}
	}
	return Pair{schema: e.schema.items, Next: item, Old: old}
}

func (e *Elements) find(item map[string]any) map[string]any {
	if len(e.old) > scanned {
		return e.lookup(item)
	}
	keys := e.schema.keys
	if !keyed(keys, item) {
		return nil
	}
	for _, o := range e.old {
		if o, ok := o.(map[string]any); ok && o != nil && sameKeys(keys, item, o) {
			return o
		}
	}
	return nil
}

// lookup reads old elements until it finds the keys of item. It reads few elements if both lists
// have the same order.
func (e *Elements) lookup(item map[string]any) map[string]any {
	key, ok := compositeKey(e.schema.keys, item)
	if !ok {
		return nil
	}
	if o, ok := e.byKey[key]; ok {
		return o
	}
	if e.byKey == nil {
		e.byKey = make(map[any]map[string]any, len(e.old))
	}
	for e.seen < len(e.old) {
		o, ok := e.old[e.seen].(map[string]any)
		e.seen++
		if !ok {
			continue
		}
		k, ok := compositeKey(e.schema.keys, o)
		if !ok {
			continue
		}
		if _, ok := e.byKey[k]; !ok {
			e.byKey[k] = o
		}
		if k == key {
			return o
		}
	}
	return nil
}

// keyed reports whether item has all keys, with scalar values.
func keyed(keys []string, item map[string]any) bool {
	for _, k := range keys {
		switch item[k].(type) {
		case bool, float64, int64, string:
		default:
			return false
		}
	}
	return true
}

// sameKeys reports whether item and old have equal keys. item must have all keys.
func sameKeys(keys []string, item, old map[string]any) bool {
	if len(keys) == 1 {
		return item[keys[0]] == old[keys[0]]
	}
	for _, k := range keys {
		if !sameKeyPart(item[k], old[k]) {
			return false
		}
	}
	return true
}

// sameKeyPart compares one of several keys. Floats are compared by their first six decimals.
func sameKeyPart(a, b any) bool {
	x, isFloat := a.(float64)
	y, bothFloats := b.(float64)
	if !isFloat || !bothFloats {
		return a == b
	}
	var bufX, bufY [32]byte
	return string(appendFixed(bufX[:0], x)) == string(appendFixed(bufY[:0], y))
}

func appendFixed(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', 6, 64) }

// compositeKey returns a comparable value for the keys of item, and whether item has all keys.
func compositeKey(keys []string, item map[string]any) (any, bool) {
	if !keyed(keys, item) {
		return nil, false
	}
	if len(keys) == 1 {
		return item[keys[0]], true
	}
	var b []byte
	for _, k := range keys {
		b = append(b, 0)
		switch v := item[k].(type) {
		case bool:
			b = strconv.AppendBool(b, v)
		case float64:
			b = appendFixed(b, v)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case string:
			b = strconv.AppendQuote(b, v)
		}
	}
	return string(b), true
}
