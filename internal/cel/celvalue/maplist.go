package celvalue

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// This file implements lists of type map. Two are equal if they have equal
// elements under the same keys, in any order. In a sum, elements of the right
// list replace those of the left one with the same keys. The sum is such a list
// again: a [sumOfMapLists].
//
// Sums and equality spell keys differently. A sum finds keys as rules do.
// Equality looks up the escaped name of a key in the raw object, where a key like
// "namespace" or "a-b" has another name. Then all elements have the same key,
// null. The server does the same.

type mapList struct{ listValue }

func (l *mapList) Equal(other ref.Val) ref.Val {
	key := func(e any) any { return rawKey(e, l.declared.keys) }
	return equalByKey(l.raw, other, key, func(e ref.Val) any { return key(e.Value()) }, l.declared.Items.Value)
}

func (l *mapList) Add(other ref.Val) ref.Val { return merge(l.elements, other, l.declared.keys) }

type sumOfMapLists struct {
	traits.Lister
	list []ref.Val
	keys []string
}

// Printed is the text in errors.
func (*sumOfMapLists) Printed() string { return partText }

func (l *sumOfMapLists) Equal(other ref.Val) ref.Val {
	key := func(e ref.Val) any { return keyOf(e, l.keys) }
	return equalByKey(l.list, other, key, key, func(e ref.Val) ref.Val { return e })
}

// equalByKey compares two lists: elements with the same keys must be equal.
func equalByKey[E any](list []E, other ref.Val, key func(E) any, otherKey func(ref.Val) any, value func(E) ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(len(list)) != o.Size() {
		return types.False
	}
	byKey := make(map[any]E, len(list))
	for _, e := range list {
		byKey[key(e)] = e
	}
	seen := make(map[any]struct{}, len(byKey))
	for it := o.Iterator(); it.HasNext() == types.True; {
		theirs := it.Next()
		k := otherKey(theirs)
		mine, ok := byKey[k]
		if !ok {
			return types.False
		}
		if eq := value(mine).Equal(theirs); eq != types.True {
			return eq
		}
		seen[k] = struct{}{}
	}
	return types.Bool(len(seen) == len(byKey))
}

func (l *sumOfMapLists) Add(other ref.Val) ref.Val {
	return merge(func() []ref.Val { return append([]ref.Val(nil), l.list...) }, other, l.keys)
}

func merge(elements func() []ref.Val, other ref.Val, keys []string) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	sum := elements()
	index := make(map[any]int, len(sum))
	for i, e := range sum {
		index[keyOf(e, keys)] = i
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		if i, ok := index[keyOf(e, keys)]; ok {
			sum[i] = e
		} else {
			sum = append(sum, e)
		}
	}
	return &sumOfMapLists{Lister: types.NewRefValList(types.DefaultTypeAdapter, sum), list: sum, keys: keys}
}

// keyOf returns a comparable value that represents the keys of an element.
func keyOf(e ref.Val, keys []string) any {
	return composite(keys, func(key string) any {
		v := fieldValue(e, types.String(key))
		if v == nil || types.IsUnknownOrError(v) {
			return nil
		}
		return hashable(v.Value())
	})
}

// fieldValue returns a field of e, nil if there is none.
func fieldValue(e, key ref.Val) ref.Val {
	switch e := e.(type) {
	case traits.Mapper:
		if v, found := e.Find(key); found {
			return v
		}
	case traits.Indexer:
		if t, ok := e.(traits.FieldTester); ok && t.IsSet(key) == types.True {
			return e.Get(key)
		}
	}
	return nil
}

// rawKey is keyOf for raw elements. The result may not be comparable and then
// panics as a map key; CEL reports that as an internal error of the rule.
func rawKey(e any, keys []string) any {
	m, ok := e.(map[string]any)
	if !ok {
		return types.NewErr("unexpected data format for element of array with x-kubernetes-list-type=map: %T", e)
	}
	return composite(keys, func(key string) any {
		return m[key]
	})
}

func composite(keys []string, at func(string) any) any {
	switch len(keys) {
	case 1:
		return at(keys[0])
	case 2:
		return [2]any{at(keys[0]), at(keys[1])}
	case 3:
		return [3]any{at(keys[0]), at(keys[1]), at(keys[2])}
	}
	all := make([]any, len(keys))
	for i, key := range keys {
		all[i] = at(key)
	}
	return fmt.Sprintf("%#v", all)
}
