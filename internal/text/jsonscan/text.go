package jsonscan

import (
	"encoding/json"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text describes the text of a string. If it is zero, decoding and encoding do not change the
// text.
type Text uint8

const (
	// Escaped means that the text contains an escape sequence.
	Escaped Text = 1 << iota
	// Respelled means that the encoder may write another text: it escapes < > & U+2028 and U+2029,
	// and does not write all escapes that the text may have.
	Respelled
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// String returns the index of the closing quote of the string that begins at s[i].
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

// stopBytes marks the bytes that String must examine, by their highest bit: quotes, backslashes, <
// > &, control characters, and bytes that are not ASCII. Marks above the lowest may be wrong.
func stopBytes(x uint64) uint64 {
	quote := (x | 4*ones) ^ '&'*ones // '"'|4 == '&', so one comparison finds both
	angle := (x | 2*ones) ^ '>'*ones // '<'|2 == '>'
	slash := x ^ '\\'*ones
	// A difference below 0 has the highest bit. A byte that is not ASCII has it in x.
	return ((quote - ones) | (angle - ones) | (slash - ones) | (x - ' '*ones) | x) & highs
}

// escape returns the length of the escape at the start of s, or 0 if it is invalid. It returns
// Respelled if the encoder may write another text.
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

// hex4 returns the number of the escape at the start of s: \u and four hexadecimal digits.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// Unescape appends the decoded form of a text between quotes that [String] accepted. It returns
// false for half a surrogate pair.
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

// Respell returns what the encoder writes for a text that [String] accepted. It returns false for
// half a surrogate pair.
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

// A Num is the value of a number: Int, or Float if IsFloat is set.
type Num struct {
	Int     int64
	Float   float64
	IsFloat bool
}

// maxDigits is how many digits always fit an int64.
const maxDigits = 18

// Number reads the number at s[i]. end is the index after it, or -1 if there is no number, or if
// the number does not fit a float64.
func Number(s string, i int) (end int, n Num) {
	start := i
	if i < len(s) && s[i] == '-' {
		i++
	}
	first := i
	var value int64
	for i < len(s) && isDigit(s[i]) {
		value = value*10 + int64(s[i]-'0') // may overflow; large then reads the number again
		i++
	}
	if i == first || s[first] == '0' && i > first+1 {
		return -1, Num{}
	}
	if i < len(s) && (s[i] == '.' || s[i]|0x20 == 'e') {
		return fraction(s, start, i)
	}
	if i-first > maxDigits {
		return large(s[start:i], i)
	}
	if first > start {
		value = -value
	}
	return i, Num{Int: value}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// fraction reads the number at s[start] and returns the index after it. Its fraction or exponent
// begins at s[i].
func fraction(s string, start, i int) (int, Num) {
	for i < len(s) && (isDigit(s[i]) || strings.IndexByte(".eE+-", s[i]) >= 0) {
		i++
	}
	if !json.Valid([]byte(s[start:i])) {
		return -1, Num{}
	}
	return float(s[start:i], i)
}

// large reads an integer of more than maxDigits digits, which ends at end.
func large(text string, end int) (int, Num) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return end, Num{Int: n}
	}
	return float(text, end)
}

func float(text string, end int) (int, Num) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1, Num{}
	}
	return end, Num{Float: f, IsFloat: true}
}

// AppendFloat writes no exponent from smallestFixed to just below largestFixed.
const smallestFixed, largestFixed = 1e-6, 1e21

// AppendFloat appends f as encoding/json writes it. f must be finite.
func AppendFloat(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs == 0 || abs >= smallestFixed && abs < largestFixed {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 becomes e-9
		dst = dst[:n-1]
	}
	return dst
}

// IsIntegral reports whether [AppendFloat] writes f without fraction and exponent. A decoder then
// reads an int64 if it fits.
func IsIntegral(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < largestFixed }

// HasIntegral reports whether v is or contains an [IsIntegral] float64.
func HasIntegral(v any) bool {
	switch v := v.(type) {
	case float64:
		return IsIntegral(v)
	case map[string]any:
		for _, e := range v {
			if HasIntegral(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, HasIntegral)
	}
	return false
}
