package jsonscan

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. It reports false if s is not UTF-8.
func AppendString(dst []byte, s string) ([]byte, bool) {
	return appendString(dst, s, true)
}

// AppendText is AppendString without quotes. If html is false, it only escapes what JSON requires.
func AppendText(dst []byte, s string, html bool) ([]byte, bool) {
	done := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			stops := stopBytes(Load(s, i))
			if stops == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stops) >> 3
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				return dst, false
			}
			if html && (r == '\u2028' || r == '\u2029') {
				dst = append(dst, s[done:i]...)
				dst = append(dst, `\u202`...)
				dst = append(dst, hexDigits[r&0xf])
				done = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && (!html || c != '<' && c != '>' && c != '&') {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		dst = appendEscape(dst, c)
		i++
		done = i
	}
	return append(dst, s[done:]...), true
}

func appendEscape(dst []byte, c byte) []byte {
	if i := strings.IndexByte("\b\f\n\r\t\"\\", c); i >= 0 {
		return append(dst, '\\', "bfnrt\"\\"[i])
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// Append appends v as JSON with sorted keys. It returns false for types that [Value] does not
// return, nil maps and lists, floats that are not finite, strings that are not UTF-8, and values
// nested deeper than [MaxDepth].
func Append(dst []byte, v any) ([]byte, bool) { return appendValue(dst, v, MaxDepth, true) }

// Encode appends v as package encoding/json encodes it.
func Encode(dst []byte, v any) ([]byte, error) {
	if out, ok := Append(dst, v); ok {
		return out, nil
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	return append(dst, out...), nil
}

// AppendPlain is Append for values as deep as [Decode] reads. It only escapes what JSON requires.
func AppendPlain(dst []byte, v any) ([]byte, bool) { return appendValue(dst, v, serverDepth, false) }

func appendString(dst []byte, s string, html bool) ([]byte, bool) {
	dst, ok := AppendText(append(dst, '"'), s, html)
	return append(dst, '"'), ok
}

func appendValue(dst []byte, v any, depth int, html bool) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case float64:
		if v-v != 0 { // infinite, or not a number
			return dst, false
		}
		return AppendFloat(dst, v), true
	case string:
		return appendString(dst, v, html)
	case []any:
		return appendList(dst, v, depth-1, html)
	case map[string]any:
		return appendObject(dst, v, depth-1, html)
	default:
		return dst, false
	}
}

func appendList(dst []byte, list []any, depth int, html bool) ([]byte, bool) {
	if list == nil || depth < 0 {
		return dst, false
	}
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = appendValue(dst, v, depth, html); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

func appendObject(dst []byte, m map[string]any, depth int, html bool) ([]byte, bool) {
	if m == nil || depth < 0 {
		return dst, false
	}
	var few [16]string
	keys := few[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = appendString(dst, k, html); !ok {
			return dst, false
		}
		dst = append(dst, ':')
		if dst, ok = appendValue(dst, m[k], depth, html); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}
