package correlate

// A Pair is a part of a new object and the part of the old object that it
// corresponds to. The zero Pair stands for a part to which nothing corresponds.
type Pair struct {
	schema    *Schema
	Next, Old any
}

// Pair takes next and old as corresponding, as the roots of two objects do. It
// is the zero Pair if s is nil.
func (s *Schema) Pair(next, old any) Pair {
	if s == nil {
		return Pair{}
	}
	return Pair{schema: s, Next: next, Old: old}
}

// Correlated reports whether p has an old value at all, be it null.
func (p Pair) Correlated() bool { return p.schema != nil }

// Unchanged reports whether the new value is what the old one was. It is false
// for the zero Pair. It compares the values each time it is called.
func (p Pair) Unchanged() bool { return p.schema.Unchanged(p.Next, p.Old) }

// Key returns the entries of this name of both objects. It is the zero Pair if
// one of the two is no object or has no such entry, and if the name is not
// declared.
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

// Elements prepares to find the old elements of a list. It is of use for one
// walk over the list; all its elements are uncorrelated if p is zero, or not a
// pair of lists, or the lists are not of type map.
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
