package celeval

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
	"github.com/crdkit/crdkit/internal/value/pattern"
)

// Functions of strings. Sizes are in code points. Most functions cost a tenth of the size.

const operatorSize = "size"

// size compiles size() if the operand need not be boxed.
func (x *compiler) size(overload string, a operand) operand {
	out := operand{cost: a.cost + 1}
	switch {
	case overload == "":
		return operand{}
	case a.kind() == kindString:
		s := closureOf[string](a)
		out.value = as(kindInt, func(f *Frame) int64 {
			v := s(f)
			f.work(len(v))
			return int64(utf8.RuneCountInString(v))
		})
	case a.kind() == kindRaw && a.declared.IsList():
		list := a.elements()
		out.value = as(kindInt, func(f *Frame) int64 { return int64(len(list(f))) })
	case a.kind() == kindRaw && a.declared.Kind == celvalue.KindObject:
		object := a.object()
		out.value = as(kindInt, func(f *Frame) int64 { return int64(len(object(f))) })
	default:
		return operand{}
	}
	return out
}

func (x *compiler) binaryString(name, overload string, a, b operand) operand {
	if is := order[string](name); is != nil {
		return stringTest(a, b, is, smaller)
	}
	switch overload {
	case overloads.StartsWithString:
		return stringTest(a, b, strings.HasPrefix, second)
	case overloads.EndsWithString:
		return stringTest(a, b, strings.HasSuffix, second)
	case overloads.ContainsString:
		return stringTest(a, b, strings.Contains, product)
	case overloads.MatchesString, overloads.Matches:
		return x.matches(a, b)
	case "string_find_string", "string_find_all_string":
		return x.find(a, b, overload == "string_find_all_string")
	case overloads.AddString:
		return x.concatenation(a, b)
	case "string_split_string":
		return split(a, b)
	}
	return operand{}
}

// A testCost is the cost of a predicate on two strings.
type testCost func(a, b string) uint64

// smaller is the cost of a comparison, a tenth of the smaller size, rounded up.
func smaller(a, b string) uint64 {
	if n := min(len(a), len(b)); n <= 10 {
		return uint64(min(n, 1))
	}
	if a == b {
		return second(a, b)
	}
	return tenthOf(min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)))
}

func second(_, b string) uint64 { return tenthOf(utf8.RuneCountInString(b)) }

func product(a, b string) uint64 { return second(b, a) * second(a, b) }

// For costs, CEL gives an error the size of errorText.
const errorText = "!"

// stringTest compiles a predicate on two strings whose cost depends on their sizes.
func stringTest(a, b operand, is func(a, b string) bool, cost testCost) operand {
	l, r := closureOf[string](a), closureOf[string](b)
	return operand{cost: costs(a, b, 0), value: as(kindBool, func(f *Frame) bool {
		v := l(f)
		if f.failed {
			w, failed := evalRight(f, r)
			if failed {
				w = errorText
			}
			f.pay(cost(errorText, w))
			return false
		}
		w := r(f)
		if f.failed {
			w = errorText
		}
		f.pay(cost(v, w))
		return is(v, w)
	})}
}

// matches compiles a match with a constant regular expression.
func (x *compiler) matches(a, b operand) operand {
	text, ok := b.constant.(types.String)
	if !ok {
		return operand{}
	}
	p, err := pattern.Compile(string(text))
	if err != nil {
		return x.refuse("pattern")
	}
	return operand{cost: a.cost, value: as(kindBool, searched(a, string(text), func(f *Frame, s string) bool { return f.match(p, s) }))}
}

// find compiles the search for one or all matches of a constant regular expression.
func (x *compiler) find(a, b operand, all bool) operand {
	text, ok := b.constant.(types.String)
	if !ok {
		return operand{}
	}
	re, err := regexp.Compile(string(text))
	if err != nil {
		return x.refuse("pattern")
	}
	if all {
		return operand{cost: a.cost, box: searched(a, string(text), func(_ *Frame, s string) ref.Val {
			return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(s, -1))
		})}
	}
	return operand{cost: a.cost, value: as(kindString, searched(a, string(text), func(_ *Frame, s string) string { return re.FindString(s) }))}
}

// searched returns the closure of a search. If the operand fails, the search costs nothing.
func searched[T any](a operand, pattern string, search func(*Frame, string) T) func(*Frame) T {
	s, each := closureOf[string](a), patternCost(pattern)
	return func(f *Frame) (none T) {
		v := s(f)
		if f.failed {
			return none
		}
		if f.pay(searchCost(v) * each); f.failed {
			return none
		}
		return search(f, v)
	}
}

// searchCost returns the cost of searching a string, to be multiplied by patternCost.
func searchCost(s string) uint64 {
	return uint64(math.Ceil((1.0 + float64(utf8.RuneCountInString(s))) * 0.1))
}

func patternCost(p string) uint64 {
	return uint64(math.Ceil(float64(utf8.RuneCountInString(p)) * 0.25))
}

// Functions of one string. A conversion costs one unit. The cost of a copy depends on its size.

// unaryString compiles a function of a string. For an unknown function, the result is of kindNone.
func (x *compiler) unaryString(name, overload string, a operand) operand {
	if a.constant != nil {
		return operand{}
	}
	out := operand{cost: a.cost + 1}
	switch overload {
	case overloads.StringToInt:
		out.value = as(kindInt, conversion(a, types.IntType, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }))
	case overloads.StringToDouble:
		out.value = as(kindDouble, conversion(a, types.DoubleType, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }))
	case overloads.StringToDuration:
		out.value = as(kindDuration, conversion(a, types.DurationType, func(s string) (int64, error) {
			d, err := time.ParseDuration(s)
			return int64(d), err
		}))
	case "string_lower_ascii":
		return x.rewritten(a, lowerASCII)
	case "string_upper_ascii":
		return x.rewritten(a, upperASCII)
	case "string_trim":
		return x.rewritten(a, strings.TrimSpace)
	default:
		return ofString(a, cellib.PriceOf(name, overload), cellib.OfString(overload))
	}
	return out
}

func ofString(a operand, price cellib.Price, call any) operand {
	out := operand{cost: a.cost}
	switch call := call.(type) {
	case func(string) bool:
		out.value = as(kindBool, parsing(a, price, func(_ *Frame, s string) bool { return call(s) }))
	case func(string) ref.Val:
		out.box = parsing(a, price, func(f *Frame, s string) ref.Val { return f.valueOr(call(s)) })
	}
	return out
}

// parsing returns a closure that calls parse. A longer string costs more.
func parsing[T any](a operand, price cellib.Price, parse func(*Frame, string) T) func(*Frame) T {
	s := closureOf[string](a)
	return func(f *Frame) (none T) {
		v := s(f)
		if f.failed {
			f.pay(price.SizeCost(uint64(len(errorText))))
			return none
		}
		f.work(len(v))
		if f.pay(price.SizeCost(uint64(utf8.RuneCountInString(v)))); f.failed {
			return none
		}
		return parse(f, v)
	}
}

func conversion[T any](a operand, to *types.Type, parse func(string) (T, error)) func(*Frame) T {
	s := closureOf[string](a)
	conversionErr := &EvalError{text: types.NewErr("type conversion error from '%s' to '%s'", types.StringType, to).(*types.Err).Error()}
	return func(f *Frame) T {
		v, err := parse(s(f))
		if err != nil {
			f.fail(conversionErr)
		}
		return v
	}
}

// rewritten compiles a function that changes a string. It costs a tenth of the size.
func (x *compiler) rewritten(a operand, rewrite func(string) string) operand {
	s := closureOf[string](a)
	return operand{cost: a.cost, value: as(kindString, func(f *Frame) string {
		v := s(f)
		if f.failed {
			f.pay(tenthOf(len(errorText)))
			return ""
		}
		if f.pay(tenthOf(utf8.RuneCountInString(v))); !f.take(uint64(len(v))) {
			return ""
		}
		return rewrite(v)
	})}
}

// lowerASCII converts ASCII letters to lower case. Bytes that are not UTF-8 become U+FFFD.
func lowerASCII(s string) string { return shiftASCII(s, 'A', 'Z', 'a'-'A') }

func upperASCII(s string) string { return shiftASCII(s, 'a', 'z', 'A'-'a') }

// shiftASCII adds delta to each character from first to last.
func shiftASCII(s string, first, last, delta rune) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || byte(first) <= c && c <= byte(last) {
			return strings.Map(func(r rune) rune {
				if first <= r && r <= last {
					return r + delta
				}
				return r
			}, s)
		}
	}
	return s
}

// These functions replace functions of cel-go that copy the string they search.

func quicker(overload string, impl *functions.Overload) *functions.Overload {
	var binary func(v, w ref.Val) (ref.Val, bool)
	switch overload {
	case "string_index_of_string":
		binary = searchWith(strings.Index)
	case "string_last_index_of_string":
		binary = searchWith(strings.LastIndex)
	case "string_char_at_int":
		binary = charAt
	}
	if binary == nil || impl == nil || impl.Binary == nil {
		return impl
	}
	fast, slow := *impl, impl.Binary
	fast.Binary = func(v, w ref.Val) ref.Val {
		if result, ok := binary(v, w); ok {
			return result
		}
		return slow(v, w)
	}
	return &fast
}

// searchWith returns a search that counts in code points. The search returns false if a string is
// empty or invalid UTF-8.
func searchWith(find func(s, part string) int) func(v, w ref.Val) (ref.Val, bool) {
	return func(v, w ref.Val) (ref.Val, bool) {
		s, _ := v.(types.String)
		part, _ := w.(types.String)
		if s == "" || part == "" || !utf8.ValidString(string(s)) || !utf8.ValidString(string(part)) {
			return nil, false
		}
		at := find(string(s), string(part))
		if at > 0 {
			at = utf8.RuneCountInString(string(s[:at]))
		}
		return types.Int(at), true
	}
}

// charAt returns a code point of a string. It returns false if there is none at the index.
func charAt(v, w ref.Val) (ref.Val, bool) {
	s, isText := v.(types.String)
	i, isInt := w.(types.Int)
	if !isText || !isInt || i < 0 {
		return nil, false
	}
	for _, r := range string(s) {
		if i == 0 {
			return types.String(string(r)), true
		}
		i--
	}
	return nil, false
}

// toString compiles string(), which costs one unit. If the operand must be boxed, the result is of
// kindNone.
func (x *compiler) toString(overload string, a operand) operand {
	if a.constant != nil {
		return operand{}
	}
	switch {
	case overload == overloads.IntToString && a.kind() == kindInt:
		return toStringOf(a, closureOf[int64](a), func(i int64) string { return strconv.FormatInt(i, 10) })
	case overload == overloads.BoolToString && a.kind() == kindBool:
		return toStringOf(a, closureOf[bool](a), strconv.FormatBool)
	case overload == overloads.DoubleToString && a.kind() == kindDouble:
		return toStringOf(a, closureOf[float64](a), func(d float64) string { return fmt.Sprintf("%g", d) })
	case overload == overloads.StringToString && a.kind() == kindString:
		return toStringOf(a, closureOf[string](a), func(s string) string { return s })
	case a.isIntOrString():
		return intOrStringToString(a)
	}
	return operand{}
}

func toStringOf[T any, F ~func(*Frame) T](a operand, of F, spell func(T) string) operand {
	return operand{cost: a.cost + 1, value: as(kindString, func(f *Frame) string {
		return spell(of(f))
	})}
}

func intOrStringToString(a operand) operand {
	raw := a.raw
	return operand{cost: a.cost + 1, value: as(kindString, func(f *Frame) string {
		switch v := raw(f).(type) {
		case string:
			return v
		case int64:
			return strconv.FormatInt(v, 10)
		}
		f.wrongType()
		return ""
	})}
}

func (o operand) sumTerms() []func(*Frame) string {
	if terms := o.terms; terms != nil {
		return terms
	}
	return []func(*Frame) string{closureOf[string](o)}
}

// concatenation compiles + of strings. It makes one string for a whole sum, but charges for each +.
func (x *compiler) concatenation(a, b operand) operand {
	all := append(append([]func(*Frame) string(nil), a.sumTerms()...), closureOf[string](b))
	return operand{cost: costs(a, b, 0), terms: all, value: as(kindString, func(f *Frame) string {
		base := len(f.texts)
		bytes, size := 0, 0
		var err *EvalError
		for i := range all {
			v := all[i](f)
			n := utf8.RuneCountInString(v)
			if f.failed {
				failed := f.takeError()
				if failed == nil {
					f.texts = f.texts[:base]
					return ""
				}
				if n = len(errorText); err == nil {
					err = failed
				}
			}
			if i > 0 {
				f.pay(tenthOf(size + n))
			}
			if f.failed {
				f.texts = f.texts[:base]
				return ""
			}
			bytes += len(v)
			if size += n; err != nil {
				size = len(errorText)
			}
			f.texts = append(f.texts, v)
		}
		if err != nil {
			f.texts = f.texts[:base]
			f.fail(err)
			return ""
		}
		if !f.take(uint64(bytes)) {
			f.texts = f.texts[:base]
			return ""
		}
		var sum strings.Builder
		sum.Grow(bytes)
		for _, v := range f.texts[base:] {
			sum.WriteString(v)
		}
		f.texts = f.texts[:base]
		return sum.String()
	})}
}

// join compiles join of a list of strings. It costs a fifth of the size of the result.
func join(a, b operand) operand {
	list, sep := a.elements(), closureOf[string](b)
	return operand{cost: costs(a, b, 0), value: as(kindString, func(f *Frame) (sum string) {
		l, by, left, right, ok := both(f, list, sep)
		if !ok {
			return ""
		}
		if left != nil || right != nil {
			f.pay(tenthOf(2 * len(errorText)))
			f.failEither(left, right)
			return ""
		}
		base, size := len(f.texts), max(len(l)-1, 0)*utf8.RuneCountInString(by)
		bytes := len(l) * len(by)
		for _, e := range l {
			s, ok := e.(string)
			if !ok {
				f.decline()
			}
			bytes += len(s)
			size += utf8.RuneCountInString(s)
			f.texts = append(f.texts, s)
		}
		if f.cost+tenthOf(2*size) > f.Limit {
			f.decline()
		}
		if f.take(uint64(bytes)) {
			sum = strings.Join(f.texts[base:], by)
			f.pay(tenthOf(2 * utf8.RuneCountInString(sum)))
		}
		f.texts = f.texts[:base]
		return sum
	})}
}

// split compiles split. It costs a fifth of the size of the string.
func split(a, b operand) operand {
	s, sep := closureOf[string](a), closureOf[string](b)
	list := func(f *Frame) []any {
		v, by, left, right, ok := both(f, s, sep)
		if !ok {
			return nil
		}
		if left != nil {
			v = errorText
		}
		f.pay(tenthOf(2 * utf8.RuneCountInString(v)))
		if f.failEither(left, right) || !f.take(cellib.ElementBytes*cellib.Pieces(v, by)) {
			return nil
		}
		at := f.list()
		for piece := range strings.SplitSeq(v, by) {
			f.lists[at] = append(f.lists[at], piece)
		}
		return f.lists[at]
	}
	return operand{cost: costs(a, b, 0), declared: celvalue.StringList,
		list: list, raw: func(f *Frame) any { return list(f) }}
}
