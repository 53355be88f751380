package cel

import (
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
)

// Comparing raw values. What the shape does not fit is not compared: cel-go has
// to say what comes of it.

// comparable reports whether values can be compared without boxing them.
func (s *shape) comparable() bool {
	switch s.kind {
	case shapeString, shapeBoolean, shapeInteger, shapeNumber, shapeIntOrString, shapeDuration, shapeDate, shapeDateTime, shapePreserved:
		return true
	case shapeAtomicList:
		return s.items.comparable()
	case shapeObject:
		for _, p := range s.props {
			if !p.comparable() {
				return false
			}
		}
		return s.values == nil || s.values.comparable()
	}
	return false
}

func equalRaw(a, b code) code {
	s, l, r := a.shape, a.raw, b.raw
	return code{cost: costs(a, b, 0), bool: func(f *frame) bool {
		v := l(f)
		w := r(f)
		eq, ok := s.same(v, w)
		f.cost += tenth(min(sizeOf(v), sizeOf(w)))
		if !ok {
			f.void()
		}
		return eq
	}}
}

// sizeOf returns the size of a raw value, which is 1 for what has none.
func sizeOf(v any) int {
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

// same compares two raw values. It is not ok if one of them is not of the shape.
func (s *shape) same(a, b any) (eq, ok bool) {
	switch s.kind {
	case shapeDuration:
		v, ok := parseDuration(a)
		w, isToo := parseDuration(b)
		return v == w, ok && isToo
	case shapeDate, shapeDateTime:
		v, ok := s.parseTime(a)
		w, isToo := s.parseTime(b)
		return v.Equal(w), ok && isToo
	}
	if !s.fits(a) || !s.fits(b) {
		return false, false
	}
	switch s.kind {
	case shapePreserved:
		return sameRaw(a, b), true
	case shapeNumber:
		return double(a) == double(b), true
	case shapeAtomicList:
		return s.sameLists(a.([]any), b.([]any))
	case shapeObject:
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

func (s *shape) sameLists(a, b []any) (eq, ok bool) {
	if len(a) != len(b) {
		return false, true
	}
	for i := range a {
		if eq, ok := s.items.same(a[i], b[i]); !eq || !ok {
			return false, ok
		}
	}
	return true, true
}

// sameObjects compares as [mapValue.Equal] does.
func (s *shape) sameObjects(a, b map[string]any) (eq, ok bool) {
	if len(a) != len(b) {
		return false, true
	}
	for name, v := range a {
		if s.props != nil && s.props[name] == nil || s.props == nil && s.values == nil {
			if w, ok := b[name]; ok && !sameRaw(v, w) {
				return false, true
			}
			continue
		}
		name, child := s.entry(name)
		if child == nil {
			continue
		}
		v, found := a[name]
		w, foundToo := b[name]
		if s.props != nil {
			found, foundToo = v != nil, w != nil
		}
		if found != foundToo {
			return false, true
		}
		if !found {
			continue
		}
		if eq, ok := child.same(v, w); !eq || !ok {
			return false, ok
		}
	}
	return true, true
}

func (c code) isIntOrString() bool { return c.kind == kindRaw && c.shape.kind == shapeIntOrString }

// equalIntOrString compares with a string or an integer that is known.
func (x *executor) equalIntOrString(a, b code) code {
	raw, what, operandID, own := a.raw, a.fault, a.id, x.identity()
	text, isText := b.constant.(types.String)
	number, _ := b.constant.(types.Int)
	size := 1
	if isText {
		size = utf8.RuneCountInString(string(text))
	}
	failed := tenth(min(size, 1))
	return code{cost: costs(a, b, 0), id: own, bool: func(f *frame) bool {
		r := raw(f)
		switch v := r.(type) {
		case string:
			f.cost += tenth(min(size, utf8.RuneCountInString(v)))
			return isText && v == string(text)
		case int64:
			f.cost += tenth(min(size, 1))
			return !isText && v == int64(number)
		}
		f.unfit(r, what, operandID)
		f.pass(operandID, own)
		f.cost += failed
		return false
	}}
}
