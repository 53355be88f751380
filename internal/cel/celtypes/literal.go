package celtypes

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// list returns the type of a list whose elements have one type.
func (t *inference) list(l ast.ListExpr) *types.Type {
	var elem *types.Type
	for i, e := range l.Elements() {
		switch typ := t.expr(e); {
		case typ == nil || i > 0 && !sameType(elem, typ):
			return nil
		default:
			elem = typ
		}
	}
	if elem == nil {
		return nil
	}
	return types.NewListType(elem)
}

// boundedMap returns the type of a map of inferred types, nil if one of them is not known or
// they are too large: {x: x} has a type that is twice as large as that of x.
func boundedMap(key, value *types.Type) *types.Type {
	if key == nil || value == nil || sizeOfType(key)+sizeOfType(value) > maxMapTypes {
		return nil
	}
	return types.NewMapType(key, value)
}

func sizeOfType(t *types.Type) int {
	size := 0
	for _, p := range t.Parameters() {
		size += sizeOfType(p)
	}
	return max(size, 1)
}
