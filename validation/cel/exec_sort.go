package cel

import (
	"sort"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// sortBy sorts a list by keys, which are another list.

const sortByKeys = "@sortByAssociatedKeys"

// A sorter sorts places of elements by their keys. As keys may be equal and the
// order of those is seen, it sorts the way that [sort.Slice] does.
type sorter struct {
	places []int
	raw    []any
	less   func(a, b any) bool // of raw keys; nil if they are boxed
	boxed  []ref.Val
}

// Len implements sort.Interface.
func (s *sorter) Len() int { return len(s.places) }

// Less implements sort.Interface.
func (s *sorter) Less(i, j int) bool {
	i, j = s.places[i], s.places[j]
	if s.less != nil {
		return s.less(s.raw[i], s.raw[j])
	}
	return s.boxed[i].(traits.Comparer).Compare(s.boxed[j]) == types.IntNegOne
}

// Swap implements sort.Interface.
func (s *sorter) Swap(i, j int) { s.places[i], s.places[j] = s.places[j], s.places[i] }

// sort sorts n places.
func (s *sorter) sort(n int) {
	s.places = s.places[:0]
	for i := range n {
		s.places = append(s.places, i)
	}
	sort.Sort(s)
}

// sortBy compiles the sorting of a list of raw values. It returns no code for
// other lists.
func (x *executor) sortBy(overload string, a, keys code) code {
	if overload == "" || a.kind != kindRaw || !a.shape.isList() || !a.shape.items.plain() {
		return code{}
	}
	sorted := x.sorted(keys)
	if x.why != "" || sorted == nil {
		return code{}
	}
	elements, atomic, s := a.elements(), a.shape.kind == shapeAtomicList, a.shape.items
	list := func(f *frame) []any {
		f.rare = true
		in := elements(f)
		n := sorted(f)
		if len(in) != n || n == 0 && !atomic { // what is empty stays what it is
			f.void()
		}
		if f.bail {
			f.at = 0
			return nil
		}
		at := f.list()
		for _, i := range f.sorter.places {
			f.lists[at] = append(f.lists[at], in[i])
		}
		return f.lists[at]
	}
	return code{kind: kindRaw, cost: costs(a, keys, 0), shape: &shape{kind: shapeAtomicList, typ: "array", items: s},
		list: list, raw: func(f *frame) any { return list(f) }}
}

// sorted returns what evaluates the keys, pays for the sorting, and leaves the
// order in the frame. It returns the number of keys. It is nil for keys that it
// cannot compare.
func (x *executor) sorted(keys code) func(*frame) int {
	switch {
	case keys.kind == kindRaw && keys.shape.isList():
		less := keys.shape.items.less()
		if less == nil {
			return nil
		}
		list, isText := keys.elements(), keys.shape.items.kind == shapeString
		return func(f *frame) int {
			k := list(f)
			if f.bail {
				return 0
			}
			f.cost += sortCost(len(k), isText)
			f.sorter.raw, f.sorter.less = k, less
			f.sorter.sort(len(k))
			return len(k)
		}
	case keys.kind == kindBox && keys.typ.Kind() == types.ListKind:
		box := keys.box
		return func(f *frame) int {
			l, ok := box(f).(traits.Lister)
			if f.bail || !ok {
				f.void()
				return 0
			}
			f.cost += comparedList(l)
			n := actualSize(l)
			f.sorter.boxed, f.sorter.less = f.sorter.boxed[:0], nil
			for i := range n {
				f.sorter.boxed = append(f.sorter.boxed, l.Get(types.Int(i)))
			}
			k := f.sorter.boxed
			for _, v := range k {
				if _, ok := v.(traits.Comparer); !ok || v.Type() != k[0].Type() {
					f.void()
					return 0
				}
			}
			f.sorter.sort(n)
			return n
		}
	}
	return nil
}

// sortCost is what sorting n values costs.
func sortCost(n int, isText bool) uint64 {
	factor := 2.0
	if isText && n > 0 {
		factor += 0.1
	}
	return madeList(factor, n*n)
}

// release forgets what was sorted.
func (s *sorter) release() {
	s.raw, s.boxed = nil, emptied(s.boxed[:cap(s.boxed)])
	if cap(s.places) > maxKept {
		s.places = nil
	}
}

// less returns the order of raw values of the shape, nil if there is none.
func (s *shape) less() func(a, b any) bool {
	switch s.kind {
	case shapeString:
		return func(a, b any) bool { return a.(string) < b.(string) }
	case shapeInteger:
		return func(a, b any) bool { return a.(int64) < b.(int64) }
	case shapeNumber:
		return func(a, b any) bool { return double(a) < double(b) }
	case shapeBoolean:
		return func(a, b any) bool { return !a.(bool) && b.(bool) }
	}
	return nil
}
