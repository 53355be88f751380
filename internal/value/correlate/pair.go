package correlate

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
