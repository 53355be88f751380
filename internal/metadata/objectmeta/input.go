package objectmeta

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// An input is a value to read: v, or the JSON text at s[i] if s is not empty. Functions
// that read it return the index after the text, meaningless for v, or declined.
type input struct {
	v any
	s string
	i int
}

const declined = -1

// object reads an object that is not nil, each of its members with the function.
func (in input) object(member func(key string, in input) int) int {
	s, i := in.s, in.i
	if s == "" {
		values, _ := in.v.(map[string]any)
		if values == nil {
			return declined
		}
		for key, v := range values {
			if member(key, input{v: v}) < 0 {
				return declined
			}
		}
		return 0
	}
	i, more := opened(s, i, '{', '}')
	for more {
		key, at := jsonscan.DecodedKey(s, i)
		if at < 0 || at >= len(s) {
			return declined
		}
		end := member(key, input{s: s, i: at})
		if end < 0 {
			return declined
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return i
}

// list reads a list, each of its elements with the function.
func (in input) list(element func(in input) int) int {
	s, i := in.s, in.i
	if s == "" {
		list, ok := in.v.([]any)
		for _, e := range list {
			ok = ok && element(input{v: e}) >= 0
		}
		if !ok {
			return declined
		}
		return 0
	}
	i, more := opened(s, i, '[', ']')
	for more {
		end := element(input{s: s, i: i})
		if end < 0 {
			return declined
		}
		i, more = jsonscan.Next(s, end, ']')
	}
	return i
}

// opened returns the index of the first element of the object or list at s[i] and true,
// else the index after it.
func opened(s string, i int, opening, closing byte) (int, bool) {
	if i >= len(s) || s[i] != opening {
		return declined, false
	}
	i = jsonscan.Space(s, i+1)
	if i < len(s) && s[i] == closing {
		return i + 1, false
	}
	return i, true
}

// null reports whether the value begins like null.
func (in input) null() (end int, ok bool) {
	if in.s == "" {
		return 0, in.v == nil
	}
	return jsonscan.Literal(in.s, in.i, "null"), in.s[in.i] == 'n'
}

func (in input) number() (n int64, end int) {
	if in.s == "" {
		n, ok := in.v.(int64)
		if !ok {
			return 0, declined
		}
		return n, 0
	}
	end, num := jsonscan.Number(in.s, in.i)
	if num.IsFloat {
		return 0, declined
	}
	return num.Int, end
}

// readBool reads a boolean once.
func (in input) readBool(into *optional[bool]) int {
	if into.set {
		return declined
	}
	into.set = true
	if in.s == "" {
		var ok bool
		if into.value, ok = in.v.(bool); !ok {
			return declined
		}
		return 0
	}
	if into.value = in.s[in.i] == 't'; into.value {
		return jsonscan.Literal(in.s, in.i, "true")
	}
	return jsonscan.Literal(in.s, in.i, "false")
}

// string reads a string that is UTF-8.
func (in input) string() (string, int) {
	if in.s == "" {
		s, ok := in.v.(string)
		if !ok || !utf8.ValidString(s) {
			return "", declined
		}
		return s, 0
	}
	text, as, end := readText(in.s, in.i)
	value, ok := decoded(text, as)
	if !ok {
		return "", declined
	}
	return value, end
}

// written is string, but returns the text that the encoder writes for a string from text.
func (in input) written() (string, int) {
	if in.s == "" {
		return in.string()
	}
	text, as, end := readText(in.s, in.i)
	if as&jsonscan.Respelled == 0 {
		return text, end
	}
	text, ok := jsonscan.Respell(text)
	if !ok {
		return "", declined
	}
	return text, end
}

// readOnce reads a string that is not empty into an empty one.
func (in input) readOnce(into *string) int {
	text, end := in.string()
	if text == "" || *into != "" {
		return declined
	}
	*into = text
	return end
}

// readText returns the text of the string at s[at], and what it contains.
func readText(s string, at int) (text string, as jsonscan.Text, end int) {
	if at >= len(s) || s[at] != '"' {
		return "", 0, declined
	}
	if end, as = jsonscan.String(s, at+1); end < 0 {
		return "", 0, declined
	}
	return s[at+1 : end], as, end + 1
}

// decoded returns the string with the text.
func decoded(text string, as jsonscan.Text) (string, bool) {
	if as&jsonscan.Escaped == 0 {
		return text, true
	}
	var short [64]byte // spares most strings an allocation
	out, ok := jsonscan.Unescape(short[:0], text)
	return string(out), ok
}

// sortPairs sorts by key. It reports false if two keys are equal.
func sortPairs(list []pair) bool {
	slices.SortFunc(list, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	for i := 1; i < len(list); i++ {
		if list[i].key == list[i-1].key {
			return false
		}
	}
	return true
}
