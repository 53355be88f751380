package celvalue

import (
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// Value returns raw as a CEL value. If raw does not match s, the result is an error value.
func (s *DeclaredType) Value(raw any) ref.Val {
	if raw == nil {
		if s.nullable {
			return types.NullValue
		}
		return types.NewErr("invalid data, got null for schema with nullable=false")
	}
	switch s.Kind {
	case KindIntOrString:
		return intOrString(raw)
	case KindObject:
		m, ok := raw.(map[string]any)
		if !ok {
			return types.NewErr("invalid data, expected a map for the provided schema with type=object")
		}
		return &mapValue{raw: m, declared: s}
	case KindAtomicList, KindSetList, KindMapList, KindList, KindListWithoutItems:
		return s.listValue(raw)
	case KindString, KindByte, KindDuration, KindDate, KindDateTime:
		text, ok := raw.(string)
		if !ok {
			return types.NewErr("invalid data, expected string, got %T", raw)
		}
		return s.text(text)
	case KindNumber:
		return number(raw)
	case KindInteger:
		if i, ok := integer(raw); ok {
			return i
		}
		return types.NewErr("invalid data, expected int, got %T", raw)
	case KindBoolean:
		if b, ok := raw.(bool); ok {
			return types.Bool(b)
		}
		return types.NewErr("invalid data, expected bool, got %T", raw)
	case KindPreserved:
		return &preserved{raw: raw}
	}
	return types.NewErr("invalid type, expected object, array, number, integer, boolean or string, or no type with "+
		"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got %s", s.TypeName)
}

func intOrString(raw any) ref.Val {
	if text, ok := raw.(string); ok {
		return types.String(text)
	}
	if i, ok := integer(raw); ok {
		return i
	}
	return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
}

func integer(raw any) (types.Int, bool) {
	switch v := raw.(type) {
	case int64:
		return types.Int(v), true
	case int:
		return types.Int(v), true
	case int32:
		return types.Int(v), true
	}
	return 0, false
}

func number(raw any) ref.Val {
	switch v := raw.(type) {
	case float64:
		return types.Double(v)
	case float32:
		return types.Double(v)
	}
	if i, ok := integer(raw); ok {
		return types.Double(i)
	}
	return types.NewErr("invalid data, expected float, got %T", raw)
}

func (s *DeclaredType) text(text string) ref.Val {
	switch s.Kind {
	case KindByte:
		var b strfmt.Base64
		if err := b.UnmarshalText([]byte(text)); err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	case KindDuration:
		d, err := strfmt.ParseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case KindDate:
		d, err := time.Parse(strfmt.RFC3339FullDate, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: d}
	case KindDateTime:
		d, err := strfmt.ParseDateTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: time.Time(d)}
	}
	return types.String(text)
}

// A preserved is a value without a schema. Rules can only compare it.
type preserved struct{ raw any }

func (p *preserved) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t)
}

func (p *preserved) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t.TypeName())
}

func (p *preserved) Equal(other ref.Val) ref.Val { return types.Bool(equalRaw(p.raw, other.Value())) }

func (*preserved) Printed() string { return partText }

func (p *preserved) Type() ref.Type { return types.UnknownType }

func (p *preserved) Value() any { return p.raw }

// equalRaw compares values without a schema, as the server does.
func equalRaw(a, b any) bool { return equality.Semantic.DeepEqual(a, b) }

// Comparable reports whether [DeclaredType.Same] can compare values.
func (s *DeclaredType) Comparable() bool {
	switch s.Kind {
	case KindString, KindBoolean, KindInteger, KindNumber, KindIntOrString, KindDuration, KindDate, KindDateTime, KindPreserved:
		return true
	case KindAtomicList:
		return s.Items.Comparable()
	case KindObject:
		for _, p := range s.Props {
			if !p.Comparable() {
				return false
			}
		}
		return s.Values == nil || s.Values.Comparable()
	}
	return false
}

// SizeOf returns the size of a raw value for a comparison. It is 1 for numbers, booleans and null.
func SizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 1
}

// Same compares two raw values. ok is false if one of them does not match s.
func (s *DeclaredType) Same(a, b any) (eq, ok bool) {
	switch s.Kind {
	case KindDuration:
		v, ok := ParseDuration(a)
		w, isToo := ParseDuration(b)
		return v == w, ok && isToo
	case KindDate, KindDateTime:
		v, ok := s.Time(a)
		w, isToo := s.Time(b)
		return v.Equal(w), ok && isToo
	}
	if !s.Fits(a) || !s.Fits(b) {
		return false, false
	}
	switch s.Kind {
	case KindPreserved:
		return equalRaw(a, b), true
	case KindNumber:
		return double(a) == double(b), true
	case KindAtomicList:
		return s.sameLists(a.([]any), b.([]any))
	case KindObject:
		return s.sameObjects(a.(map[string]any), b.(map[string]any))
	}
	return a == b, true
}

func double(v any) float64 {
	if i, ok := v.(int64); ok {
		return float64(i)
	}
	f, _ := v.(float64)
	return f
}

func (s *DeclaredType) sameLists(a, b []any) (eq, ok bool) {
	if len(a) != len(b) {
		return false, true
	}
	for i := range a {
		if eq, ok := s.Items.Same(a[i], b[i]); !eq || !ok {
			return false, ok
		}
	}
	return true, true
}

// sameObjects compares objects like [mapValue.Equal]. If several entries are not equal, the first
// by name determines the result.
func (s *DeclaredType) sameObjects(a, b map[string]any) (eq, ok bool) {
	if len(a) != len(b) {
		return false, true
	}
	first := ""
	eq, ok = true, true
	for name := range a {
		if !eq && name > first {
			continue
		}
		if same, fits := s.sameEntries(name, a, b); !same {
			first, eq, ok = name, false, fits
		}
	}
	return eq, ok
}

// sameEntries compares the entries of a and b with one name. eq is false if an entry does not
// match the declared type.
func (s *DeclaredType) sameEntries(name string, a, b map[string]any) (eq, ok bool) {
	if s.Props != nil && s.Props[name] == nil || s.Props == nil && s.Values == nil {
		w, found := b[name]
		return !found || equalRaw(a[name], w), true
	}
	name, child := s.Entry(name)
	if child == nil {
		return true, true
	}
	v, found := a[name]
	w, foundToo := b[name]
	if s.Props != nil {
		found, foundToo = v != nil, w != nil
	}
	if found != foundToo || !found {
		return found == foundToo, true
	}
	eq, ok = child.Same(v, w)
	return eq && ok, ok
}
