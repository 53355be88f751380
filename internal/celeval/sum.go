package celeval

import "github.com/crdkit/crdkit/internal/celvalue"

// Sums of lists. Those of lists in which order matters are made of raw elements.
// Others merge, which is left to their values; if the elements are objects, they
// are read as such.

// sameItems returns the shape of the elements of two lists, if they are objects
// of the same shape.
func sameItems(a, b operand) *celvalue.DeclaredType {
	s := itemsOf(a)
	if s == nil || s != itemsOf(b) || s.Kind != celvalue.KindObject {
		return nil
	}
	return s
}

func itemsOf(c operand) *celvalue.DeclaredType {
	if c.kind() == kindRaw && c.declared.IsList() {
		return c.declared.Items
	}
	return c.items
}

// addLists compiles the sum of two lists of raw values. It returns no code for
// others.
func (x *compiler) addLists(a, b operand) operand {
	if a.kind() != kindRaw || b.kind() != kindRaw || a.declared.Kind != celvalue.KindAtomicList || !b.declared.IsList() ||
		a.declared.Items != b.declared.Items || !a.declared.Items.Collectable() {
		return operand{}
	}
	left, right := a.elements(), b.elements()
	list := func(f *Frame) []any {
		l := left(f)
		r := right(f)
		if f.failed {
			f.failedAt = 0
			return nil
		}
		at := f.list()
		f.lists[at] = append(append(f.lists[at], l...), r...)
		return f.lists[at]
	}
	return operand{cost: costs(a, b, 1), declared: &celvalue.DeclaredType{Kind: celvalue.KindAtomicList, TypeName: "array", Items: a.declared.Items},
		list: list, raw: func(f *Frame) any { return list(f) }}
}
