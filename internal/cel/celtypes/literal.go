package celtypes

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// list returns the type of a list.
func (t *inference) list(l ast.ListExpr) *types.Type {
	var elem *types.Type
	for _, e := range l.Elements() {
		if elem = joined(elem, t.expr(e)); elem == nil {
			return nil
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

// joined returns the type of the elements of a list if those before had the type before,
// which is nil for the first one.
func joined(before, typ *types.Type) *types.Type {
	switch {
	case typ == nil, before == nil:
		return typ
	case sameType(before, typ):
		return before
	case before == types.DynType, typ == types.DynType:
		return types.DynType
	case isNullable(before) && typ == types.NullType, isNullable(typ) && before == types.NullType:
		return nil
	case len(before.Parameters()) == 0 && len(typ.Parameters()) == 0:
		return types.DynType
	}
	return nil
}
