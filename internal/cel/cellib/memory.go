package cellib

import (
	"cmp"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Costs do not bound memory: + of lists costs one unit, and the cost of replace depends only on its
// receiver. So an evaluation also counts the bytes of all strings, lists and maps that it makes,
// even if they are already garbage. Parts of the object do not count.

const (
	ElementBytes = 16 // of a list
	BoxedBytes   = 32 // of a list of CEL values, for each element
	EntryBytes   = 64 // of a map
)

// DefaultMemory is the memory limit of one evaluation in bytes.
const DefaultMemory = 64 << 20

// MaxNodes limits the values of a list or map that a call may read, counted as a tree. A small list
// may be a large tree, if all its elements are the same list.
const MaxNodes = 1 << 20

// A Meter counts the memory of one evaluation. It belongs to one goroutine.
type Meter struct {
	Limit    uint64 // in bytes; 0 means DefaultMemory
	Taken    uint64
	Exceeded bool

	// For evaluations by cel-go, which charges for a call after it returns.
	CostLimit uint64
	Cost      func(function, overload string, args []ref.Val) uint64 // of a call; may be nil
	Refused   uint64                                                 // cost of the call that was not made
}

func (m *Meter) Begin() {
	m.Limit = cmp.Or(m.Limit, DefaultMemory)
	m.Taken, m.Exceeded, m.Refused = 0, false, 0
}

// Admit reports whether cel-go may make a call. If not, it sets Exceeded and Refused.
func (m *Meter) Admit(function, overload string, args []ref.Val) bool {
	var cost uint64
	if m.Cost != nil {
		cost = m.Cost(function, overload, args)
	}
	ok := m.Cost == nil || cost <= m.CostLimit
	if Deep(function) {
		for _, v := range args {
			ok = ok && Nodes(v, MaxNodes) < MaxNodes
		}
	}
	if !ok || !m.Take(CallMemory(function, args)) {
		m.Exceeded, m.Refused = true, cost
		return false
	}
	return true
}

// Take counts bytes before a value is made. If the limit does not allow them, it sets Exceeded and
// returns false.
func (m *Meter) Take(bytes uint64) bool {
	sum, carry := bits.Add64(m.Taken, bytes, 0)
	if carry != 0 || sum > m.Limit {
		m.Exceeded = true
		return false
	}
	m.Taken = sum
	return true
}

// Guarded reports whether a call may make a large value at a low cost, or before it pays the cost.
func Guarded(function string) bool {
	switch function {
	case "_+_", "replace", "join", "split", "format", "lists.range":
		return true
	}
	return false
}

// CallMemory returns the bytes of the result of a guarded call. For format it is an upper bound.
func CallMemory(function string, args []ref.Val) uint64 {
	switch function {
	case "_+_":
		return sumMemory(args)
	case "replace":
		return replaceMemory(args)
	case "join":
		return joinMemory(args)
	case "split":
		return splitMemory(args)
	case "format":
		return formatMemory(args)
	case "lists.range":
		return rangeMemory(args)
	}
	return 0
}

func sumMemory(args []ref.Val) uint64 {
	if len(args) != 2 {
		return 0
	}
	switch a := args[0].(type) {
	case types.String:
		b, _ := args[1].(types.String)
		return uint64(len(a)) + uint64(len(b))
	case types.Bytes:
		b, _ := args[1].(types.Bytes)
		return uint64(len(a)) + uint64(len(b))
	case traits.MutableLister: // the accumulator of a loop, which grows in place
		return BoxedBytes * sizeOf(args[1])
	case traits.Lister:
		return BoxedBytes * (sizeOf(a) + sizeOf(args[1]))
	}
	return 0
}

func replaceMemory(args []ref.Val) uint64 {
	if len(args) < 3 {
		return 0
	}
	s, _ := args[0].(types.String)
	old, _ := args[1].(types.String)
	with, _ := args[2].(types.String)
	if len(with) <= len(old) {
		return uint64(len(s))
	}
	n := uint64(strings.Count(string(s), string(old)))
	if len(args) > 3 {
		if most, _ := args[3].(types.Int); most >= 0 {
			n = min(n, uint64(most))
		}
	}
	return uint64(len(s)) + n*uint64(len(with)-len(old))
}

func joinMemory(args []ref.Val) uint64 {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return 0
	}
	var bytes uint64
	for e := range each(list) {
		s, _ := e.(types.String)
		bytes += uint64(len(s))
	}
	if len(args) > 1 {
		sep, _ := args[1].(types.String)
		bytes += sizeOf(list) * uint64(len(sep))
	}
	return bytes
}

// JoinedSize returns an upper bound of the size of join's result in code points. For valid UTF-8 it
// is exact.
func JoinedSize(args []ref.Val) uint64 {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return 1
	}
	var size uint64
	for e := range each(list) {
		s, _ := e.(types.String)
		size += uint64(utf8.RuneCountInString(string(s)))
	}
	if n := sizeOf(list); len(args) > 1 && n > 1 {
		size += (n - 1) * sizeOf(args[1])
	}
	return size
}

func each(list traits.Lister) func(yield func(ref.Val) bool) {
	seq, _ := elements(list)
	return seq
}

func splitMemory(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	s, _ := args[0].(types.String)
	sep, _ := args[1].(types.String)
	n := Pieces(string(s), string(sep))
	if len(args) > 2 {
		if most, _ := args[2].(types.Int); most >= 0 {
			n = min(n, uint64(most))
		}
	}
	return ElementBytes * n
}

func Pieces(s, sep string) uint64 {
	if sep == "" {
		return uint64(utf8.RuneCountInString(s))
	}
	return uint64(strings.Count(s, sep)) + 1
}

func rangeMemory(args []ref.Val) uint64 {
	return BoxedBytes * RangeSize(args)
}

const maxRange = 1_000_000

// RangeSize returns the size of the result of lists.range, 0 if the result is an error.
func RangeSize(args []ref.Val) uint64 {
	if n, _ := args[0].(types.Int); 0 < n && n <= maxRange {
		return uint64(n)
	}
	return 0
}

// clauseBytes limits the bytes that a clause of format(), such as %f, prints without a precision.
const clauseBytes = 400

// formatMemory returns an upper bound for format(). %x doubles the size of its argument.
func formatMemory(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	text, _ := args[0].(types.String)
	bytes := uint64(len(text)) + 2*textSize(args[1])
	for rest := string(text); ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			return bytes
		}
		rest = after
		bytes += clauseBytes + precisionOf(rest)
	}
}

func precisionOf(clause string) uint64 {
	var n uint64
	for i := 1; i < len(clause) && clause[0] == '.' && '0' <= clause[i] && clause[i] <= '9'; i++ {
		n = min(n*10+uint64(clause[i]-'0'), math.MaxUint32)
	}
	return n
}

// textSize returns the approximate number of bytes that format() prints for v.
func textSize(v ref.Val) uint64 {
	var bytes uint64 = 2
	switch v := v.(type) {
	case types.String:
		return uint64(len(v))
	case types.Bytes:
		return uint64(len(v))
	case traits.Lister:
		for e := range each(v) {
			bytes += textSize(e) + 2
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			value, _ := v.Find(key)
			bytes += textSize(key) + textSize(value) + 4
		}
	default:
		return 64
	}
	return bytes
}

// Deep reports whether a function reads all values within its arguments.
func Deep(function string) bool {
	switch function {
	case "_==_", "_!=_", "@in", "indexOf", "lastIndexOf", "includes", "distinct", "sets.contains", "sets.intersects",
		"sets.equivalent", "format", "isSorted", "sum", "min", "max", "flatten":
		return true
	}
	return false
}

type part interface{ PartOfObject() }

// Nodes counts the values in v, as a tree, up to limit. A part of the object counts as one.
func Nodes(v ref.Val, limit int) int {
	n := 1
	if _, ok := v.(part); ok {
		return n
	}
	switch v := v.(type) {
	case *types.Optional:
		if v.HasValue() {
			n += Nodes(v.GetValue(), limit-n)
		}
	case traits.Lister:
		for it := v.Iterator(); n < limit && it.HasNext() == types.True; {
			n += Nodes(it.Next(), limit-n)
		}
	case traits.Mapper:
		for it := v.Iterator(); n < limit && it.HasNext() == types.True; {
			if value, ok := v.Find(it.Next()); ok {
				n += Nodes(value, limit-n)
			}
		}
	}
	return n
}
