package celvalue

import "unicode/utf8"

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
	case map[string]any:
		return len(v)
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
		return s.sameObjects(a.(map[string]any), b.(map[string]any))
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

// sameObjects compares as [mapValue.Equal] does. The first name whose entries are not equal
// decides.
func (s *DeclaredType) sameObjects(a, b map[string]any) (eq, ok bool) {
	if len(a) != len(b) {
		return false, true
	}
	first := ""
	eq, ok = true, true
	for name := range a {
		if !eq && name > first {
			continue
		}
		if same, fits := s.sameEntries(name, a, b); !same {
			first, eq, ok = name, false, fits
		}
	}
	return eq, ok
}

// sameEntries compares the entries of a name, which a has. eq is false unless ok.
func (s *DeclaredType) sameEntries(name string, a, b map[string]any) (eq, ok bool) {
	if s.Props != nil && s.Props[name] == nil || s.Props == nil && s.Values == nil {
		w, found := b[name]
		return !found || equalRaw(a[name], w), true
	}
	name, child := s.Entry(name)
	if child == nil {
		return true, true
	}
	v, found := a[name]
	w, foundToo := b[name]
	if s.Props != nil {
		found, foundToo = v != nil, w != nil
	}
	if found != foundToo || !found {
		return found == foundToo, true
	}
	eq, ok = child.Same(v, w)
	return eq && ok, ok
}
