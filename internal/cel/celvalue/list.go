package celvalue

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// A listValue is a list in which order matters: neither a set nor a map.
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

// each returns an iterator over the elements of a list.
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

// Contains implements traits.Lister. A failed comparison counts only without an equal
// element.
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

// ConvertToNative implements ref.Val. Lists of strings become []string, as functions
// expect.
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

// partText is the text of a list or object in errors, where cel-go prints addresses.
const partText = "part of the object"

// Printed is the text in errors.
func (*listValue) Printed() string { return partText }
