package leafcheck

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/internal/value/pattern"
	"github.com/crdkit/crdkit/schema"
)

// Text has the checks of strings, except enum. Each invalid byte counts as a character.
type Text struct {
	Min, Max  schema.Count
	Expr      string           // pattern as declared, or ""
	Pattern   *pattern.Pattern // nil if there is none or BadExpr is set
	BadExpr   string           // error of compiling Expr; no string matches it
	Format    string           // as declared
	HasFormat format.Func      // nil if Format is not a format of strings
}

// Valid reports whether s passes all checks.
func (t *Text) Valid(s string) bool {
	return !t.TooLong(s) && !t.TooShort(s) && t.Matches(s) && (t.HasFormat == nil || t.HasFormat(s))
}

func (t *Text) TooLong(s string) bool {
	if !t.Max.Set || int64(len(s)) <= t.Max.N { // there are at least as many bytes as runes
		return false
	}
	return int64(utf8.RuneCountInString(s)) > t.Max.N
}

func (t *Text) TooShort(s string) bool {
	if !t.Min.Set {
		return false
	}
	if n := int64(len(s)); n < t.Min.N || (n+utf8.UTFMax-1)/utf8.UTFMax >= t.Min.N {
		return n < t.Min.N
	}
	return int64(utf8.RuneCountInString(s)) < t.Min.N
}

func (t *Text) Matches(s string) bool {
	if t.Pattern == nil {
		return t.Expr == ""
	}
	return t.Pattern.Match(s)
}

// Number has the checks of numbers, except type and enum.
//
// If only one type is declared, a number must be in the range of the type and its format. Bounds
// must be in this range, too: a maximum of 1.5 for integers refuses every number. If a bound is
// compared with an int64, it loses its fraction: a minimum of 1.5 for numbers admits 1. Beyond the
// range of int64 the result depends on the processor.
type Number struct {
	Type   string // "integer", "number" or ""
	Format string // "int32", "int64", "float", "double" or ""

	Min, Max, Multiple Limit

	never bool // a bound is outside of the range, so no number is valid
	space space
}

// A Limit is a bound, as a float64 and as an int64.
type Limit struct {
	schema.Bound
	Int  int64
	Fits bool // the bound is in the range of the declared type
}

type space uint8

const (
	anyNumber space = iota
	anyInteger
	int32s
	float32s
)

// NewNumber returns the checks of numbers that typ and l require.
func NewNumber(typ *Type, l *schema.Limits) *Number {
	n := &Number{}
	if len(typ.Names) == 1 {
		switch typ.Names[0] {
		case "integer":
			n.Type, n.space = "integer", anyInteger
		case "number":
			n.Type = "number"
		}
		if n.Type != "" && format.Supported(n.Type, typ.Format, 0) {
			switch n.Format = typ.Format; n.Format {
			case "int32":
				n.space = int32s
			case "float":
				n.space = float32s
			}
		}
	}
	n.Min, n.Max, n.Multiple = n.limit(l.Minimum), n.limit(l.Maximum), n.limit(l.MultipleOf)
	return n
}

func (n *Number) limit(b schema.Bound) Limit {
	if !b.Set {
		return Limit{}
	}
	l := Limit{Bound: b, Int: int64(b.Value), Fits: n.space.float(b.Value)}
	if !l.Fits {
		n.never = true
	}
	return l
}

func (n *Number) kinds() Mask {
	if n.Min.Set || n.Max.Set || n.Multiple.Set {
		return Int | Float
	}
	switch n.space {
	case int32s:
		return Int | Float
	case anyInteger, float32s:
		return Float
	}
	return 0
}

func (n *Number) ValidInt(v int64) bool {
	return !n.never && n.FitsInt(v) && !n.Multiple.NotMultipleInt(v) && !n.Max.TooHighInt(v) && !n.Min.TooLowInt(v)
}

func (n *Number) ValidFloat(v float64) bool {
	return !n.never && n.FitsFloat(v) && !n.Multiple.NotMultipleFloat(v) && !n.Max.TooHighFloat(v) && !n.Min.TooLowFloat(v)
}

func (n *Number) FitsInt(v int64) bool { return n.space != int32s || int64(int32(v)) == v }

func (n *Number) FitsFloat(v float64) bool { return n.space.float(v) }

func (s space) float(v float64) bool {
	switch s {
	case anyInteger:
		return v == math.Trunc(v) && math.Abs(v) < 1<<63
	case int32s:
		return v == math.Trunc(v) && math.MinInt32 <= v && v <= math.MaxInt32
	case float32s:
		if math.Abs(v) <= math.MaxFloat32 {
			return true
		}
		_, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', -1, 64), 32)
		return err == nil
	}
	return true
}

// TooHighInt reports whether v is larger than the maximum l.
func (l *Limit) TooHighInt(v int64) bool {
	return l.Set && (v > l.Int || l.Exclusive && v == l.Int)
}

// TooLowInt reports whether v is smaller than the minimum l.
func (l *Limit) TooLowInt(v int64) bool {
	return l.Set && (v < l.Int || l.Exclusive && v == l.Int)
}

func (l *Limit) TooHighFloat(v float64) bool {
	return l.Set && (v > l.Value || l.Exclusive && v == l.Value)
}

func (l *Limit) TooLowFloat(v float64) bool {
	return l.Set && (v < l.Value || l.Exclusive && v == l.Value)
}

// NotMultipleInt reports whether v is not a multiple of l. It returns true if l is not positive.
func (l *Limit) NotMultipleInt(v int64) bool {
	return l.Set && (l.Int <= 0 || v%l.Int != 0)
}

func (l *Limit) NotMultipleFloat(v float64) bool {
	return l.Set && (l.Value <= 0 || !IsWhole(l.quotient(v)))
}

// quotient divides v by l, with the server's rounding errors.
func (l *Limit) quotient(v float64) float64 {
	if l.Value < 1 {
		return 1 / l.Value * v
	}
	return v / l.Value
}

// Enum is a list of allowed values.
//
// The server converts a value to the Go type of an allowed value. So 1 allows 1.9, and "A" allows
// 65. Null is never allowed, even if it is listed.
type Enum struct {
	Values []any // as declared

	texts  map[string]bool
	ints   []int64
	floats []float64
	bools  map[bool]bool
	others []any

	texted atomic.Pointer[enumTexts]
}

func newEnum(values []any) *Enum {
	e := &Enum{Values: values, texts: map[string]bool{}, bools: map[bool]bool{}}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case string:
			e.texts[v] = true
		case int64:
			e.ints = append(e.ints, v)
		case float64:
			e.floats = append(e.floats, v)
		case bool:
			e.bools[v] = true
		default:
			e.others = append(e.others, v)
		}
	}
	return e
}

type enumTexts struct{ list, detail string }

// maxList limits the bytes of a list in Enum.Text. A longer list is replaced by a hash.
const maxList = 128

// Text returns a text that identifies the values: the list as fmt prints it, or a hash of a long
// list.
func (e *Enum) Text() string { return e.written().list }

// Detail returns the detail of the error about a refused value. It has strings as they are and
// other values as JSON.
func (e *Enum) Detail() string { return e.written().detail }

// written returns the texts. They are made when the first value is refused. Several goroutines may
// make the same texts.
func (e *Enum) written() *enumTexts {
	if t := e.texted.Load(); t != nil {
		return t
	}
	names := make([]string, len(e.Values))
	for i, v := range e.Values {
		if s, ok := v.(string); ok {
			names[i] = s
		} else if text, err := json.Marshal(v); err == nil {
			names[i] = string(text)
		}
	}
	t := &enumTexts{list: fmt.Sprint(e.Values), detail: field.NotSupported(nil, nil, names).Detail}
	if len(t.list) > maxList {
		t.list = fmt.Sprintf("list %x", sha256.Sum256([]byte(t.list)))
	}
	e.texted.Store(t)
	return t
}

func (e *Enum) ValidString(s string) bool { return e.texts[s] }

func (e *Enum) ValidInt(v int64) bool {
	for _, f := range e.floats {
		if float64(v) == f {
			return true
		}
	}
	r := rune(utf8.RuneError)
	if int64(rune(v)) == v {
		r = rune(v)
	}
	var buf [utf8.UTFMax]byte
	return slices.Contains(e.ints, v) || e.texts[string(utf8.AppendRune(buf[:0], r))]
}

func (e *Enum) ValidFloat(v float64) bool {
	return slices.Contains(e.ints, int64(v)) || slices.Contains(e.floats, v)
}

func (e *Enum) ValidBool(v bool) bool { return e.bools[v] }

// Valid reports whether v is allowed. v may have any type.
func (e *Enum) Valid(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return e.ValidString(v)
	case int64:
		return e.ValidInt(v)
	case float64:
		return e.ValidFloat(v)
	case bool:
		return e.ValidBool(v)
	}
	return slices.ContainsFunc(e.others, func(o any) bool { return jsonval.Equal(v, o) })
}
