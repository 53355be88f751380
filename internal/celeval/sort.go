package celeval

import (
	"slices"
	"sort"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cellib"
	"github.com/crdkit/crdkit/internal/celvalue"
)

const sortByKeys = "@sortByAssociatedKeys"

// A sorter sorts element indexes by their keys. The order of equal keys is
// visible, so it uses the algorithm of [sort.Slice].
type sorter struct {
	order []int
	raw   []any
	less  func(a, b any) bool // of raw keys; nil if keys are boxed
	boxed []ref.Val
}

func (s *sorter) Len() int { return len(s.order) }

func (s *sorter) Less(i, j int) bool {
	i, j = s.order[i], s.order[j]
	if s.less != nil {
		return s.less(s.raw[i], s.raw[j])
	}
	return s.boxed[i].(traits.Comparer).Compare(s.boxed[j]) == types.IntNegOne
}

func (s *sorter) Swap(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] }

// sort sorts n indexes.
func (s *sorter) sort(n int) {
	s.order = s.order[:0]
	for i := range n {
		s.order = append(s.order, i)
	}
	sort.Sort(s)
}

// manyNames is the number of names from which a sort looks at the context.
const manyNames = 1 << 12

// sortNames sorts names in increasing order. It stops if the context ends.
func (f *Frame) sortNames(names []string) {
	if len(names) < manyNames || f.Ctx == nil {
		slices.Sort(names)
		return
	}
	defer func() {
		if r := recover(); r != nil && r != any(f) {
			panic(r)
		}
	}()
	slices.SortFunc(names, func(a, b string) int {
		if f.work(len(a) + len(b) + compareWork); f.failed {
			panic(f) // the only way out of a sort
		}
		return strings.Compare(a, b)
	})
}

// compareWork is the work of a comparison.
const compareWork = 128

// sortBy compiles the sorting of a raw list. It returns an operand without kind
// for other lists.
func (x *compiler) sortBy(overload string, a, keys operand) operand {
	if overload == "" || a.kind() != kindRaw || !a.declared.IsList() || !a.declared.Items.Collectable() {
		return operand{}
	}
	sorted := x.sorted(keys)
	if x.why != "" || sorted == nil {
		return operand{}
	}
	elements, empty, sortedType := a.elements(), a.declared, a.declared.Items.MadeList()
	list := func(f *Frame) []any {
		f.rare = true
		in := elements(f)
		n := sorted(f)
		if len(in) != n {
			f.decline()
		}
		if f.failed {
			f.failedAt = 0
			return nil
		}
		if !f.take(uint64(n) * cellib.ElementBytes) {
			return nil
		}
		at := f.list()
		for _, i := range f.sorter.order {
			f.lists[at] = append(f.lists[at], in[i])
		}
		return f.lists[at]
	}
	return operand{cost: costs(a, keys, 0), declared: sortedType,
		extra: &extras{list: list}, raw: func(f *Frame) any { return list(f) },
		box: func(f *Frame) ref.Val {
			l := list(f)
			if len(l) == 0 { // cel-go returns the list itself
				return f.box(l, empty)
			}
			return f.box(l, sortedType)
		}}
}

// sorted returns a function that evaluates the keys, pays for the sort, leaves
// the order in the frame and returns the number of keys. It returns nil for keys
// that it cannot compare.
func (x *compiler) sorted(keys operand) func(*Frame) int {
	switch {
	case keys.kind() == kindRaw && keys.declared.IsList():
		less := keys.declared.Items.Less()
		if less == nil {
			return nil
		}
		list, isText := keys.elements(), keys.declared.Items.Kind == celvalue.KindString
		return func(f *Frame) int {
			k := list(f)
			if f.failed {
				return 0
			}
			if f.pay(sortCost(len(k), isText)); f.failed {
				return 0
			}
			f.sorter.raw, f.sorter.less = k, less
			f.sorter.sort(len(k))
			return len(k)
		}
	case keys.kind() == kindStrings || keys.kind() == kindBox && keys.typ.Kind() == types.ListKind:
		box := x.boxed(keys)
		return func(f *Frame) int {
			l, ok := box(f).(traits.Lister)
			if f.failed || !ok {
				f.decline()
				return 0
			}
			if f.pay(comparedList(l)); f.failed {
				return 0
			}
			n := actualSize(l)
			f.sorter.boxed, f.sorter.less = f.sorter.boxed[:0], nil
			for i := range n {
				f.sorter.boxed = append(f.sorter.boxed, l.Get(types.Int(i)))
			}
			k := f.sorter.boxed
			for _, v := range k {
				if _, ok := v.(traits.Comparer); !ok || v.Type() != k[0].Type() {
					f.decline()
					return 0
				}
			}
			f.sorter.sort(n)
			return n
		}
	}
	return nil
}

// sortCost returns the cost of sorting n values.
func sortCost(n int, isText bool) uint64 {
	factor := 2.0
	if isText && n > 0 {
		factor += 0.1
	}
	return madeList(factor, n*n)
}

// release drops references to the keys.
func (s *sorter) release() {
	s.raw, s.boxed = nil, Emptied(s.boxed[:cap(s.boxed)])
	if cap(s.order) > maxKept {
		s.order = nil
	}
}
