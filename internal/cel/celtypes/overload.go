package celtypes

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// resolve returns the matching overloads of a call and the type of its result. It returns nil if
// the type cannot be inferred.
func (t *inference) resolve(e ast.Expr, args []*types.Type) (r *ast.ReferenceInfo, result *types.Type) {
	c := e.AsCall()
	switch c.FunctionName() {
	case operators.LogicalAnd:
		return logic(args, overloads.LogicalAnd)
	case operators.LogicalOr:
		return logic(args, overloads.LogicalOr)
	}
	list := t.overloads[c.FunctionName()]
	var first *signature
	for i := range list {
		s := &list[i]
		if s.member != c.IsMemberFunction() || len(s.args) != len(args) {
			continue
		}
		var b binding
		if !b.all(s.args, args) {
			if b.undecided {
				return nil, nil
			}
			continue
		}
		found := b.substitute(s.result)
		switch {
		case found == nil && !b.unbound:
			return nil, nil
		case r == nil:
			r, result, first = s.alone, found, s
			continue
		case found == nil, result == nil, !sameType(result, found):
			result = types.DynType
		}
		if r == first.alone {
			r = ast.NewFunctionReference(first.id)
		}
		r.AddOverload(s.id)
	}
	return r, result
}

func logic(args []*types.Type, overload string) (*ast.ReferenceInfo, *types.Type) {
	for _, a := range args {
		if a != types.BoolType && a.Kind() != types.DynKind {
			return nil, nil
		}
	}
	return ast.NewFunctionReference(overload), types.BoolType
}

// A binding assigns types to the type parameters of a signature.
type binding struct {
	names     [3]string
	bound     [3]*types.Type
	n         int
	undecided bool // cel-go must infer the types
	unbound   bool // a type parameter of the result has no type
}

func (b *binding) all(params, args []*types.Type) bool {
	for i, p := range params {
		if !b.fits(p, args[i]) {
			return false
		}
	}
	return true
}

func (b *binding) fits(p, arg *types.Type) bool {
	switch p.Kind() {
	case types.DynKind:
		return true
	case types.TypeParamKind:
		return b.bind(p.TypeName(), arg)
	}
	switch arg.Kind() {
	case types.DynKind:
		return true
	case types.NullTypeKind:
		return isNullable(p)
	}
	switch p.Kind() {
	case types.ListKind, types.MapKind:
		return p.Kind() == arg.Kind() && b.all(p.Parameters(), arg.Parameters())
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind, types.StringKind, types.TimestampKind, types.UintKind:
		if p.IsAssignableType(types.NullType) { // a wrapper type
			b.undecided = true
		}
		return p.Kind() == arg.Kind()
	case types.OpaqueKind:
		return p.Kind() == arg.Kind() && p.TypeName() == arg.TypeName() && b.all(p.Parameters(), arg.Parameters())
	case types.StructKind, types.TypeKind:
		return sameType(p, arg)
	}
	b.undecided = true
	return false
}

// bind gives a type parameter a type. If it already has a type, and either type is dyn, it becomes
// dyn.
func (b *binding) bind(name string, arg *types.Type) bool {
	for i := range b.n {
		if b.names[i] != name {
			continue
		}
		switch bound := b.bound[i]; {
		case bound.Kind() == types.DynKind, arg.Kind() == types.DynKind:
			b.bound[i] = types.DynType
		case bound.Kind() == types.NullTypeKind && isNullable(arg), arg.Kind() == types.NullTypeKind && isNullable(bound):
		case !sameType(bound, arg):
			b.undecided = b.undecided || bound.Kind() == arg.Kind() && (hasLoose(bound) || hasLoose(arg))
			return false
		}
		return true
	}
	if b.n == len(b.names) {
		b.undecided = true
		return false
	}
	b.names[b.n], b.bound[b.n] = name, arg
	b.n++
	return true
}

// isLoose reports whether a type other than t may match t.
func isLoose(t *types.Type) bool {
	return t.Kind() == types.DynKind || t.Kind() == types.NullTypeKind || hasLoose(t)
}

func hasLoose(t *types.Type) bool { return slices.ContainsFunc(t.Parameters(), isLoose) }

func isNullable(t *types.Type) bool {
	switch t.Kind() {
	case types.OpaqueKind, types.StructKind, types.DurationKind, types.TimestampKind, types.NullTypeKind, types.DynKind:
		return true
	}
	return t.IsAssignableType(types.NullType)
}

// substitute returns a result type with its type parameters replaced. It returns nil if the type is
// not inferable.
func (b *binding) substitute(t *types.Type) *types.Type {
	if t.Kind() == types.TypeParamKind {
		for i := range b.n {
			if b.names[i] == t.TypeName() {
				return b.bound[i]
			}
		}
		b.unbound = true
		return nil
	}
	if len(t.Parameters()) == 0 {
		return inferable(t)
	}
	params := make([]*types.Type, 0, 2)
	for _, p := range t.Parameters() {
		if p = b.substitute(p); p == nil {
			return nil
		}
		params = append(params, p)
	}
	switch t.Kind() {
	case types.ListKind:
		return types.NewListType(params[0])
	case types.MapKind:
		return types.NewMapType(params[0], params[1])
	case types.OpaqueKind:
		return types.NewOpaqueType(t.TypeName(), params...)
	}
	return nil
}

// inferable returns t if all its values have exactly this type or if it is dyn, else nil.
func inferable(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind, types.StringKind, types.TimestampKind, types.UintKind:
		if t.IsAssignableType(types.NullType) {
			return nil
		}
		return t
	case types.StructKind, types.DynKind:
		return t
	case types.ListKind, types.MapKind, types.OpaqueKind:
		for _, p := range t.Parameters() {
			if inferable(p) == nil {
				return nil
			}
		}
		return t
	}
	return nil
}

func sameType(a, b *types.Type) bool { return a == b || a.IsExactType(b) }

func isOptional(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" && len(t.Parameters()) == 1
}
