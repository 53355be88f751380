package leafcheck

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Enum is a list of allowed values.
//
// The server converts a value to the Go type of an allowed value before it
// compares them, if Go has such a conversion. So 1 allows 1.9, as the
// conversion drops the fraction, and "A" allows 65, the code of that character.
// Null is never allowed, even if it is listed.
type Enum struct {
	Values []any // as declared

	texts   []string
	textSet map[string]struct{} // of texts, nil if there are at most few
	ints    []int64
	floats  []float64
	bools   [2]bool // whether false and true are allowed
	others  []any

	texted atomic.Pointer[enumTexts]
}

// few is the largest number of texts that are compared one by one.
const few = 8

func newEnum(values []any) *Enum {
	e := &Enum{Values: values}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case string:
			e.texts = append(e.texts, v)
		case int64:
			e.ints = append(e.ints, v)
		case float64:
			e.floats = append(e.floats, v)
		case bool:
			if v {
				e.bools[1] = true
			} else {
				e.bools[0] = true
			}
		default:
			e.others = append(e.others, v)
		}
	}
	if len(e.texts) > few {
		e.textSet = make(map[string]struct{}, len(e.texts))
		for _, t := range e.texts {
			e.textSet[t] = struct{}{}
		}
	}
	return e
}

// enumTexts are the texts for errors.
type enumTexts struct{ list, detail string }

// Text returns the allowed values as messages list them, in the format of
// package fmt for slices.
func (e *Enum) Text() string {
	return e.written().list
}

// Detail returns the detail of the error for a refused value. It quotes strings
// as they are and other values as JSON.
func (e *Enum) Detail() string {
	return e.written().detail
}

// written returns the texts. The first refused value writes them; goroutines that
// are first together write the same.
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
	e.texted.Store(t)
	return t
}

// ValidString reports whether s is allowed.
func (e *Enum) ValidString(s string) bool {
	if e.textSet != nil {
		_, ok := e.textSet[s]
		return ok
	}
	for _, t := range e.texts {
		if s == t {
			return true
		}
	}
	return false
}

// ValidInt reports whether v is allowed.
func (e *Enum) ValidInt(v int64) bool {
	for _, i := range e.ints {
		if v == i {
			return true
		}
	}
	for _, f := range e.floats {
		if float64(v) == f {
			return true
		}
	}
	if len(e.texts) == 0 {
		return false
	}
	r := rune(utf8.RuneError)
	if int64(rune(v)) == v {
		r = rune(v)
	}
	for _, t := range e.texts {
		if isRune(t, r) {
			return true
		}
	}
	return false
}

// isRune reports whether t is the text of r. It does not allocate.
func isRune(t string, r rune) bool {
	var buf [utf8.UTFMax]byte
	return t == string(utf8.AppendRune(buf[:0], r))
}

// ValidFloat reports whether v is allowed.
func (e *Enum) ValidFloat(v float64) bool {
	for _, i := range e.ints {
		if int64(v) == i {
			return true
		}
	}
	for _, f := range e.floats {
		if v == f {
			return true
		}
	}
	return false
}

// ValidBool reports whether v is allowed.
func (e *Enum) ValidBool(v bool) bool {
	if v {
		return e.bools[1]
	}
	return e.bools[0]
}

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
	for _, o := range e.others {
		if jsonval.Equal(v, o) {
			return true
		}
	}
	return false
}
