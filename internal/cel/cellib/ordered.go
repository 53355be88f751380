package cellib

import (
	"cmp"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// An orderedMap is a map that an expression made. Its keys are in order.
type orderedMap struct{ traits.Mapper }

// OrderedMap returns m with keys in order: false, true, numbers, NaN, strings. Maps of objects
// already have this order.
func OrderedMap(m traits.Mapper) traits.Mapper {
	switch m.(type) {
	case part, orderedMap:
		return m
	}
	return orderedMap{m}
}

func (m orderedMap) Iterator() traits.Iterator {
	var keys []ref.Val
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, CompareKeys)
	return &keyIterator{keys: keys}
}

// Fold implements traits.Foldable. It passes the entry of NaN, too, which Find misses.
func (m orderedMap) Fold(f traits.Folder) {
	var entries entries
	types.ToFoldableMap(m.Mapper).Fold(&entries)
	slices.SortFunc(entries, func(a, b entry) int { return CompareKeys(a.key, b.key) })
	for _, e := range entries {
		if !f.FoldEntry(e.key, e.value) {
			return
		}
	}
}

type entry struct {
	key   ref.Val
	value any
}

type entries []entry

func (e *entries) FoldEntry(key, value any) bool {
	*e = append(*e, entry{types.DefaultTypeAdapter.NativeToValue(key), value})
	return true
}

func CompareKeys(a, b ref.Val) int {
	if c := cmp.Compare(rankOf(a), rankOf(b)); c != 0 {
		return c
	}
	if c, ok := a.(traits.Comparer); ok {
		if order, ok := c.Compare(b).(types.Int); ok && order != 0 {
			return int(order)
		}
	}
	return cmp.Compare(a.Type().TypeName(), b.Type().TypeName()) // 1.0 before 1
}

func isOrdered(key ref.Val) bool { return rankOf(key) < unordered }

const unordered = 4

func rankOf(key ref.Val) int {
	switch key := key.(type) {
	case types.Bool:
		return 0
	case types.Double:
		if key != key { // NaN is not ordered among numbers
			return 2
		}
		return 1
	case types.Int, types.Uint:
		return 1
	case types.String:
		return 3
	}
	return unordered
}

type keyIterator struct {
	types.Int // unused; makes the iterator a CEL value
	keys      []ref.Val
	next      int
}

func (it *keyIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.keys)) }

func (it *keyIterator) Next() ref.Val {
	it.next++
	return it.keys[it.next-1]
}
