package celeval

import (
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// This file calls functions with boxed arguments. A call fails if an argument
// fails or if its result is an error. cel-go evaluates both arguments of a function
// of two and charges for the call then, too. For functions of any number it stops at
// the first argument that fails, and charges for the call only if that is the last
// one.

// A boxedCall is a call of a function of cel-go.
type boxedCall struct {
	name, overload string
	impl           *functions.Overload // nil if only values provide it
	args           []argument
	inOrder        bool // the arguments are those of a function of any number
}

// An argument is an operand of a call or of a literal.
type argument struct {
	box  func(*Frame) ref.Val
	cost uint64
}

// failedValue is the argument that failed, for the cost of the call.
var failedValue = types.NewErr("failed")

// eval evaluates an argument. If it fails by the error rules, the frame goes on
// and what is the error. It is not ok if the evaluation ends.
func (a *argument) eval(f *Frame) (v ref.Val, what *EvalError, ok bool) {
	v = a.box(f)
	if !f.failed {
		return v, nil, true
	}
	what = f.takeError()
	return failedValue, what, what != nil
}

// invoke returns the closure of a call. It returns nil for functions that cel-go
// calls in another way.
func (x *compiler) invoke(c *boxedCall) func(*Frame) ref.Val {
	switch n := len(c.args); {
	case c.impl != nil && c.impl.NonStrict:
		return nil
	case n == 1 && (c.impl == nil || c.impl.Unary != nil):
		return c.unary
	case n == 2 && c.inOrder && c.impl != nil && c.impl.Binary != nil:
		return c.binaryInOrder
	case n == 2 && (c.impl == nil || c.impl.Binary != nil):
		return c.binary
	case c.impl != nil && c.impl.Function != nil:
		return c.function
	}
	return nil
}

func (c *boxedCall) unary(f *Frame) ref.Val {
	v, what, ok := c.args[0].eval(f)
	switch {
	case !ok:
		return types.NullValue
	case what != nil:
		return c.failed(f, what, v)
	}
	args := []ref.Val{v}
	if !f.admit(c.name, c.overload, args) {
		return types.NullValue
	}
	if cellib.PrintsElement(c.name) {
		args = cellib.Printing(c.name, args)
	}
	if c.impl != nil && c.fits(v) {
		return c.result(f, c.impl.Unary(args[0]), args)
	}
	return c.received(f, args)
}

func (c *boxedCall) binary(f *Frame) ref.Val {
	v, what, ok := c.args[0].eval(f)
	if !ok {
		return types.NullValue
	}
	w, right, ok := c.args[1].eval(f)
	if !ok {
		return types.NullValue
	}
	if what == nil {
		what = right
	}
	if what != nil {
		return c.failed(f, what, v, w)
	}
	args := []ref.Val{v, w}
	if !f.admit(c.name, c.overload, args) {
		return types.NullValue
	}
	if cellib.PrintsElement(c.name) {
		args = cellib.Printing(c.name, args)
	}
	if c.impl != nil && c.fits(v) {
		return c.result(f, c.impl.Binary(args[0], w), args)
	}
	return c.received(f, args)
}

// binaryInOrder is like binary for a function that cel-go calls like one of any
// number of arguments.
func (c *boxedCall) binaryInOrder(f *Frame) ref.Val {
	args, ok := c.inTurn(f)
	if !ok || !f.admit(c.name, c.overload, args) {
		return types.NullValue
	}
	return c.result(f, c.impl.Binary(args[0], args[1]), args)
}

func (c *boxedCall) function(f *Frame) ref.Val {
	args, ok := c.inTurn(f)
	if !ok || !f.admit(c.name, c.overload, args) {
		return types.NullValue
	}
	if len(args) == 0 || c.fits(args[0]) {
		return c.result(f, c.impl.Function(args...), args)
	}
	f.decline() // the error has the number of the expression in it
	return types.NullValue
}

// inTurn evaluates the arguments until one fails. Then it refunds the others.
func (c *boxedCall) inTurn(f *Frame) (values []ref.Val, ok bool) {
	values = make([]ref.Val, len(c.args))
	for i := range c.args {
		v, what, ok := c.args[i].eval(f)
		values[i] = v
		switch {
		case !ok:
			return nil, false
		case what != nil && i == len(c.args)-1:
			c.failed(f, what, values...)
			return nil, false
		case what != nil:
			for _, later := range c.args[i+1:] {
				f.cost -= later.cost
			}
			f.fail(what)
			return nil, false
		}
	}
	return values, true
}

// fits reports whether the implementation takes the value.
func (c *boxedCall) fits(v ref.Val) bool {
	return c.impl.OperandTrait == 0 || v.Type().HasTrait(c.impl.OperandTrait)
}

// failed pays for a call with a failed argument, and fails.
func (c *boxedCall) failed(f *Frame, what *EvalError, args ...ref.Val) ref.Val {
	if !countable(c.overload, args) {
		f.decline()
		return types.NullValue
	}
	f.pay(callCost(c.name, c.overload, failedValue, args...))
	f.fail(what)
	return types.NullValue
}

// received calls the method that a value has. Values without one fail.
func (c *boxedCall) received(f *Frame, args []ref.Val) ref.Val {
	if receiver, ok := args[0].(traits.Receiver); ok && args[0].Type().HasTrait(traits.ReceiverType) {
		return c.result(f, receiver.Receive(c.name, c.overload, args[1:]), args)
	}
	return c.result(f, types.NewErr("no such overload: %s", c.name), args)
}

// result returns the result of a call, and pays for it if the cost depends on it.
// A result that is an error fails the call.
func (c *boxedCall) result(f *Frame, v ref.Val, args []ref.Val) ref.Val {
	switch {
	case c.name == "join", byResult(c.overload):
		f.pay(callCost(c.name, c.overload, v, args...))
	case c.overload == "lists_range" && types.IsError(v):
		f.pay(1) // an error has a size
	}
	return f.valueOr(v)
}

// valueOr returns v. If v is an error, the evaluation fails with it.
func (f *Frame) valueOr(v ref.Val) ref.Val {
	switch what := v.(type) {
	case *types.Err:
		f.fail(&EvalError{text: what.Error()})
		return types.NullValue
	case *types.Unknown:
		f.decline()
		return types.NullValue
	}
	return v
}

// admit prepares a call. It reports whether the limits allow it, and pays for it
// unless the cost depends on the result.
func (f *Frame) admit(name, overload string, args []ref.Val) bool {
	if !countable(overload, args) {
		f.decline()
		return false
	}
	if units := KnownCost(name, overload, args); name != "join" {
		f.pay(units)
	} else if f.cost+units > f.Limit { // it is paid for later
		f.decline()
	}
	return !f.failed && f.visit(name, args) && (!cellib.Guarded(name) || f.take(cellib.CallMemory(name, args)))
}
