package jsonscan

import (
	"math/bits"
	"strings"
)

// MaxDepth is how deep objects and lists may be nested. Empty ones may be one level deeper.
const MaxDepth = 512

// Space returns the index of the first byte of s[i:] that is not white space, or len(s).
func Space(s string, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// Literal returns the index after word (true, false or null) if s[i:] begins with it, or -1.
func Literal(s string, i int, word string) int {
	if !strings.HasPrefix(s[i:], word) {
		return -1
	}
	return i + len(word)
}

// Key reads the key at s[i] and the colon. It returns the key, a description of its text, and the
// index of the value. The index is -1 if there is no key or the key has an escape.
func Key(s string, i int) (key string, text Text, at int) {
	if i >= len(s) || s[i] != '"' {
		return "", 0, -1
	}
	for end := i + 1; end+9 < len(s); end += 8 { // most keys end here, without a call
		stops := stopBytes(Load(s, end))
		if stops == 0 {
			continue
		}
		end += bits.TrailingZeros64(stops) >> 3
		if s[end] == '"' && s[end+1] == ':' && s[end+2] > ' ' {
			return s[i+1 : end], 0, end + 2
		}
		break
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

// DecodedKey reads a key like [Key], but also one with escapes. It returns the decoded key.
func DecodedKey(s string, i int) (key string, at int) {
	if key, _, at = Key(s, i); at >= 0 || i >= len(s) || s[i] != '"' {
		return key, at
	}
	end, _ := String(s, i+1)
	if end < 0 {
		return "", -1
	}
	text, ok := Unescape(nil, s[i+1:end])
	colon := Space(s, end+1)
	if !ok || colon >= len(s) || s[colon] != ':' {
		return "", -1
	}
	return string(text), Space(s, colon+1)
}

// Next reads the comma or closing bracket after an element that ends at i. After a comma, it
// returns the index of the next element and true. After the bracket, it returns the index behind it
// and false. Otherwise it returns -1 and false.
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

// serverDepth is how many levels [Decode] reads: one level less than the server.
const serverDepth = 9_999

// Decode returns the value of JSON, which may have white space around it. It reads nearly as deep
// as the server. If it declines the text, the value has no meaning.
func Decode(s string) (any, bool) {
	v, end := readValue(s, Space(s, 0), serverDepth)
	return v, end >= 0 && Space(s, end) == len(s)
}

// Value returns the value at s[i] and the index after it.
func Value(s string, i int) (any, int) { return readValue(s, i, MaxDepth) }

func readValue(s string, i, depth int) (any, int) {
	if i >= len(s) {
		return nil, -1
	}
	switch s[i] {
	case '{':
		return readObject(s, i+1, depth-1)
	case '[':
		return readList(s, i+1, depth-1)
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

func readList(s string, i, depth int) (any, int) {
	out := []any{}
	i = Space(s, i)
	if i < len(s) && s[i] == ']' {
		return out, i + 1
	}
	for more := depth >= 0; more; {
		v, end := readValue(s, i, depth)
		if end < 0 {
			return nil, -1
		}
		out = append(out, v)
		if i, more = Next(s, end, ']'); !more {
			return out, i
		}
	}
	return nil, -1
}

func readObject(s string, i, depth int) (any, int) {
	out := map[string]any{}
	i = Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for more := depth >= 0; more; {
		key, at := DecodedKey(s, i)
		if at < 0 {
			return nil, -1
		}
		v, end := readValue(s, at, depth)
		n := len(out)
		if out[key] = v; end < 0 || len(out) == n {
			return nil, -1
		}
		if i, more = Next(s, end, '}'); !more {
			return out, i
		}
	}
	return nil, -1
}

// Skip returns the index after the value at s[i]. Unlike [Value] it accepts repeated keys and half
// surrogate pairs.
func Skip(s string, i int) int { return skip(s, i, MaxDepth, false) }

// SkipSorted is [Skip], but declines unsorted keys and keys with escapes. So it accepts no repeated
// key.
func SkipSorted(s string, i int) int { return skip(s, i, MaxDepth, true) }

func skip(s string, i, depth int, sorted bool) int {
	if i >= len(s) || depth < 0 {
		return -1
	}
	switch s[i] {
	case '{':
		return skipObject(s, Space(s, i+1), depth-1, sorted)
	case '[':
		return skipList(s, Space(s, i+1), depth-1, sorted)
	case '"':
		end, _ := String(s, i+1)
		if end < 0 {
			return -1
		}
		return end + 1
	case 't':
		return Literal(s, i, "true")
	case 'f':
		return Literal(s, i, "false")
	case 'n':
		return Literal(s, i, "null")
	}
	end, _ := Number(s, i)
	return end
}

func skipList(s string, i, depth int, sorted bool) int {
	if i < len(s) && s[i] == ']' {
		return i + 1
	}
	for more := true; more; {
		if i = skip(s, i, depth, sorted); i < 0 {
			return -1
		}
		i, more = Next(s, i, ']')
	}
	return i
}

func skipObject(s string, i, depth int, sorted bool) int {
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	before := ""
	for first, more := true, true; more; first = false {
		if i >= len(s) || s[i] != '"' {
			return -1
		}
		end, text := String(s, i+1)
		if end < 0 {
			return -1
		}
		if sorted {
			key := s[i+1 : end]
			if text&Escaped != 0 || !first && key <= before {
				return -1
			}
			before = key
		}
		if i = Space(s, end+1); i >= len(s) || s[i] != ':' {
			return -1
		}
		if i = skip(s, Space(s, i+1), depth, sorted); i < 0 {
			return -1
		}
		i, more = Next(s, i, '}')
	}
	return i
}

// Lookup returns the text of a value in the object s. It follows names from member to member. If a
// member is missing, Lookup returns "" and true. If a value on the way is not an object, it returns
// false. The first of repeated keys counts. The text after the value is not read.
func Lookup(s string, names ...string) (string, bool) {
	i := Space(s, 0)
	for _, name := range names {
		if i >= len(s) || s[i] != '{' {
			return "", false
		}
		var ok bool
		if i, ok = member(s, i, name); !ok || i < 0 {
			return "", ok
		}
	}
	end := Skip(s, i)
	if end < 0 {
		return "", false
	}
	return s[i:end], true
}

// member returns the index of a member's value in the object at s[i], or -1 if there is none.
func member(s string, i int, name string) (int, bool) {
	i = Space(s, i+1)
	if i < len(s) && s[i] == '}' {
		return -1, true
	}
	for more := true; more; {
		key, _, at := Key(s, i)
		if at < 0 {
			return -1, false
		}
		if key == name {
			return at, true
		}
		end := Skip(s, at)
		if end < 0 {
			return -1, false
		}
		if i, more = Next(s, end, '}'); i < 0 {
			return -1, false
		}
	}
	return -1, true
}
