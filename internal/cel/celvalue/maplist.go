package celvalue

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Lists of type map are equal if elements are equal under the same keys, in any order. In a
// sum, right elements replace left ones. It is such a list again: a [sumOfMapLists].
//
// A sum finds keys as rules do. Equality looks up the escaped name of a key in the raw
// object, so that for "namespace" or "a-b" all elements have the key null, as in the
// server.

type mapList struct{ listValue }

func (l *mapList) Equal(other ref.Val) ref.Val {
	return equalByKey(l, other, func(e ref.Val) any { return rawKey(e.Value(), l.declared.keys) })
}

func (l *mapList) Add(other ref.Val) ref.Val { return merge(l, other, l.declared.keys) }

type sumOfMapLists struct {
	traits.Lister
	keys []string
}

// Printed is the text in errors.
func (*sumOfMapLists) Printed() string { return partText }

func (l *sumOfMapLists) Equal(other ref.Val) ref.Val {
	return equalByKey(l, other, func(e ref.Val) any { return keyOf(e, l.keys) })
}

func (l *sumOfMapLists) Add(other ref.Val) ref.Val { return merge(l, other, l.keys) }

// equalByKey compares two lists: elements with the same keys must be equal.
func equalByKey(list traits.Lister, other ref.Val, key func(ref.Val) any) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if list.Size() != o.Size() {
		return types.False
	}
	byKey := make(map[any]ref.Val)
	for e := range each(list) {
		byKey[key(e)] = e
	}
	seen := make(map[any]struct{}, len(byKey))
	for theirs := range each(o) {
		k := key(theirs)
		mine, ok := byKey[k]
		if !ok {
			return types.False
		}
		if eq := mine.Equal(theirs); eq != types.True {
			return eq
		}
		seen[k] = struct{}{}
	}
	return types.Bool(len(seen) == len(byKey))
}

func merge(list traits.Lister, other ref.Val, keys []string) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	var sum []ref.Val
	index := make(map[any]int)
	for e := range each(list) {
		index[keyOf(e, keys)] = len(sum)
		sum = append(sum, e)
	}
	for e := range each(o) {
		if i, ok := index[keyOf(e, keys)]; ok {
			sum[i] = e
		} else {
			sum = append(sum, e)
		}
	}
	return &sumOfMapLists{Lister: types.NewRefValList(types.DefaultTypeAdapter, sum), keys: keys}
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

// rawKey is keyOf for raw elements. A result that is no map key panics, which is an
// internal error of the rule.
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

// Lists of type set are equal with the same elements in any order. Their sum is their
// union, a [sumOfSets].

type setList struct{ listValue }

func (l *setList) Equal(other ref.Val) ref.Val { return sameSet(l, other) }

func (l *setList) Add(other ref.Val) ref.Val { return union(l, other) }

type sumOfSets struct{ traits.Lister }

// Printed is the text in errors.
func (*sumOfSets) Printed() string { return partText }

func (l *sumOfSets) Equal(other ref.Val) ref.Val { return sameSet(l, other) }

func (l *sumOfSets) Add(other ref.Val) ref.Val { return union(l, other) }

func sameSet(list traits.Lister, other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if list.Size() != o.Size() {
		return types.False
	}
	members := make(map[any]struct{})
	for e := range each(list) {
		k, err := memberKey(e)
		if err != nil {
			return err
		}
		members[k] = struct{}{}
	}
	seen := make(map[any]struct{}, len(members))
	for e := range each(o) {
		k, err := memberKey(e)
		if err != nil {
			return err
		}
		if _, ok := members[k]; !ok {
			return types.False
		}
		seen[k] = struct{}{}
	}
	return types.Bool(len(seen) == len(members))
}

// union appends the elements of other that are missing.
func union(list traits.Lister, other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	var sum []ref.Val
	members := make(map[any]struct{})
	for e := range each(list) {
		k, err := memberKey(e)
		if err != nil {
			return err
		}
		members[k] = struct{}{}
		sum = append(sum, e)
	}
	for e := range each(o) {
		k, err := memberKey(e)
		if err != nil {
			return err
		}
		if _, ok := members[k]; !ok {
			members[k] = struct{}{}
			sum = append(sum, e)
		}
	}
	return &sumOfSets{Lister: types.NewRefValList(types.DefaultTypeAdapter, sum)}
}

// memberKey returns a comparable value that identifies an element of a set.
func memberKey(e ref.Val) (key any, err ref.Val) {
	switch e.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	return hashable(e.Value()), nil
}

// hashable returns raw, or a text of its type and value if it is no key of a Go map.
func hashable(raw any) any {
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw)
	}
	return raw
}
