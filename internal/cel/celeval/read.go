package celeval

import (
	"math"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

func fixedTime(t time.Time) func(*Frame) time.Time { return func(*Frame) time.Time { return t } }

// typed adds the closure for the declared type to an operand of raw values.
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

// asserted returns the value of a part of the object that the decoder made a T.
func asserted[T any](is kind, raw func(*Frame) any) value {
	return as(is, func(f *Frame) T {
		v, ok := raw(f).(T)
		if !ok {
			f.unfit()
		}
		return v
	})
}

// converted is like asserted for a part that read converts to a T.
func converted[T any](is kind, raw func(*Frame) any, read func(any) (T, bool)) value {
	return as(is, func(f *Frame) T {
		v, ok := read(raw(f))
		if !ok {
			f.unfit()
		}
		return v
	})
}

// numberOf returns a number, which the decoder made an int64 if it has no fraction.
func numberOf(r any) (float64, bool) {
	switch v := r.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// A listFunc returns a list. It fails and returns nil if there is none.
type listFunc func(*Frame) []any

// elements returns a closure that reads a raw list.
func (o operand) elements() listFunc {
	if made := o.list; made != nil {
		return made
	}
	raw := o.raw
	return func(f *Frame) []any {
		l, ok := raw(f).([]any)
		if !ok {
			f.unfit()
		}
		return l
	}
}

// object returns a closure that reads a raw object. It fails and returns nil if there is
// none.
func (o operand) object() func(*Frame) map[string]any {
	raw := o.raw
	return func(f *Frame) map[string]any {
		m, ok := raw(f).(map[string]any)
		if !ok {
			f.unfit()
		}
		return m
	}
}

// condition returns the operand of a condition as a bool. Other types fail.
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

// bool returns the closure of a condition.
func (x *compiler) bool(c operand) func(*Frame) bool {
	if c.kind() != kindBool {
		x.refuse("condition of " + kindName(c))
	}
	return closureOf[bool](c)
}

// boxed returns a closure that makes a value of CEL, never an error. It has no meaning
// after a failure.
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

// box boxes a raw value. It declines values that do not fit their type.
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

// kindName names an operand in the reasons of [compiler.refuse].
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
