package jsonscan

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text describes the text of a string. At zero it decodes to its text, and is written like
// it.
type Text uint8

const (
	// Escaped means that the text contains an escape sequence.
	Escaped Text = 1 << iota
	// Respelled means that the encoder may write another text: it escapes < > & U+2028 and
	// U+2029, and there may be escapes that it does not write.
	Respelled
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// String returns the index of the closing quote of the string that begins at s[i], -1 if
// there is none or the text is declined.
func String(s string, i int) (end int, text Text) {
	for {
		for i+8 <= len(s) {
			stops := stopBytes(Load(s, i))
			if stops != 0 {
				i += bits.TrailingZeros64(stops) >> 3
				break
			}
			i += 8
		}
		if i >= len(s) {
			return -1, 0
		}
		switch c := s[i]; {
		case c == '"':
			return i, text
		case c == '\\':
			n, respelled := escape(s[i:])
			if n == 0 {
				return -1, 0
			}
			text |= Escaped | respelled
			i += n
		case c < ' ':
			return -1, 0
		case c == '<', c == '>', c == '&':
			text |= Respelled
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n <= 1 {
				return -1, 0
			}
			if r == '\u2028' || r == '\u2029' {
				text |= Respelled
			}
			i += n
		default:
			i++
		}
	}
}

// Load returns the bytes s[i:i+8] as a little-endian number.
func Load(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// stopBytes marks by their highest bit the bytes that String must examine: quotes,
// backslashes, < > &, control characters and what is not ASCII. Only the lowest mark is
// certain.
func stopBytes(x uint64) uint64 {
	quote := (x | 4*ones) ^ '&'*ones // '"'|4 == '&', so one comparison finds both
	angle := (x | 2*ones) ^ '>'*ones // '<'|2 == '>'
	slash := x ^ '\\'*ones
	// Of bytes less than 0x80, only those less than what is taken away get the highest bit.
	// Others have it in x.
	return ((quote - ones) | (angle - ones) | (slash - ones) | (x - ' '*ones) | x) & highs
}

// escape returns the length of the escape at the start of s, 0 if invalid, and Respelled if
// the encoder may not write it.
func escape(s string) (int, Text) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2, 0
	case '/':
		return 2, Respelled
	case 'u':
		if _, ok := hex4(s); !ok {
			return 0, 0
		}
		switch s[2:6] {
		case "003c", "003e", "0026", "2028", "2029":
			return 6, 0
		}
		return 6, Respelled
	}
	return 0, 0
}

// hex4 returns the number of the escape \u and four hexadecimal digits at the start of s,
// if any.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// Unescape appends the decoded form of the text between quotes that [String] accepted. It
// is false for half a surrogate pair.
func Unescape(dst []byte, s string) ([]byte, bool) {
	dst = slices.Grow(dst, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...), true
		}
		dst, s = append(dst, s[:i]...), s[i:]
		if s[1] != 'u' {
			dst, s = append(dst, unescaped(s[1])), s[2:]
			continue
		}
		r, _ := hex4(s)
		s = s[6:]
		switch {
		case r >= 0xdc00 && r < 0xe000:
			return dst, false
		case r >= 0xd800 && r < 0xdc00:
			low, ok := hex4(s)
			if !ok || low < 0xdc00 || low >= 0xe000 {
				return dst, false
			}
			r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
			s = s[6:]
		}
		dst = utf8.AppendRune(dst, r)
	}
}

// Respell returns what the encoder writes for a text that [String] accepted. It is false
// for half a surrogate pair.
func Respell(s string) (string, bool) {
	var short [2][256]byte // on the stack
	decoded := s
	if strings.IndexByte(s, '\\') >= 0 {
		b, ok := Unescape(short[0][:0], s)
		if !ok {
			return "", false
		}
		decoded = string(b)
	}
	quoted, ok := AppendString(short[1][:0], decoded)
	return string(quoted[1 : len(quoted)-1]), ok
}

func unescaped(c byte) byte {
	if i := strings.IndexByte("bfnrt", c); i >= 0 {
		return "\b\f\n\r\t"[i]
	}
	return c
}
