package celeval

import (
	"math"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// This file formats strings whose clauses are frequent: %s of texts, integers and
// booleans, %d, %b, %o and %x of integers, and %f. The function of cel-go formats all
// others. It prepares the language of numbers for each %f, which takes most of its time.

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
		return append(b, v...), c.verb == 's'
	case types.Bool:
		return strconv.AppendBool(b, bool(v)), c.verb == 's'
	case types.Int:
		base := c.base()
		return strconv.AppendInt(b, int64(v), max(base, 2)), base != 0
	case types.Double:
		if c.verb == 'f' && math.Abs(float64(v)) < maxFixed {
			return appendFixed(b, float64(v), c.precision), true
		}
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

// appendFixed appends a number with a comma between thousands.
func appendFixed(b []byte, x float64, precision int) []byte {
	start := len(b)
	if x == 0 {
		x = 0 // without its sign
	}
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
