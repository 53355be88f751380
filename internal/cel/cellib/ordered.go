package cellib

import (
	"cmp"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// An orderedMap is a map that an expression made, with keys in increasing order.
type orderedMap struct{ traits.Mapper }

// OrderedMap returns m with keys in order: false, true, numbers, NaN, strings. Objects'
// maps have it.
func OrderedMap(m traits.Mapper) traits.Mapper {
	switch m.(type) {
	case part, orderedMap:
		return m
	}
	return orderedMap{m}
}

// Iterator implements traits.Iterable.
func (m orderedMap) Iterator() traits.Iterator {
	var keys []ref.Val
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, CompareKeys)
	return &keyIterator{keys: keys}
}

// Fold implements traits.Foldable. It knows the value of NaN, which no lookup finds.
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

// entries collects the entries of a map.
type entries []entry

// FoldEntry implements traits.Folder.
func (e *entries) FoldEntry(key, value any) bool {
	*e = append(*e, entry{types.DefaultTypeAdapter.NativeToValue(key), value})
	return true
}

// CompareKeys orders keys of maps.
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

// isOrdered reports whether keys like this one have an order among all keys.
func isOrdered(key ref.Val) bool { return rankOf(key) < unordered }

const unordered = 4

func rankOf(key ref.Val) int {
	switch key := key.(type) {
	case types.Bool:
		return 0
	case types.Double:
		if key != key { // NaN, which has no place among numbers
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
	types.Int // what it is as a value of CEL has no meaning
	keys      []ref.Val
	next      int
}

// HasNext implements traits.Iterator.
func (it *keyIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.keys)) }

// Next implements traits.Iterator.
func (it *keyIterator) Next() ref.Val {
	it.next++
	return it.keys[it.next-1]
}
