package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// call compiles a call of an operator or function. If the arguments must be boxed, cel-go runs it.
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

// operator compiles an operator that has closures for operands of all types.
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

// native compiles a call whose arguments need not be boxed. For other calls, the result is of
// kindNone.
func (x *compiler) native(name, overload string, args []operand) operand {
	switch len(args) {
	case 1:
		return x.unary(name, overload, args[0])
	case 2:
		a, b := args[0], args[1]
		switch {
		case overload == "": // several overloads are possible
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
		return x.toString(overload, a)
	case a.kind() == kindString:
		return x.unaryString(name, overload, a)
	}
	return operand{}
}

func (x *compiler) not(a operand) operand {
	b := closureOf[bool](a)
	return operand{cost: a.cost + 1, value: as(kindBool, func(f *Frame) bool {
		v := b(f)
		return !v
	})}
}

func costs(a, b operand, u uint64) uint64 { return a.cost + b.cost + u }

// A call fails if an argument fails or if its result is an error. A function of two arguments
// evaluates both, and costs the same if one fails. Any other function stops at the first argument
// that fails. The call then costs something only if this argument is the last.

type boxedCall struct {
	function
	impl   *functions.Overload // nil if only methods of values implement it
	args   []argument
	inTurn bool // the function takes any number of arguments
}

// An argument is an argument of a call, or an element of a literal.
type argument struct {
	box  func(*Frame) ref.Val
	cost uint64
}

// failedValue stands for a failed argument when the cost of a call is computed.
var failedValue = types.NewErr("failed")

// eval evaluates an argument. err is its error. ok is false after [Frame.decline].
func (a *argument) eval(f *Frame) (v ref.Val, err *EvalError, ok bool) {
	v = a.box(f)
	if !f.failed {
		return v, nil, true
	}
	err = f.takeError()
	return failedValue, err, err != nil
}

func (c *boxedCall) call(f *Frame) ref.Val {
	base := len(f.args)
	v := c.called(f, base)
	f.args = f.args[:base]
	return v
}

// called is like call, but leaves the arguments in f.args[base:].
func (c *boxedCall) called(f *Frame, base int) ref.Val {
	var err *EvalError
	for i := range c.args {
		v, failed, ok := c.args[i].eval(f)
		if !ok {
			return types.NullValue
		}
		if f.args = append(f.args, v); err == nil {
			err = failed
		}
		if later := c.args[i+1:]; err != nil && len(later) > 0 && c.inTurn {
			for _, a := range later {
				f.cost -= a.cost
			}
			f.fail(err)
			return types.NullValue
		}
	}
	args := f.args[base:]
	switch {
	case err != nil:
		return c.failed(f, err, args)
	case !f.admit(&c.function, args):
		return types.NullValue
	case cellib.PrintsElement(c.name):
		args = cellib.Printing(c.name, args)
	}
	return c.result(f, c.value(f, args), args)
}

// value returns the result of the function, or of the method of the first argument.
func (c *boxedCall) value(f *Frame, args []ref.Val) ref.Val {
	fits := c.impl != nil && (len(args) == 0 || c.impl.OperandTrait == 0 || args[0].Type().HasTrait(c.impl.OperandTrait))
	switch {
	case fits && c.inTurn:
		return c.impl.Function(args...)
	case fits && len(args) == 1:
		return c.impl.Unary(args[0])
	case fits:
		return c.impl.Binary(args[0], args[1])
	case c.inTurn:
		f.decline() // the error contains the number of the expression
		return types.NullValue
	}
	if receiver, ok := args[0].(traits.Receiver); ok && args[0].Type().HasTrait(traits.ReceiverType) {
		return receiver.Receive(c.name, c.overload, args[1:])
	}
	return types.NewErr("no such overload: %s", c.name)
}

// failed adds the cost of a call with a failed argument, and fails with err.
func (c *boxedCall) failed(f *Frame, err *EvalError, args []ref.Val) ref.Val {
	if !c.countable(args) {
		f.decline()
		return types.NullValue
	}
	f.pay(c.cost(failedValue, args...))
	f.fail(err)
	return types.NullValue
}

// result pays for a call if the cost depends on its result. It fails if the result is an error.
func (c *boxedCall) result(f *Frame, v ref.Val, args []ref.Val) ref.Val {
	switch {
	case c.name == "join", c.lists && byResult(c.overload):
		f.pay(c.cost(v, args...))
	case c.overload == "lists_range" && types.IsError(v):
		f.pay(1) // the size of an error
	}
	return f.valueOr(v)
}

// valueOr returns v, or fails if v is an error.
func (f *Frame) valueOr(v ref.Val) ref.Val {
	switch err := v.(type) {
	case *types.Err:
		f.fail(&EvalError{text: err.Error()})
		return types.NullValue
	case *types.Unknown:
		f.decline()
		return types.NullValue
	}
	return v
}

// admit reports whether the limits allow a call. It pays for the call if the cost is known.
func (f *Frame) admit(c *function, args []ref.Val) bool {
	if !c.countable(args) {
		f.decline()
		return false
	}
	if units := c.knownCost(args); c.name != "join" {
		f.pay(units)
	} else if f.cost+units > f.Limit { // paid later
		f.decline()
	}
	return !f.failed && f.visit(c.deep, args) && (!c.guarded || f.take(cellib.CallMemory(c.name, args)))
}
