package cellib

import (
	"cmp"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// An orderedMap is a map that an expression made. Its keys come in increasing
// order.
type orderedMap struct{ traits.Mapper }

// OrderedMap returns m with keys in increasing order: false, true, numbers, strings.
// Maps of objects have that order already.
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

// CompareKeys orders keys of maps.
func CompareKeys(a, b ref.Val) int {
	if c := cmp.Compare(rankOf(a), rankOf(b)); c != 0 {
		return c
	}
	if c, ok := a.(traits.Comparer); ok {
		if order, ok := c.Compare(b).(types.Int); ok {
			return int(order)
		}
	}
	return 0
}

func rankOf(key ref.Val) int {
	switch key.(type) {
	case types.Bool:
		return 0
	case types.Int, types.Uint, types.Double:
		return 1
	case types.String:
		return 2
	}
	return 3
}

// A keyIterator visits keys.
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
