package rawobject

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// A Member is a member of an object.
type Member struct {
	Name  string
	Value any
}

// A List is an object: its members in increasing order of their names. The zero List
// is an empty object. Several goroutines may read it.
type List struct{ all []Member }

// Add adds a member. The caller calls [List.Complete] after the last one.
func (l *List) Add(name string, v any) { l.all = append(l.all, Member{name, v}) }

// Complete puts the members in order. It reports false if a name is repeated.
func (l *List) Complete() bool {
	for i := 1; i < len(l.all); i++ {
		if l.all[i-1].Name >= l.all[i].Name {
			return l.sort()
		}
	}
	return true
}

func (l *List) sort() bool {
	slices.SortFunc(l.all, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(l.all); i++ {
		if l.all[i-1].Name == l.all[i].Name {
			return false
		}
	}
	return true
}

// maxKept is the number of members that an empty list keeps room for.
const maxKept = 1024

// Clear removes all members, and keeps memory for others.
func (l *List) Clear() {
	if cap(l.all) > maxKept {
		l.all = nil
		return
	}
	clear(l.all)
	l.all = l.all[:0]
}

// few is the number of members that are compared one by one.
const few = 12

// get returns the value of a member, and whether there is one.
func (l *List) get(name string) (any, bool) {
	all := l.all
	if len(all) > few {
		at, found := slices.BinarySearchFunc(all, name, func(m Member, name string) int { return cmp.Compare(m.Name, name) })
		if !found {
			return nil, false
		}
		return all[at].Value, true
	}
	for i := range all {
		if all[i].Name == name {
			return all[i].Value, true
		}
	}
	return nil, false
}

// An Object is a map[string]any or a [*List], to be read. The zero Object has no
// members.
type Object struct {
	list   *List
	object map[string]any
}

// Of returns the object that v is. It reports false for other values.
func Of(v any) (o Object, ok bool) {
	switch v := v.(type) {
	case *List:
		return Object{list: v}, true
	case map[string]any:
		return Object{object: v}, true
	}
	return Object{}, false
}

// Lookup returns the value of a member of v, and whether there is one. It is not ok
// if v is not an object.
func Lookup(v any, name string) (value any, found, ok bool) {
	switch v := v.(type) {
	case *List:
		value, found = v.get(name)
	case map[string]any:
		value, found = v[name]
	default:
		return nil, false, false
	}
	return value, found, true
}

// Is reports whether v is an object.
func Is(v any) bool {
	_, ok := Of(v)
	return ok
}

// Get returns the value of a member, and whether there is one.
func (o Object) Get(name string) (any, bool) {
	if o.list != nil {
		return o.list.get(name)
	}
	v, ok := o.object[name]
	return v, ok
}

// Len returns the number of members.
func (o Object) Len() int {
	if o.list != nil {
		return len(o.list.all)
	}
	return len(o.object)
}

// AppendNames appends the names of the members to names, in no particular order.
func (o Object) AppendNames(names []string) []string {
	if o.list == nil {
		for name := range o.object {
			names = append(names, name)
		}
		return names
	}
	for i := range o.list.all {
		names = append(names, o.list.all[i].Name)
	}
	return names
}

// Parts returns the members of a list, or the map.
func (o Object) Parts() ([]Member, map[string]any) {
	if o.list != nil {
		return o.list.all, nil
	}
	return nil, o.object
}

// Names yields the names of the members, in no particular order.
func (o Object) Names() iter.Seq[string] {
	if o.list == nil {
		return maps.Keys(o.object)
	}
	return func(yield func(string) bool) {
		for i := range o.list.all {
			if !yield(o.list.all[i].Name) {
				return
			}
		}
	}
}

// Raw returns the map or list that the object was made of.
func (o Object) Raw() any {
	if o.list != nil {
		return o.list
	}
	return o.object
}

// Map returns the object as a map, which may belong to the object. Its values are
// those of [WithMaps] if the object is a list.
func (o Object) Map() map[string]any {
	if o.list == nil {
		return o.object
	}
	out := make(map[string]any, len(o.list.all))
	for _, m := range o.list.all {
		out[m.Name] = WithMaps(m.Value)
	}
	return out
}

// WithMaps returns v with maps for lists of members.  The elements of a list must be either
// all lists of members, or lists of those, or none, apart from nil. A map must not
// contain any. The result may share memory with v.
func WithMaps(v any) any {
	switch v := v.(type) {
	case *List:
		return Object{list: v}.Map()
	case []any:
		if holds, _ := holdsLists(v); !holds {
			return v
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = WithMaps(e)
		}
		return out
	}
	return v
}

// holdsLists reports whether elements of v are, or hold, lists of members. The first
// element that is not nil or empty tells; without one it is not known.
func holdsLists(v []any) (holds, known bool) {
	for _, e := range v {
		switch e := e.(type) {
		case nil:
		case *List:
			return true, true
		case []any:
			if holds, known = holdsLists(e); known {
				return holds, true
			}
		default:
			return false, true
		}
	}
	return false, false
}
