package celvalue

import (
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/rawobject"
)

// Comparable reports whether [DeclaredType.Same] compares values.
func (s *DeclaredType) Comparable() bool {
	switch s.Kind {
	case KindString, KindBoolean, KindInteger, KindNumber, KindIntOrString, KindDuration, KindDate, KindDateTime, KindPreserved:
		return true
	case KindAtomicList:
		return s.Items.Comparable()
	case KindObject:
		for _, p := range s.Props {
			if !p.Comparable() {
				return false
			}
		}
		return s.Values == nil || s.Values.Comparable()
	}
	return false
}

// SizeOf returns the size of a raw value for the cost of a comparison, 1 for a
// value without a size.
func SizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	}
	if o, ok := rawobject.Of(v); ok {
		return o.Len()
	}
	return 1
}

// Same compares two raw values. It is not ok if one of them does not fit t.
func (s *DeclaredType) Same(a, b any) (eq, ok bool) {
	switch s.Kind {
	case KindDuration:
		v, ok := ParseDuration(a)
		w, isToo := ParseDuration(b)
		return v == w, ok && isToo
	case KindDate, KindDateTime:
		v, ok := s.Time(a)
		w, isToo := s.Time(b)
		return v.Equal(w), ok && isToo
	}
	if !s.Fits(a) || !s.Fits(b) {
		return false, false
	}
	switch s.Kind {
	case KindPreserved:
		return equalRaw(a, b), true
	case KindNumber:
		return double(a) == double(b), true
	case KindAtomicList:
		return s.sameLists(a.([]any), b.([]any))
	case KindObject:
		v, _ := rawobject.Of(a)
		w, _ := rawobject.Of(b)
		return s.sameObjects(v, w)
	}
	return a == b, true
}

func double(v any) float64 {
	if i, ok := v.(int64); ok {
		return float64(i)
	}
	f, _ := v.(float64)
	return f
}

func (s *DeclaredType) sameLists(a, b []any) (eq, ok bool) {
	if len(a) != len(b) {
		return false, true
	}
	for i := range a {
		if eq, ok := s.Items.Same(a[i], b[i]); !eq || !ok {
			return false, ok
		}
	}
	return true, true
}

// sameObjects compares as [mapValue.Equal] does.
func (s *DeclaredType) sameObjects(a, b rawobject.Object) (eq, ok bool) {
	if a.Len() != b.Len() {
		return false, true
	}
	c := comparison{s: s, a: a, b: b, eq: true, ok: true}
	list, object := a.Parts()
	for i := range list {
		c.entry(list[i].Name)
	}
	for name := range object {
		c.entry(name)
	}
	return c.eq, c.ok
}

// A comparison has the result for the first name whose entries are not equal.
type comparison struct {
	s      *DeclaredType
	a, b   rawobject.Object
	first  string
	eq, ok bool
}

// entry compares the entries of a name, which a has.
func (c *comparison) entry(name string) {
	if !c.eq && name > c.first {
		return
	}
	if same, fits := c.s.sameEntries(name, c.a, c.b); !same {
		c.first, c.eq, c.ok = name, false, fits
	}
}

// sameEntries compares the entries of a name, which a has. eq is false unless ok.
func (s *DeclaredType) sameEntries(name string, a, b rawobject.Object) (eq, ok bool) {
	if s.Props != nil && s.Props[name] == nil || s.Props == nil && s.Values == nil {
		v, _ := a.Get(name)
		w, found := b.Get(name)
		return !found || equalRaw(rawobject.WithMaps(v), rawobject.WithMaps(w)), true
	}
	name, child := s.Entry(name)
	if child == nil {
		return true, true
	}
	v, found := a.Get(name)
	w, foundToo := b.Get(name)
	if s.Props != nil {
		found, foundToo = v != nil, w != nil
	}
	if found != foundToo || !found {
		return found == foundToo, true
	}
	eq, ok = child.Same(v, w)
	return eq && ok, ok
}

// Less returns the order of raw values that fit, nil if they have none.
func (s *DeclaredType) Less() func(a, b any) bool {
	switch s.Kind {
	case KindString:
		return func(a, b any) bool { return a.(string) < b.(string) }
	case KindInteger:
		return func(a, b any) bool { return a.(int64) < b.(int64) }
	case KindNumber:
		return func(a, b any) bool { return double(a) < double(b) }
	case KindBoolean:
		return func(a, b any) bool { return !a.(bool) && b.(bool) }
	}
	return nil
}
