package celvalue

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// This file implements lists of type set. Two are equal if they have the same
// elements, in any order. The sum is their union, which is a set again: a
// [sumOfSets].

type setList struct{ listValue }

func (l *setList) Equal(other ref.Val) ref.Val {
	return sameSet(len(l.raw), l.at, other)
}

func (l *setList) Add(other ref.Val) ref.Val { return union(l.elements, other) }

type sumOfSets struct {
	traits.Lister
	list []ref.Val
}

// Printed is the text in errors.
func (*sumOfSets) Printed() string { return partText }

func (l *sumOfSets) Equal(other ref.Val) ref.Val {
	return sameSet(len(l.list), func(i int) ref.Val { return l.list[i] }, other)
}

func (l *sumOfSets) Add(other ref.Val) ref.Val {
	return union(func() []ref.Val { return append([]ref.Val(nil), l.list...) }, other)
}

func sameSet(n int, at func(int) ref.Val, other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(n) != o.Size() {
		return types.False
	}
	members := make(map[any]struct{}, n)
	for i := range n {
		k, err := memberKey(at(i))
		if err != nil {
			return err
		}
		members[k] = struct{}{}
	}
	seen := make(map[any]struct{}, n)
	for it := o.Iterator(); it.HasNext() == types.True; {
		k, err := memberKey(it.Next())
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

// union appends the elements of other that are missing. It keeps equal elements
// of the left list.
func union(elements func() []ref.Val, other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	sum := elements()
	members := make(map[any]struct{}, len(sum))
	for _, e := range sum {
		k, err := memberKey(e)
		if err != nil {
			return err
		}
		members[k] = struct{}{}
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		k, err := memberKey(e)
		if err != nil {
			return err
		}
		if _, ok := members[k]; !ok {
			members[k] = struct{}{}
			sum = append(sum, e)
		}
	}
	return &sumOfSets{Lister: types.NewRefValList(types.DefaultTypeAdapter, sum), list: sum}
}

// memberKey returns a comparable value that identifies an element of a set.
func memberKey(e ref.Val) (key any, err ref.Val) {
	switch e.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	return hashable(e.Value()), nil
}

// hashable returns raw, or a text of its type and value if raw cannot be a key of
// a Go map.
func hashable(raw any) any {
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw)
	}
	return raw
}
