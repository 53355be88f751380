package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// call compiles operators and functions: to closures of their own if the operands
// have suitable types, and through the bridge otherwise.
func (x *compiler) call(e ast.Expr) operand {
	call := e.AsCall()
	switch name := call.FunctionName(); name {
	case operators.LogicalAnd, operators.LogicalOr:
		return x.logic(x.terms(nil, e), name == operators.LogicalOr)
	case operators.Conditional, operators.Index, operators.OptSelect, operators.OptIndex,
		operators.Equals, operators.NotEquals, operators.In:
		return x.operator(e, name, call.Args())
	}
	args := make([]operand, 0, 1+len(call.Args())) // operands are large
	if call.IsMemberFunction() {
		args = append(args, x.expr(call.Target()))
	}
	for _, a := range call.Args() {
		args = append(args, x.expr(a))
	}
	if x.why != "" {
		return operand{}
	}
	name := call.FunctionName()
	if c := x.optionals(name, args); c.kind() == kindBox {
		return x.unbox(x.tree.GetType(e.ID()), c)
	} else if c.kind() != kindNone || x.why != "" {
		return c
	}
	if x.foldable(name, args) {
		return x.folded(e, name, args)
	}
	overload := x.overload(e)
	if c := x.quantityCall(overload, args); c.kind() != kindNone {
		return c
	}
	if c := x.native(name, overload, args); c.kind() == kindBox {
		return x.unbox(x.tree.GetType(e.ID()), c)
	} else if c.kind() != kindNone || x.why != "" {
		return c
	}
	return x.bridge(e, name, args)
}

// operator compiles an operator that has closures for all types.
func (x *compiler) operator(e ast.Expr, name string, args []ast.Expr) operand {
	a, b := x.expr(args[0]), x.expr(args[1])
	var c operand
	if name == operators.Conditional {
		c = x.expr(args[2])
	}
	if x.why != "" {
		return operand{}
	}
	switch name {
	case operators.Conditional:
		return x.ternary(a, b, c)
	case operators.Index:
		return x.index(a, b, x.tree.GetType(e.ID()))
	case operators.OptSelect:
		return x.optionalSelection(a, b, x.tree.GetType(e.ID()))
	case operators.OptIndex:
		return x.optionalIndex(a, b, x.tree.GetType(e.ID()), true)
	case operators.Equals:
		return x.equal(a, b, false)
	case operators.NotEquals:
		return x.equal(a, b, true)
	default:
		return x.in(e, a, b)
	}
}

// native compiles a call whose operands need no boxes. It returns an operand
// without kind for other calls.
func (x *compiler) native(name, overload string, args []operand) operand {
	switch len(args) {
	case 1:
		return x.unary(name, overload, args[0])
	case 2:
		a, b := args[0], args[1]
		switch {
		case overload == "": // the checker left several
		case overload == overloads.AddList:
			return x.addLists(a, b)
		case overload == "list_join_string" && b.kind() == kindString && a.kind() == kindRaw && a.declared.IsList() && a.declared.Items.Kind == celvalue.KindString:
			return join(a, b)
		case a.kind() == kindInt && b.kind() == kindInt:
			return binaryInt(name, overload, a, b)
		case a.kind() == kindDouble && b.kind() == kindDouble:
			return binaryDouble(name, overload, a, b)
		case a.kind() == kindString && b.kind() == kindString:
			return x.binaryString(name, overload, a, b)
		case a.kind() == b.kind() && (a.kind() == kindDuration || a.kind() == kindTimestamp):
			return binaryTime(name, a, b)
		}
	}
	return operand{}
}

func (x *compiler) unary(name, overload string, a operand) operand {
	switch {
	case overload == "list_int_sum_int" && a.kind() == kindRaw && a.declared.IsList():
		return sumOfInts(a)
	case overload == overloads.LogicalNot && a.kind() == kindBool:
		return x.not(a)
	case overload == overloads.NegateInt64 && a.kind() == kindInt:
		return x.negateInt(a)
	case overload == overloads.NegateDouble && a.kind() == kindDouble:
		d := closureOf[float64](a)
		return operand{cost: a.cost + 1, value: as(kindDouble, func(f *Frame) float64 { return -d(f) })}
	case name == operatorSize:
		return x.size(overload, a)
	case name == overloads.TypeConvertString:
		return x.toString(name, overload, a)
	case a.kind() == kindString:
		return x.unaryString(name, overload, a)
	}
	return operand{}
}

// not compiles !, which fails if its operand fails.
func (x *compiler) not(a operand) operand {
	b := closureOf[bool](a)
	return operand{cost: a.cost + 1, value: as(kindBool, func(f *Frame) bool {
		v := b(f)
		return !v
	})}
}

// costs returns the cost of both operands plus u units.
func costs(a, b operand, u uint64) uint64 { return a.cost + b.cost + u }
