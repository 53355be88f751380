package celeval

import (
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// A kind is the kind of value to which an operand evaluates.
type kind uint8

const (
	kindNone kind = iota
	kindBool
	kindInt
	kindDouble
	kindString
	kindDuration // as an int64
	kindTimestamp
	kindRaw      // a part of the object that has no kind of its own
	kindBox      // any other value of CEL
	kindOptional // an optional of any value
	kindQuantity
)

// An operand is a compiled expression. After a failure its closures may return any value.
type operand struct {
	cost     uint64  // of every evaluation; closures add what depends on values
	attr     bool    // a variable or a selection, whose first unit some operators save
	choice   bool    // a ternary
	presence bool    // the result of has()
	summed   bool    // a quantity that is a sum, which CEL holds by pointer
	constant ref.Val // nil unless the value is known at compile time
	typ      *cel.Type

	value    value                  // nil if there is only raw or box
	raw      func(*Frame) any       // of a part of the object
	declared *celvalue.DeclaredType // of raw
	box      func(*Frame) ref.Val   // of a value that is not a part of the object

	// Of few operands.
	list  listFunc              // a raw list that is made, to avoid boxing it in raw
	chain *chain                // of a field or an element of a value that is not a part of the object
	terms []func(*Frame) string // of a sum of strings
}

// kind returns the kind of value to which the operand evaluates.
func (o operand) kind() kind {
	switch {
	case o.value != nil:
		return o.value.kind()
	case o.raw != nil:
		return kindRaw
	case o.box != nil:
		return kindBox
	}
	return kindNone
}

// A value evaluates an operand: it is a closure or an *optional.
type value interface {
	kind() kind
	after(before func(*Frame)) value // returns a value that calls before first
}

// A closure evaluates an operand to a Go value.
type closure[T any] struct {
	is  kind
	run func(*Frame) T
}

// as returns the value of a kind that run evaluates.
func as[T any](is kind, run func(*Frame) T) value { return &closure[T]{is, run} }

// closureOf returns the function that evaluates an operand, nil for another Go type.
func closureOf[T any](c operand) func(*Frame) T {
	if v, ok := c.value.(*closure[T]); ok {
		return v.run
	}
	return nil
}

func (c *closure[T]) kind() kind { return c.is }

func (c *closure[T]) after(before func(*Frame)) value { return as(c.is, after(before, c.run)) }

// A scalar is any closure.
type scalar interface {
	value
	choice(b *branches, no value) value
	effect() func(*Frame)
	boxed() func(*Frame) ref.Val
}

// choice returns the value of one of two branches of one kind. c is the first.
func (c *closure[T]) choice(b *branches, no value) value {
	return as(c.is, choice(b, c.run, no.(*closure[T]).run))
}

// effect returns a function that evaluates c for its cost and its error only.
func (c *closure[T]) effect() func(*Frame) {
	run := c.run
	return func(f *Frame) { run(f) }
}

// boxed returns a closure that makes a value of CEL.
func (c *closure[T]) boxed() func(*Frame) ref.Val { return boxed(c.is, c.run) }

// boxed returns a closure that boxes what evaluate returns. A type parameter would link a
// copy of all cases for each type.
func boxed(is kind, evaluate any) func(*Frame) ref.Val {
	switch run := evaluate.(type) {
	case func(*Frame) bool:
		return func(f *Frame) ref.Val { return types.Bool(run(f)) }
	case func(*Frame) int64:
		if is == kindDuration {
			return func(f *Frame) ref.Val { return types.Duration{Duration: time.Duration(run(f))} }
		}
		return func(f *Frame) ref.Val { return types.Int(run(f)) }
	case func(*Frame) float64:
		return func(f *Frame) ref.Val { return types.Double(run(f)) }
	case func(*Frame) string:
		return func(f *Frame) ref.Val { return types.String(run(f)) }
	case func(*Frame) time.Time:
		return func(f *Frame) ref.Val { return types.Timestamp{Time: run(f)} }
	}
	run := evaluate.(func(*Frame) resource.Quantity)
	return func(f *Frame) ref.Val { q := run(f); return apiservercel.Quantity{Quantity: &q} }
}

// unbox adds the closure that reads a boxed result as its type. Types with null stay boxed.
func (x *compiler) unbox(t *types.Type, c operand) operand {
	if c.typ == nil {
		c.typ = t
	}
	if isNullable(t) {
		return c
	}
	switch box := c.box; t.Kind() {
	case types.BoolKind:
		c.value = as(kindBool, unboxed(box, func(v ref.Val) (bool, bool) { b, ok := v.(types.Bool); return bool(b), ok }))
	case types.IntKind:
		c.value = as(kindInt, unboxed(box, func(v ref.Val) (int64, bool) { i, ok := v.(types.Int); return int64(i), ok }))
	case types.DoubleKind:
		c.value = as(kindDouble, unboxed(box, func(v ref.Val) (float64, bool) { d, ok := v.(types.Double); return float64(d), ok }))
	case types.StringKind:
		c.value = as(kindString, unboxed(box, func(v ref.Val) (string, bool) { s, ok := v.(types.String); return string(s), ok }))
	}
	return c
}

// isNullable reports whether a type is a wrapper message, which may be null.
func isNullable(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.StringKind, types.BytesKind:
		return t.IsAssignableType(types.NullType)
	}
	return false
}

// unboxed returns a closure that reads a value of CEL. It declines other types.
func unboxed[T any](box func(*Frame) ref.Val, read func(ref.Val) (T, bool)) func(*Frame) T {
	return func(f *Frame) T {
		v, ok := read(box(f))
		if !ok && !f.failed {
			f.decline()
		}
		return v
	}
}

// checked returns v, and declines the evaluation if v is an error.
func (f *Frame) checked(v ref.Val) ref.Val {
	if v == nil || types.IsUnknownOrError(v) {
		f.decline()
		return types.NullValue
	}
	return v
}
