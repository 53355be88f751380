package celeval

import (
	"math"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

type kind uint8

const (
	kindNone kind = iota
	kindBool
	kindInt
	kindDouble
	kindString
	kindDuration // as an int64
	kindTimestamp
	kindRaw      // a part of the object, of any type
	kindBox      // any other CEL value
	kindOptional // an optional
	kindQuantity
)

// An operand is a compiled expression. After a failure its closures may return any value.
type operand struct {
	cost     uint64  // cost of each evaluation; closures add costs that depend on values
	attr     bool    // a variable or a selection; some operators do not charge its first unit
	choice   bool    // a ternary
	presence bool    // the result of has()
	summed   bool    // a quantity that is a sum; CEL holds a pointer to it
	constant ref.Val // nil unless the value is known at compile time
	typ      *cel.Type

	value    value                  // nil if there is only raw or box
	raw      func(*Frame) any       // a part of the object
	declared *celvalue.DeclaredType // type of raw
	box      func(*Frame) ref.Val   // a value that is not a part of the object

	list  listFunc              // a raw list made by the rule, without conversion to any
	chain *chain                // a field or an element of a value that is not a part of the object
	terms []func(*Frame) string // operands of a sum of strings
}

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

// A value evaluates an operand. It is a closure or an *optional.
type value interface {
	kind() kind
	after(before func(*Frame)) value // returns a value that first calls the function before
}

type closure[T any] struct {
	is  kind
	run func(*Frame) T
}

func as[T any](is kind, run func(*Frame) T) value { return &closure[T]{is, run} }

// closureOf returns the function that evaluates an operand, nil if its result has another Go type.
func closureOf[T any](c operand) func(*Frame) T {
	if v, ok := c.value.(*closure[T]); ok {
		return v.run
	}
	return nil
}

func (c *closure[T]) kind() kind { return c.is }

func (c *closure[T]) after(before func(*Frame)) value { return as(c.is, after(before, c.run)) }

type scalar interface {
	value
	choice(b *branches, other value) value
	effect() func(*Frame)
	boxed() func(*Frame) ref.Val
}

// choice returns a value that is c or other, as b.test decides. Both are of one kind.
func (c *closure[T]) choice(b *branches, other value) value {
	return as(c.is, choice(b, c.run, other.(*closure[T]).run))
}

// effect returns a function that evaluates c only for its cost and its error.
func (c *closure[T]) effect() func(*Frame) {
	run := c.run
	return func(f *Frame) { run(f) }
}

func (c *closure[T]) boxed() func(*Frame) ref.Val { return boxed(c.is, c.run) }

// boxed returns a closure that boxes the result of evaluate. With a type parameter, a program would
// contain a copy of all cases for each type.
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

// unbox adds a closure that reads a boxed result as its Go type. A nullable result stays boxed.
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

// unboxed returns a closure that reads a CEL value as a T. If the value is not a T, it declines.
func unboxed[T any](box func(*Frame) ref.Val, read func(ref.Val) (T, bool)) func(*Frame) T {
	return func(f *Frame) T {
		v, ok := read(box(f))
		if !ok && !f.failed {
			f.decline()
		}
		return v
	}
}

// checked returns v. If v is an error, it declines the evaluation.
func (f *Frame) checked(v ref.Val) ref.Val {
	if v == nil || types.IsUnknownOrError(v) {
		f.decline()
		return types.NullValue
	}
	return v
}

func fixedTime(t time.Time) func(*Frame) time.Time { return func(*Frame) time.Time { return t } }

// typed returns c with a value that reads c.raw as the declared type.
func (x *compiler) typed(c operand) operand {
	if c.declared == nil {
		return x.refuse("value without a declared type")
	}
	raw := c.raw
	c.value = nil
	switch c.declared.Kind {
	case celvalue.KindString:
		c.value = asserted[string](kindString, raw)
	case celvalue.KindBoolean:
		c.value = asserted[bool](kindBool, raw)
	case celvalue.KindInteger:
		c.value = asserted[int64](kindInt, raw)
	case celvalue.KindNumber:
		c.value = converted(kindDouble, raw, numberOf)
	case celvalue.KindDuration:
		c.value = converted(kindDuration, raw, func(r any) (int64, bool) {
			d, ok := celvalue.ParseDuration(r)
			return int64(d), ok
		})
	case celvalue.KindDate, celvalue.KindDateTime:
		c.value = converted(kindTimestamp, raw, c.declared.Time)
	}
	return c
}

// asserted returns the value of a part of the object. The raw value must be a T.
func asserted[T any](is kind, raw func(*Frame) any) value {
	return as(is, func(f *Frame) T {
		v, ok := raw(f).(T)
		if !ok {
			f.wrongType()
		}
		return v
	})
}

// converted is like asserted, for a raw value that convert turns into a T.
func converted[T any](is kind, raw func(*Frame) any, convert func(any) (T, bool)) value {
	return as(is, func(f *Frame) T {
		v, ok := convert(raw(f))
		if !ok {
			f.wrongType()
		}
		return v
	})
}

// numberOf returns a number. In decoded objects, a number without a fraction is an int64.
func numberOf(r any) (float64, bool) {
	switch v := r.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// A listFunc returns a list. If there is none, it fails and returns nil.
type listFunc func(*Frame) []any

func (o operand) elements() listFunc {
	if made := o.list; made != nil {
		return made
	}
	raw := o.raw
	return func(f *Frame) []any {
		l, ok := raw(f).([]any)
		if !ok {
			f.wrongType()
		}
		return l
	}
}

// object returns a closure that reads a raw object. The closure fails if the value is not one.
func (o operand) object() func(*Frame) map[string]any {
	raw := o.raw
	return func(f *Frame) map[string]any {
		m, ok := raw(f).(map[string]any)
		if !ok {
			f.wrongType()
		}
		return m
	}
}

// condition returns an operand as a bool. If its value is not a bool, it fails.
func (x *compiler) condition(c operand) operand {
	if c.kind() == kindBool || x.why != "" {
		return c
	}
	box := x.boxed(c)
	c.value = as(kindBool, func(f *Frame) bool {
		is, ok := box(f).(types.Bool)
		if !ok {
			f.fail(noSuchOverload)
		}
		return bool(is)
	})
	return c
}

func (x *compiler) bool(c operand) func(*Frame) bool {
	if c.kind() != kindBool {
		x.refuse("condition of " + kindName(c))
	}
	return closureOf[bool](c)
}

// boxed returns a closure that makes a CEL value. It never makes an error: after a failure the
// value has no meaning.
func (x *compiler) boxed(c operand) func(*Frame) ref.Val {
	x.boxes = true
	if v := c.constant; v != nil {
		return func(*Frame) ref.Val { return v }
	}
	if c.box != nil {
		return c.box
	}
	switch v := c.value.(type) {
	case *optional:
		return x.boxedOptional(v)
	case *closure[resource.Quantity]:
		if of := v.run; c.summed {
			return func(f *Frame) ref.Val { q := of(f); return &apiservercel.Quantity{Quantity: &q} }
		}
		return v.boxed()
	case scalar:
		return v.boxed()
	}
	if c.raw == nil {
		x.refuse("value of " + kindName(c))
		return nil
	}
	raw, s := c.raw, c.declared
	return func(f *Frame) ref.Val {
		r := raw(f)
		if f.failed {
			return types.NullValue
		}
		return f.box(r, s)
	}
}

// box boxes a raw value. It declines a value that does not match its type.
func (f *Frame) box(raw any, s *celvalue.DeclaredType) ref.Val {
	if raw == nil {
		f.decline()
		return types.NullValue
	}
	v := s.Value(raw)
	if types.IsUnknownOrError(v) {
		f.decline()
		return types.NullValue
	}
	return v
}

func kindName(c operand) string {
	switch c.kind() {
	case kindBool, kindInt, kindDouble, kindString:
		return "a scalar"
	case kindDuration, kindTimestamp:
		return "a time"
	case kindRaw:
		switch {
		case c.declared.Kind == celvalue.KindIntOrString:
			return "an int-or-string"
		case c.declared.IsList():
			return "a list"
		}
		return "an object"
	case kindOptional:
		return "an optional"
	}
	return "a made value"
}

// tenthOf returns the cost of reading n characters or elements.
func tenthOf(n int) uint64 { return uint64(math.Ceil(float64(n) * 0.1)) }
