package celtrace

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// more marks a cut text.
const more = "…"

// valueText writes a value as a literal with at most limit runes, with … at the end if it
// is longer.
func valueText(v ref.Val, limit int) string {
	w := &valueWriter{room: limit}
	w.write(v)
	if w.room >= 0 {
		return w.text.String()
	}
	return cut(w.text.String(), limit)
}

// Cut returns text with at most limit runes, of which the last is … if text is longer.
func Cut(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return cut(text, limit)
}

// cut returns the first limit-1 runes of a text that is longer, and the mark.
func cut(text string, limit int) string {
	end := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end] + more
}

// A valueWriter writes until it has no room. Then it skips the rest.
type valueWriter struct {
	text strings.Builder
	room int // runes, negative once something was skipped
}

func (w *valueWriter) add(s string) {
	if w.room >= 0 {
		w.text.WriteString(s)
		w.room -= utf8.RuneCountInString(s)
	}
}

// quote adds a quoted string. It reads no more of the string than fits.
func (w *valueWriter) quote(s string) {
	if w.room < 0 {
		return
	}
	if len(s) > w.room*utf8.UTFMax {
		w.add(strconv.Quote(s[:w.room*utf8.UTFMax]))
		w.room = -1
		return
	}
	w.add(strconv.Quote(s))
}

func (w *valueWriter) write(v ref.Val) {
	switch v := v.(type) {
	case nil:
		w.add("unknown")
	case types.String:
		w.quote(string(v))
	case types.Bytes:
		w.add("b")
		w.quote(string(v))
	case types.Bool:
		w.add(strconv.FormatBool(bool(v)))
	case types.Int:
		w.add(strconv.FormatInt(int64(v), 10))
	case types.Uint:
		w.add(strconv.FormatUint(uint64(v), 10) + "u")
	case types.Double:
		w.add(strconv.FormatFloat(float64(v), 'g', -1, 64))
	case types.Null:
		w.add("null")
	case types.Duration:
		w.add(v.Duration.String())
	case types.Timestamp:
		w.add(v.Time.Format(time.RFC3339Nano))
	case *types.Optional:
		w.optional(v)
	case traits.Mapper:
		w.entries(v)
	case traits.Lister:
		w.list(v)
	case *types.Err:
		w.add(v.Error())
	default:
		w.other(v)
	}
}

func (w *valueWriter) optional(v *types.Optional) {
	if !v.HasValue() {
		w.add("optional.none()")
		return
	}
	w.add("optional.of(")
	w.write(v.GetValue())
	w.add(")")
}

func (w *valueWriter) list(v traits.Lister) {
	w.add("[")
	for i, it := 0, v.Iterator(); w.room >= 0 && it.HasNext() == types.True; i++ {
		if i > 0 {
			w.add(", ")
		}
		w.write(it.Next())
	}
	w.add("]")
}

func (w *valueWriter) entries(v traits.Mapper) {
	w.add("{")
	for i, key := range sortedKeys(v) {
		if w.room < 0 {
			break
		}
		if i > 0 {
			w.add(", ")
		}
		w.write(key)
		w.add(": ")
		value, _ := v.Find(key)
		w.write(value)
	}
	w.add("}")
}

// other writes a value of a library, such as an IP address or a quantity.
func (w *valueWriter) other(v ref.Val) {
	if s, ok := v.Value().(fmt.Stringer); ok {
		w.quote(s.String())
		return
	}
	if text, ok := v.ConvertToType(types.StringType).(types.String); ok {
		w.quote(string(text))
		return
	}
	w.add(v.Type().TypeName())
}

// sortedKeys returns the keys of a map in increasing order.
func sortedKeys(m traits.Mapper) (keys []ref.Val) {
	for it := cellib.OrderedMap(m).Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	return keys
}
