package celvalue

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// A mapValue is an object or a map. A null field is absent. Undeclared fields are invisible, but
// count for the size.
type mapValue struct {
	raw      map[string]any
	declared *DeclaredType
}

var _ traits.Mapper = (*mapValue)(nil)

// entryType returns the declared type of an entry, nil if there is none.
func (m *mapValue) entryType(name string) *DeclaredType {
	if m.declared.Props != nil {
		return m.declared.Props[name]
	}
	return m.declared.Values
}

func (m *mapValue) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	return m.find(string(name))
}

func (m *mapValue) find(key string) (ref.Val, bool) {
	if m.declared.Props == nil {
		if m.declared.Values == nil {
			return nil, false
		}
		raw, ok := m.raw[key]
		if !ok {
			return nil, false
		}
		return m.declared.Values.Value(raw), true
	}
	f, ok := m.declared.fields[key]
	if !ok {
		f, ok = m.declared.overescaped(key)
	}
	if !ok {
		return nil, false
	}
	raw := m.raw[f.name]
	if raw == nil {
		return nil, false
	}
	return f.declared.Value(raw), true
}

// overescaped returns the field for a name that is escaped more than necessary.
func (s *DeclaredType) overescaped(key string) (declaredField, bool) {
	if !strings.Contains(key, "__") {
		return declaredField{}, false
	}
	name, ok := apiservercel.Unescape(key)
	if !ok {
		return declaredField{}, false
	}
	child, ok := s.Props[name]
	return declaredField{name: name, declared: child}, ok
}

func (m *mapValue) Get(key ref.Val) ref.Val {
	v, found := m.Find(key)
	if found {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (m *mapValue) Contains(key ref.Val) ref.Val {
	v, found := m.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

func (m *mapValue) Size() ref.Val { return types.Int(len(m.raw)) }

// Equal implements ref.Val. Objects are equal if they have the same size and equal declared
// entries. An undeclared entry is compared only if other also has it. If several entries are not
// equal, the first by name sets the result: false or an error.
func (m *mapValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != o.Size() {
		return types.False
	}
	first, out := "", ref.Val(types.True)
	for name := range m.raw {
		if out != types.True && name > first {
			continue
		}
		if eq := m.equalEntry(name, o); eq != types.True {
			first, out = name, eq
		}
	}
	return out
}

func (m *mapValue) equalEntry(name string, other traits.Mapper) ref.Val {
	if m.entryType(name) == nil {
		theirs, ok := other.(*mapValue)
		if !ok {
			return types.MaybeNoSuchOverloadErr(other)
		}
		w, ok := theirs.raw[name]
		return types.Bool(!ok || equalRaw(m.raw[name], w))
	}
	key := types.String(name)
	mine, found := m.Find(key)
	theirs, theyFound := other.Find(key)
	if found != theyFound {
		return types.False
	}
	if !found {
		return types.True
	}
	return mine.Equal(theirs)
}

// Iterator implements traits.Mapper. Keys are in increasing order.
func (m *mapValue) Iterator() traits.Iterator {
	keys := make([]ref.Val, 0, len(m.raw)) // without undeclared entries
	for name := range m.raw {
		if m.entryType(name) == nil {
			continue
		}
		if m.declared.Props != nil {
			if escaped, ok := apiservercel.Escape(name); ok {
				name = escaped
			}
		}
		keys = append(keys, types.String(name))
	}
	slices.SortFunc(keys, cellib.CompareKeys)
	return &mapIterator{mapValue: m, keys: keys[:len(m.raw)]}
}

type mapIterator struct {
	*mapValue
	keys []ref.Val
	next int
}

func (it *mapIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.keys)) }

func (it *mapIterator) Next() ref.Val {
	it.next++
	return it.keys[it.next-1]
}

func (m *mapValue) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Map {
		return m.raw, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", m.Type(), t)
}

func (m *mapValue) ConvertToType(t ref.Type) ref.Val { return convert(m, types.MapType, t) }

func convert(v ref.Val, own *types.Type, t ref.Type) ref.Val {
	switch t {
	case own:
		return v
	case types.TypeType:
		return own
	}
	return types.NewErr("type conversion error from '%s' to '%s'", own, t.TypeName())
}

func (m *mapValue) Type() ref.Type { return types.MapType }

func (m *mapValue) Value() any { return m.raw }

func (*mapValue) PartOfObject() {}

func (*mapValue) Printed() string { return partText }
