package jsonscan

import (
	"math/bits"
	"strings"
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

// Key reads the key at s[i] and the colon after it. It returns the key, what the
// text of the key contains, and the index of the value. The index is -1 if there
// is no key, or if the key is written with an escape.
func Key(s string, i int) (key string, text Text, at int) {
	if i >= len(s) || s[i] != '"' {
		return "", 0, -1
	}
	for end := i + 1; end+9 < len(s); end += 8 { // most keys, without a call
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

// DecodedKey is [Key] for all keys. It returns the decoded key.
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
