package cel

import (
	"github.com/google/cel-go/common/types/ref"
)

// Sums of lists. Those of lists in which order matters are made of raw elements.
// Others merge, which is left to their values; if the elements are objects, they
// are read as such.

// sameItems returns the shape of the elements of two lists, if they are objects
// of the same shape.
func sameItems(a, b code) *shape {
	s := itemsOf(a)
	if s == nil || s != itemsOf(b) || s.kind != shapeObject {
		return nil
	}
	return s
}

func itemsOf(c code) *shape {
	if c.kind == kindRaw && c.shape.isList() {
		return c.shape.items
	}
	return c.items
}

// objectOf returns the raw form of an object, nil if v is none.
func objectOf(v ref.Val) any {
	if m, ok := v.(*mapValue); ok {
		return m.raw
	}
	return nil
}

// addLists compiles the sum of two lists of raw values. It returns no code for
// others.
func (x *executor) addLists(a, b code) code {
	if a.kind != kindRaw || b.kind != kindRaw || a.shape.kind != shapeAtomicList || !b.shape.isList() ||
		a.shape.items != b.shape.items || !a.shape.items.plain() {
		return code{}
	}
	left, right := a.elements(), b.elements()
	list := func(f *frame) []any {
		l := left(f)
		r := right(f)
		if f.bail {
			f.at = 0
			return nil
		}
		at := f.list()
		f.lists[at] = append(append(f.lists[at], l...), r...)
		return f.lists[at]
	}
	return code{kind: kindRaw, cost: costs(a, b, 1), shape: &shape{kind: shapeAtomicList, typ: "array", items: a.shape.items},
		list: list, raw: func(f *frame) any { return list(f) }}
}
