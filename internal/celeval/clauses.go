package celeval

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// This file formats strings whose clauses are frequent: %s of texts, integers and
// booleans, %d, %b, %o and %x of integers, %f and %e. The function of cel-go formats all
// others. It prepares the language of numbers for each %f and %e, which takes most of its
// time.

// format is the function format of strings. It is not ok for other clauses and values,
// and for errors.
func format(args []ref.Val) (_ ref.Val, ok bool) {
	if len(args) != 2 {
		return nil, false
	}
	text, isText := args[0].(types.String)
	list, isList := args[1].(traits.Lister)
	if !isText || !isList {
		return nil, false
	}
	var room [64]byte
	out, rest := room[:0], string(text)
	for next := types.Int(0); ; {
		before, after, found := strings.Cut(rest, "%")
		out = append(out, before...)
		switch {
		case !found:
			return types.String(out), true
		case strings.HasPrefix(after, "%"):
			out, rest = append(out, '%'), after[1:]
			continue
		}
		c, n := clauseOf(after)
		if out, ok = c.append(out, list.Get(next)); !ok { // also without a value
			return nil, false
		}
		rest = after[n:]
		next++
	}
}

// A clause is a clause of a format.
type clause struct {
	verb      byte // 0 if it is not known
	precision int
}

// clauseOf returns the clause at the start of a text after the percent sign, and its
// length.
func clauseOf(text string) (c clause, n int) {
	c.precision = 6
	if strings.HasPrefix(text, ".") {
		for n = 1; n < len(text) && '0' <= text[n] && text[n] <= '9'; n++ {
		}
		var err error
		if c.precision, err = strconv.Atoi(text[1:n]); err != nil || c.precision > maxPrecision {
			return clause{}, 0
		}
	}
	if n == len(text) {
		return clause{}, 0
	}
	c.verb = text[n]
	return c, n + 1
}

// maxPrecision is the largest known precision.
const maxPrecision = 20

// append appends a value. It is not ok for values that the clause does not take, and
// for rare ones.
func (c clause) append(b []byte, v ref.Val) (_ []byte, ok bool) {
	switch v := v.(type) {
	case types.String:
		switch {
		case c.verb == 's':
			return append(b, v...), true
		case v == "NaN", v == "Infinity", v == "-Infinity":
			x, _ := strconv.ParseFloat(string(v), 64)
			return c.appendDouble(b, x)
		}
	case types.Bool:
		return strconv.AppendBool(b, bool(v)), c.verb == 's'
	case types.Int:
		base := c.base()
		return strconv.AppendInt(b, int64(v), max(base, 2)), base != 0
	case types.Double:
		return c.appendDouble(b, float64(v))
	}
	return b, false
}

// base returns the base in which a clause spells integers, 0 if it takes none.
func (c clause) base() int {
	switch c.verb {
	case 's', 'd':
		return 10
	case 'x':
		return 16
	case 'o':
		return 8
	case 'b':
		return 2
	}
	return 0
}

// maxFixed is a number above all that %f is known for. Its digits are exact.
const maxFixed = 1 << 53

func (c clause) appendDouble(b []byte, x float64) (_ []byte, ok bool) {
	if x == 0 {
		x = 0 // without its sign
	}
	switch {
	case c.verb == 'e':
		text := scientific(x)
		for range c.precision - utf8.RuneCountInString(text) {
			b = append(b, ' ')
		}
		return append(b, text...), true
	case c.verb != 'f':
		return b, false
	case math.IsNaN(x), math.IsInf(x, 0):
		return append(b, notFinite(x)...), true
	case math.Abs(x) >= maxFixed:
		return b, false
	}
	return appendFixed(b, x, c.precision), true
}

// notFinite returns the text of NaN or of an infinity.
func notFinite(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case x < 0:
		return "-∞"
	}
	return "∞"
}

// scientific returns a number with its exponent, as %e spells it. The precision of %e is
// the width of the text, and the text has six digits after the point.
func scientific(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return notFinite(x)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 6, 64), "e")
	text := mantissa + "×10"
	for _, r := range strings.TrimPrefix(exponent, "+") {
		if r == '-' {
			text += "⁻"
		} else {
			text += superscripts[r-'0']
		}
	}
	return text
}

var superscripts = [...]string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}

// appendFixed appends a number with a comma between thousands.
func appendFixed(b []byte, x float64, precision int) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, x, 'f', precision, 64)
	digits := strings.IndexByte(string(b[start:]), '.')
	if digits < 0 {
		digits = len(b) - start
	}
	first := start
	if b[start] == '-' {
		first++
	}
	for at := start + digits - 3; at > first; at -= 3 {
		b = append(b, 0)
		copy(b[at+1:], b[at:])
		b[at] = ','
	}
	return b
}
