package cel

import (
	"math"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// Reading raw values as the types that shapes give them.

type timeFunc func(*frame) time.Time

func fixedTime(t time.Time) timeFunc { return func(*frame) time.Time { return t } }

// typed adds to code of raw values the closure of their type.
func (x *executor) typed(c code) code {
	if c.shape == nil {
		return x.refuse("value without a shape")
	}
	raw, what := c.raw, c.fault
	c.kind, c.id = kindRaw, x.identityOf(c)
	own := c.id
	switch c.shape.kind {
	case shapeString:
		c.kind, c.string = kindString, func(f *frame) string {
			r := raw(f)
			v, ok := r.(string)
			if !ok {
				f.unfit(r, what, own)
			}
			return v
		}
	case shapeBoolean:
		c.kind, c.bool = kindBool, func(f *frame) bool {
			r := raw(f)
			v, ok := r.(bool)
			if !ok {
				f.unfit(r, what, own)
			}
			return v
		}
	case shapeInteger:
		c.kind, c.int = kindInt, func(f *frame) int64 {
			r := raw(f)
			v, ok := r.(int64)
			if !ok {
				f.unfit(r, what, own)
			}
			return v
		}
	case shapeNumber:
		c.kind, c.double = kindDouble, func(f *frame) float64 {
			r := raw(f)
			switch v := r.(type) {
			case float64:
				return v
			case int64:
				return float64(v)
			}
			f.unfit(r, what, own)
			return 0
		}
	case shapeDuration:
		c.kind, c.int = kindDuration, func(f *frame) int64 {
			r := raw(f)
			d, ok := parseDuration(r)
			if !ok {
				f.unfit(r, what, own)
			}
			return int64(d)
		}
	case shapeDate, shapeDateTime:
		s := c.shape
		c.kind, c.time = kindTimestamp, func(f *frame) time.Time {
			r := raw(f)
			t, ok := s.parseTime(r)
			if !ok {
				f.unfit(r, what, own)
			}
			return t
		}
	}
	return c
}

// identityOf returns the identity of code, or a new one.
func (x *executor) identityOf(c code) identity {
	if c.id == 0 {
		return x.identity()
	}
	return c.id
}

func parseDuration(v any) (time.Duration, bool) {
	text, ok := v.(string)
	if !ok {
		return 0, false
	}
	d, err := strfmt.ParseDuration(text)
	return d, err == nil
}

func (s *shape) parseTime(v any) (time.Time, bool) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, false
	}
	if s.kind == shapeDate {
		t, err := time.Parse(strfmt.RFC3339FullDate, text)
		return t, err == nil
	}
	// The usual layout first: those that do not fit allocate.
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	t, err := strfmt.ParseDateTime(text)
	return time.Time(t), err == nil
}

// A listFunc fails and returns nil if there is no list.
type listFunc func(*frame) []any

// elements returns the closure of a raw list.
func (c code) elements() listFunc {
	if c.list != nil {
		return c.list
	}
	raw, what, own := c.raw, c.fault, c.id
	return func(f *frame) []any {
		r := raw(f)
		l, ok := r.([]any)
		if !ok {
			f.unfit(r, what, own)
		}
		return l
	}
}

// bool returns the closure of a condition.
func (x *executor) bool(c code) func(*frame) bool {
	if c.kind == kindBox {
		return x.unbox(c.typ, code{kind: kindBox, box: c.box}).bool
	}
	if c.kind != kindBool {
		x.refuse("condition of " + kindName(c))
	}
	return c.bool
}

// boxed returns code as a closure that makes a value of CEL. The value is never
// an error; it is void if the frame failed.
func (x *executor) boxed(c code) func(*frame) ref.Val {
	x.boxes = true
	if v := c.constant; v != nil {
		return func(*frame) ref.Val { return v }
	}
	if c.box != nil {
		return c.box
	}
	switch c.kind {
	case kindBool:
		return func(f *frame) ref.Val { return types.Bool(c.bool(f)) }
	case kindInt:
		return func(f *frame) ref.Val { return types.Int(c.int(f)) }
	case kindDouble:
		return func(f *frame) ref.Val { return types.Double(c.double(f)) }
	case kindString:
		return func(f *frame) ref.Val { return types.String(c.string(f)) }
	case kindDuration:
		return func(f *frame) ref.Val { return types.Duration{Duration: time.Duration(c.int(f))} }
	case kindTimestamp:
		return func(f *frame) ref.Val { return types.Timestamp{Time: c.time(f)} }
	case kindRaw:
		raw, s := c.raw, c.shape
		return func(f *frame) ref.Val {
			r := raw(f)
			if f.bail || r == nil {
				f.unfit(r, c.fault, c.id)
				return types.NullValue
			}
			return f.show(r, s)
		}
	case kindOptional:
		optional, s := c.optional, c.shape
		return func(f *frame) ref.Val {
			v, ok := optional(f)
			if !ok {
				return types.OptionalNone
			}
			return types.OptionalOf(f.show(v, s))
		}
	}
	if c.kind == kindMaybe {
		return x.boxedMaybe(c.maybe)
	}
	if c.isOpaque() {
		return x.boxedOpaque(c)
	}
	x.refuse("value of " + kindName(c))
	return nil
}

// show boxes a raw value.
func (f *frame) show(raw any, s *shape) ref.Val {
	if raw == nil {
		f.void()
		return types.NullValue
	}
	v := s.value(raw)
	if types.IsUnknownOrError(v) {
		f.void()
		return types.NullValue
	}
	return v
}

// kindName is for the reasons of [executor.refuse].
func kindName(c code) string {
	switch c.kind {
	case kindBool, kindInt, kindDouble, kindString:
		return "a scalar"
	case kindDuration, kindTimestamp:
		return "a time"
	case kindRaw:
		switch {
		case c.shape.kind == shapeIntOrString:
			return "an int-or-string"
		case c.shape.isList():
			return "a list"
		}
		return "an object"
	case kindOptional, kindMaybe:
		return "an optional"
	}
	return "a made value"
}

// tenth is what CEL charges for reading n characters or elements.
func tenth(n int) uint64 { return uint64(math.Ceil(float64(n) * 0.1)) }
