package jsonscan

import (
	"strings"

	"github.com/crdkit/crdkit/internal/interrupt"
)

// MaxDepth is the largest number of objects and lists that may be nested in one
// another. Reading does not count an empty object or list.
const MaxDepth = 512

// Space returns the index of the first byte of s[i:] that is not white space, or
// len(s) if there is none.
func Space(s string, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// Literal returns the index after word if s[i:] begins with word, and -1 otherwise.
// The word is true, false or null.
func Literal(s string, i int, word string) int {
	if !strings.HasPrefix(s[i:], word) {
		return -1
	}
	return i + len(word)
}

// Decode returns the value of the JSON text s. White space may surround the value.
// Decode reports false if it declines s; the value is then unspecified.
func Decode(s string) (any, bool) { return DecodeUntil(s, nil) }

// DecodeUntil is Decode, and declines s when the watch ends.
func DecodeUntil(s string, watch *interrupt.Watch) (any, bool) {
	v, end := readValue(s, Space(s, 0), MaxDepth, watch)
	return v, end >= 0 && Space(s, end) == len(s)
}

// Value returns the value that begins at s[i] and the index after it. The index is
// -1 if Value declines the text, as it does when the watch ends; the value is then
// unspecified.
func Value(s string, i int, watch *interrupt.Watch) (any, int) {
	return readValue(s, i, MaxDepth, watch)
}

func readValue(s string, i, depth int, watch *interrupt.Watch) (any, int) {
	if i >= len(s) || watch.Ended() {
		return nil, -1
	}
	switch s[i] {
	case '{':
		return readObject(s, i+1, depth-1, watch)
	case '[':
		return readList(s, i+1, depth-1, watch)
	case '"':
		end, text := String(s, i+1)
		if end < 0 {
			return nil, -1
		}
		if text&Escaped == 0 {
			return s[i+1 : end], end + 1
		}
		b, ok := Unescape(nil, s[i+1:end])
		if !ok {
			return nil, -1
		}
		return string(b), end + 1
	case 't':
		return true, Literal(s, i, "true")
	case 'f':
		return false, Literal(s, i, "false")
	case 'n':
		return nil, Literal(s, i, "null")
	}
	end, n := Number(s, i)
	if n.IsFloat {
		return n.Float, end
	}
	return n.Int, end
}

func readList(s string, i, depth int, watch *interrupt.Watch) (any, int) {
	out := []any{}
	i = Space(s, i)
	if i < len(s) && s[i] == ']' {
		return out, i + 1
	}
	for depth >= 0 {
		v, end := readValue(s, i, depth, watch)
		if end < 0 {
			return nil, -1
		}
		out = append(out, v)
		next, more := Next(s, end, ']')
		if !more {
			return out, next
		}
		i = next
	}
	return nil, -1
}

func readObject(s string, i, depth int, watch *interrupt.Watch) (any, int) {
	out := map[string]any{}
	i = Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for depth >= 0 {
		key, _, at := Key(s, i)
		if at < 0 {
			return nil, -1
		}
		v, end := readValue(s, at, depth, watch)
		if end < 0 {
			return nil, -1
		}
		n := len(out)
		if out[key] = v; len(out) == n {
			return nil, -1
		}
		next, more := Next(s, end, '}')
		if !more {
			return out, next
		}
		i = next
	}
	return nil, -1
}

// Key reads the key at s[i] and the colon after it. It returns the key, what the
// text of the key contains, and the index of the value. The index is -1 if there
// is no key, or if the key is written with an escape.
func Key(s string, i int) (key string, text Text, at int) {
	if i >= len(s) || s[i] != '"' {
		return "", 0, -1
	}
	end, text := String(s, i+1)
	if end < 0 || text&Escaped != 0 {
		return "", 0, -1
	}
	key = s[i+1 : end]
	if i = end + 1; i < len(s) && s[i] != ':' {
		i = Space(s, i)
	}
	if i >= len(s) || s[i] != ':' {
		return "", 0, -1
	}
	if i++; i < len(s) && s[i] <= ' ' {
		i = Space(s, i)
	}
	return key, text, i
}

// Next reads the separator after an element that ends at i. After a comma it
// returns the index of the next element and true. After the closing bracket it
// returns the index after the bracket and false. Otherwise it returns -1 and false.
func Next(s string, i int, closing byte) (next int, more bool) {
	if i < len(s) && s[i] <= ' ' {
		i = Space(s, i)
	}
	if i >= len(s) {
		return -1, false
	}
	switch s[i] {
	case ',':
		if i++; i < len(s) && s[i] <= ' ' {
			i = Space(s, i)
		}
		return i, true
	case closing:
		return i + 1, false
	}
	return -1, false
}
