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

// union appends the elements of other that are missing. It keeps equal elements
// of the left list.
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

// hashable returns raw, or a text of its type and value if raw cannot be a key of
// a Go map.
func hashable(raw any) any {
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw)
	}
	return raw
}
