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
	function
	impl   *functions.Overload // nil if only values provide it
	args   []argument
	inTurn bool // it is a function of any number of arguments
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

// call calls the function. The frame holds the arguments meanwhile.
func (c *boxedCall) call(f *Frame) ref.Val {
	base := len(f.args)
	v := c.called(f, base)
	f.args = f.args[:base]
	return v
}

// called is call for the arguments of the frame from base on.
func (c *boxedCall) called(f *Frame, base int) ref.Val {
	var what *EvalError
	for i := range c.args {
		v, failed, ok := c.args[i].eval(f)
		if !ok {
			return types.NullValue
		}
		if f.args = append(f.args, v); what == nil {
			what = failed
		}
		if later := c.args[i+1:]; what != nil && len(later) > 0 && c.inTurn {
			for _, a := range later {
				f.cost -= a.cost
			}
			f.fail(what)
			return types.NullValue
		}
	}
	args := f.args[base:]
	switch {
	case what != nil:
		return c.failed(f, what, args)
	case !f.admit(&c.function, args):
		return types.NullValue
	case cellib.PrintsElement(c.name):
		args = cellib.Printing(c.name, args)
	}
	return c.result(f, c.value(f, args), args)
}

// value returns the result of the function, or of the method that a value has.
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
		f.decline() // the error has the number of the expression in it
		return types.NullValue
	}
	if receiver, ok := args[0].(traits.Receiver); ok && args[0].Type().HasTrait(traits.ReceiverType) {
		return receiver.Receive(c.name, c.overload, args[1:])
	}
	return types.NewErr("no such overload: %s", c.name)
}

// failed pays for a call with a failed argument, and fails.
func (c *boxedCall) failed(f *Frame, what *EvalError, args []ref.Val) ref.Val {
	if !countable(c.overload, args) {
		f.decline()
		return types.NullValue
	}
	f.pay(c.cost(failedValue, args...))
	f.fail(what)
	return types.NullValue
}

// result returns the result of a call, and pays for it if the cost depends on it.
// A result that is an error fails the call.
func (c *boxedCall) result(f *Frame, v ref.Val, args []ref.Val) ref.Val {
	switch {
	case c.name == "join", byResult(c.overload):
		f.pay(c.cost(v, args...))
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
func (f *Frame) admit(c *function, args []ref.Val) bool {
	if !countable(c.overload, args) {
		f.decline()
		return false
	}
	if units := c.knownCost(args); c.name != "join" {
		f.pay(units)
	} else if f.cost+units > f.Limit { // it is paid for later
		f.decline()
	}
	return !f.failed && f.visit(c.deep, args) && (!c.guarded || f.take(cellib.CallMemory(c.name, args)))
}
