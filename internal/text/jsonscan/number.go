package jsonscan

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Num is the value of a number: Int, or Float if IsFloat is set.
type Num struct {
	Int     int64
	Float   float64
	IsFloat bool
}

// maxDigits is the largest number of digits that always fit an int64.
const maxDigits = 18

// Number reads the number at s[i]. It returns the index after it, -1 if there is none or it
// does not fit a float64.
func Number(s string, i int) (end int, n Num) {
	start := i
	if i < len(s) && s[i] == '-' {
		i++
	}
	first := i
	var value int64
	for i < len(s) && isDigit(s[i]) {
		value = value*10 + int64(s[i]-'0') // overflows if there are many digits; large reads those
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

// fraction reads the number at s[start] whose fraction or exponent begins at s[i], and
// returns the index after it.
func fraction(s string, start, i int) (int, Num) {
	for i < len(s) && (isDigit(s[i]) || strings.IndexByte(".eE+-", s[i]) >= 0) {
		i++
	}
	if !json.Valid([]byte(s[start:i])) {
		return -1, Num{}
	}
	return float(s[start:i], i)
}

// large returns end and the value of an integer with more than maxDigits digits.
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

// AppendFloat writes no exponent from smallestFixed up to, but not including, largestFixed.
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

// IsIntegral reports whether [AppendFloat] writes f without fraction and exponent, so that
// a decoder reads an int64 if it fits.
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
