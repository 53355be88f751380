package celeval

import "github.com/crdkit/crdkit/internal/celvalue"

// This file compiles sums of lists. A list in which order matters becomes a raw
// list. Sets and maps merge, which their values of CEL do.

// sameItems returns the declared type of the elements of two lists if these are
// objects of one type, and nil otherwise.
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

// addLists compiles the sum of two raw lists. It returns an operand without kind
// for others.
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
