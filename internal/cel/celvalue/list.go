package celvalue

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// A listValue is a list with an order: it is neither of type set nor of type map.
type listValue struct {
	raw      []any
	declared *DeclaredType
}

var _ traits.Lister = (*listValue)(nil)

func (s *DeclaredType) listValue(raw any) ref.Val {
	list, ok := raw.([]any)
	if !ok {
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	}
	switch s.Kind {
	case KindAtomicList:
		l := &listValue{raw: list, declared: s}
		if s.Made { // cel-go compares elements in another way
			return types.NewRefValList(types.DefaultTypeAdapter, l.elements())
		}
		return l
	case KindSetList:
		return &setList{listValue{raw: list, declared: s}}
	case KindMapList:
		return &mapList{listValue{raw: list, declared: s}}
	case KindListWithoutItems:
		return types.NewErr("invalid array type, expected Items with a non-empty Schema")
	}
	return types.NewErr("invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got %s", s.list)
}

func (l *listValue) at(i int) ref.Val { return l.declared.Items.Value(l.raw[i]) }

func (l *listValue) elements() []ref.Val {
	out := make([]ref.Val, len(l.raw))
	for i := range l.raw {
		out[i] = l.at(i)
	}
	return out
}

func each(list traits.Lister) iter.Seq[ref.Val] {
	return func(yield func(ref.Val) bool) {
		for it := list.Iterator(); it.HasNext() == types.True && yield(it.Next()); {
		}
	}
}

func (l *listValue) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index: %v", index)
	}
	if i < 0 || int(i) >= len(l.raw) {
		return types.NewErr("index out of bounds: %v", index)
	}
	return l.at(int(i))
}

func (l *listValue) Size() ref.Val { return types.Int(len(l.raw)) }

func (l *listValue) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	sum := l.elements()
	for e := range each(o) {
		sum = append(sum, e)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, sum)
}

// Contains implements traits.Lister. It returns the error of a comparison only if no element is
// equal.
func (l *listValue) Contains(v ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	var trouble ref.Val
	for i := range l.raw {
		eq := l.at(i).Equal(v)
		if eq == types.True {
			return types.True
		}
		if _, ok := eq.(types.Bool); !ok && trouble == nil {
			trouble = types.MaybeNoSuchOverloadErr(eq)
		}
	}
	if trouble != nil {
		return trouble
	}
	return types.False
}

func (l *listValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i := range l.raw {
		if eq := l.at(i).Equal(o.Get(types.Int(i))); eq != types.True {
			return eq
		}
	}
	return types.True
}

func (l *listValue) Iterator() traits.Iterator { return &listIterator{listValue: l} }

type listIterator struct {
	*listValue
	next int
}

func (it *listIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.raw)) }

func (it *listIterator) Next() ref.Val {
	it.next++
	return it.at(it.next - 1)
}

// ConvertToNative implements ref.Val. A list of strings becomes a []string, which functions expect.
func (l *listValue) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), t)
	}
	if l.declared.Items.TypeName != "string" {
		return l.raw, nil
	}
	var out []string
	for _, e := range l.raw {
		s, ok := e.(string)
		if !ok {
			return nil, fmt.Errorf("expected all elements to be of type string, but got %T", e)
		}
		out = append(out, s)
	}
	return out, nil
}

func (l *listValue) ConvertToType(t ref.Type) ref.Val { return convert(l, types.ListType, t) }

func (l *listValue) Type() ref.Type { return types.ListType }

func (l *listValue) Value() any { return l.raw }

// PartOfObject marks values that an evaluation did not make.
func (*listValue) PartOfObject() {}

// partText is the text of a list or object in errors, where cel-go prints an address.
const partText = "part of the object"

func (*listValue) Printed() string { return partText }

// Lists of type map are equal if elements with the same keys are equal, in any order. In a sum,
// elements of the right list replace elements of the left one. The sum is a [sumOfMapLists], which
// is also a list of type map.
//
// Adding lists finds the keys of elements as rules do. But == looks up the escaped name of a key in
// the raw object, as the server does. So a key with an escaped name, such as "namespace" or "a-b",
// is null in all elements.

type mapList struct{ listValue }

func (l *mapList) Equal(other ref.Val) ref.Val {
	return equalByKey(l, other, func(e ref.Val) any { return rawKey(e.Value(), l.declared.keys) })
}

func (l *mapList) Add(other ref.Val) ref.Val { return merge(l, other, l.declared.keys) }

type sumOfMapLists struct {
	traits.Lister
	keys []string
}

func (*sumOfMapLists) Printed() string { return partText }

func (l *sumOfMapLists) Equal(other ref.Val) ref.Val {
	return equalByKey(l, other, func(e ref.Val) any { return keyOf(e, l.keys) })
}

func (l *sumOfMapLists) Add(other ref.Val) ref.Val { return merge(l, other, l.keys) }

// equalByKey compares two lists. Elements with the same keys must be equal.
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

// keyOf returns a comparable value for the keys of an element.
func keyOf(e ref.Val, keys []string) any {
	return composite(keys, func(key string) any {
		v := fieldValue(e, types.String(key))
		if v == nil || types.IsUnknownOrError(v) {
			return nil
		}
		return hashable(v.Value())
	})
}

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

// rawKey is keyOf for raw elements. A value that cannot be a map key panics, which is an internal
// error of the rule.
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

// Lists of type set are equal if they have the same elements, in any order. Their sum is their
// union, a [sumOfSets].

type setList struct{ listValue }

func (l *setList) Equal(other ref.Val) ref.Val { return sameSet(l, other) }

func (l *setList) Add(other ref.Val) ref.Val { return union(l, other) }

type sumOfSets struct{ traits.Lister }

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

// union returns the first list, then the elements that only the second list has.
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

// memberKey returns a comparable value for an element of a set.
func memberKey(e ref.Val) (key any, err ref.Val) {
	switch e.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	return hashable(e.Value()), nil
}

// hashable returns raw. If raw cannot be the key of a Go map, it returns a text of its type and
// value.
func hashable(raw any) any {
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw)
	}
	return raw
}
