package celeval

import (
	"math"
	"sync/atomic"
)

// This file keeps the results of closed expressions, which are those without
// variables of their surroundings, such as calls on literals. Every evaluation of
// such an expression ends like the first one. So the later ones only pay, in cost
// and in memory, what the first one took.
//
// An evaluation that comes near a limit runs the expression again, because it must
// stop at the same step as the first one would have. TestKeptLimits holds it to that.

// A record says how an evaluation of a closed expression ended.
type record struct {
	cost   uint64 // what it added to the cost of the frame, modulo 2^64
	memory uint64
	err    *EvalError // nil if it did not fail
}

// A kept is a record with the result.
type kept[T any] struct {
	record
	value T
}

// maxKeptBytes is the memory up to which a result is kept.
const maxKeptBytes = 4 << 10

// keep makes a closed operand keep its result. Other operands, and those whose
// results only functions of libraries read, stay as they are.
func (x *compiler) keep(c operand) operand {
	if c.constant != nil || c.raw != nil {
		return c
	}
	switch v := c.value.(type) {
	case *closure[bool]:
		c.value = as(v.is, keeping(v.run, c.id))
	case *closure[int64]:
		c.value = as(v.is, keeping(v.run, c.id))
	case *closure[float64]:
		c.value = as(v.is, keeping(v.run, c.id))
	case *closure[string]:
		c.value = as(v.is, keeping(v.run, c.id))
	default:
		if c.box == nil {
			return c
		}
	}
	if c.box != nil {
		c.box = keeping(c.box, c.id)
	}
	x.keeps++
	return c
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

// keeping returns a closure that keeps the result of run, whose identity is id.
func keeping[T any](run func(*Frame) T, id identity) func(*Frame) T {
	var first atomic.Pointer[kept[T]]
	return func(f *Frame) T {
		k := first.Load()
		if k != nil && f.repeat(&k.record, id) {
			return k.value
		}
		begun := f.beginning()
		v := run(f)
		if k == nil {
			if e, ok := f.ended(&begun, id); ok {
				first.Store(&kept[T]{e, v})
			}
		}
		return v
	}
}

// A beginning is the state of a frame before an evaluation of a closed expression.
type beginning struct {
	cost, memory uint64
	lists        int
}

func (f *Frame) beginning() beginning {
	return beginning{f.cost, f.Memory.Taken, f.used + f.usedStringLists}
}

// ended returns how the evaluation of the closure id ended. It is not ok if the result
// must not be kept: because the evaluation was declined or stopped, because the result
// may refer to lists of the frame, or because it may be large.
func (f *Frame) ended(b *beginning, id identity) (e record, ok bool) {
	e = record{cost: f.cost - b.cost, memory: f.Memory.Taken - b.memory}
	if f.failed {
		e.err = f.evalErr
		return e, f.stopped == nil && f.failedBy(id) && e.memory <= maxKeptBytes
	}
	return e, e.memory <= maxKeptBytes && f.used+f.usedStringLists == b.lists
}

// repeat ends an evaluation of the closure id like the first one. It reports whether
// the limits allow that.
func (f *Frame) repeat(e *record, id identity) bool {
	if f.cost+e.cost > f.Limit || f.Memory.Taken+e.memory > f.Memory.Limit {
		return false
	}
	f.Memory.Taken += e.memory
	if f.pay(e.cost); e.err != nil {
		f.fail(e.err, id)
	}
	return true
}
