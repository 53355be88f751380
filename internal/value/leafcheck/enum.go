package leafcheck

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// Enum is a list of allowed values.
//
// The server converts a value to the Go type of an allowed one, so that 1 allows 1.9, and
// "A" allows 65. Null is never allowed, even if it is listed.
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

// enumTexts are the texts for errors.
type enumTexts struct{ list, detail string }

// maxList is the largest length in bytes of the text of a list of values.
const maxList = 128

// Text returns a text that equal lists share: as fmt prints a slice, or a hash of a long
// one.
func (e *Enum) Text() string { return e.written().list }

// Detail returns the detail of the error for a refused value, with strings as they are and
// others as JSON.
func (e *Enum) Detail() string { return e.written().detail }

// written returns the texts, which the first refused value writes. Goroutines may write the
// same.
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

// ValidString reports whether s is allowed.
func (e *Enum) ValidString(s string) bool { return e.texts[s] }

// ValidInt reports whether v is allowed.
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

// ValidFloat reports whether v is allowed.
func (e *Enum) ValidFloat(v float64) bool {
	return slices.Contains(e.ints, int64(v)) || slices.Contains(e.floats, v)
}

// ValidBool reports whether v is allowed.
func (e *Enum) ValidBool(v bool) bool { return e.bools[v] }

// Valid reports whether v is allowed. It may be of any type.
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
