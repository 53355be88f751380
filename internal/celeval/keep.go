package celeval

import (
	"math"
	"sync/atomic"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// This file keeps the results of closed expressions, which are those without
// variables of their surroundings, such as calls on literals. Every evaluation of
// such an expression ends like the first one. So the later ones only pay, in cost
// and in memory, what the first one took.
//
// An evaluation that comes near a limit runs the expression again, because it must
// stop at the same step as the first one would have. TestKeptLimits holds it to that.

// A kept is the result of a closed expression and what its evaluation took.
type kept struct {
	value  ref.Val
	err    *EvalError // nil if it did not fail
	cost   uint64     // what it added to the cost of the frame, modulo 2^64
	memory uint64
}

// maxKeptBytes is the memory up to which a result is kept.
const maxKeptBytes = 4 << 10

// keep makes a closed operand keep its result in a box. Optionals, and values that
// only functions of libraries read, stay as they are.
func (x *compiler) keep(c operand) operand {
	if k := c.kind(); c.constant != nil || k == kindNone || k == kindRaw || k > kindBox {
		return c
	}
	guarded := x.boxes
	c.box = keeping(x.boxed(c), c.id)
	x.boxes = guarded // the box does not depend on the object
	x.keeps++
	if c.value == nil {
		return c
	}
	return x.unbox(c.typ, c)
}

// isClosed reports whether the expression that was just compiled is closed: it used
// none of the current variables.
func (x *compiler) isClosed() bool { return x.outermost >= len(x.vars) }

// noVariable is the index of the outermost variable of an expression without any, and
// theObject that of self and oldSelf.
const (
	noVariable = math.MaxInt
	theObject  = -1
)

// keeping returns a closure that keeps the result of box, whose identity is id.
func keeping(box func(*Frame) ref.Val, id identity) func(*Frame) ref.Val {
	var first atomic.Pointer[kept]
	return func(f *Frame) ref.Val {
		k := first.Load()
		if k != nil && f.repeat(k, id) {
			return k.value
		}
		cost, memory, lists := f.cost, f.Memory.Taken, f.used+f.usedStringLists
		v := box(f)
		memory = f.Memory.Taken - memory
		// A result is not kept if the evaluation was declined or stopped, if it may be
		// large, or if it may refer to lists of the frame.
		switch {
		case k != nil || memory > maxKeptBytes:
		case f.failed && f.failedBy(id):
			first.Store(&kept{types.NullValue, f.evalErr, f.cost - cost, memory})
		case !f.failed && f.used+f.usedStringLists == lists:
			first.Store(&kept{v, nil, f.cost - cost, memory})
		}
		return v
	}
}

// repeat ends an evaluation of the closure id like the first one. It reports whether
// the limits allow that.
func (f *Frame) repeat(k *kept, id identity) bool {
	if f.cost+k.cost > f.Limit || f.Memory.Taken+k.memory > f.Memory.Limit {
		return false
	}
	f.Memory.Taken += k.memory
	if f.pay(k.cost); k.err != nil {
		f.fail(k.err, id)
	}
	return true
}
