package leafcheck

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// List has the checks of lists, except type, enum and the checks of elements.
//
// Scalars of a set are compared as Go values: int64(1) and float64(1) differ, and null equals null.
// Objects and lists are compared as JSON.
//
// Elements of a map list are equal if their keys are equal. They must be objects, or null, which
// has no keys. A single key is compared like an element of a set, several keys as JSON. A key is
// also equal if both elements lack it.
type List struct {
	Size
	Unique bool // uniqueItems: elements are compared with jsonval.Equal
	Kind   ListKind
	Keys   []string // of a MapList
}

// A ListKind is the x-kubernetes-list-type. All types that allow equal elements are one kind.
type ListKind uint8

const (
	AnyList ListKind = iota
	SetList
	MapList
)

// Valid reports whether list passes all checks.
func (l *List) Valid(list []any) bool {
	return l.Allows(len(list)) && (!l.Unique || !HasEqual(list)) && l.Distinct(list)
}

// HasEqual reports whether two elements are equal values of the same Go types.
func HasEqual(list []any) bool {
	for i, v := range list {
		for _, u := range list[:i] {
			if jsonval.Equal(v, u) {
				return true
			}
		}
	}
	return false
}

// Distinct reports whether the elements conform to the list type. It does not allocate for up to 16
// scalars or keys.
func (l *List) Distinct(list []any) bool {
	switch {
	case l.Kind == AnyList:
		return true
	case l.Kind == MapList && !onlyObjects(list):
		return false
	case len(list) > pairwise:
		return l.distinctLong(list)
	}
	for i, v := range list {
		for _, u := range list[:i] {
			if l.same(v, u) {
				return false
			}
		}
	}
	return true
}

// pairwise is the length of the longest lists that are compared in pairs. Longer lists use a map.
const pairwise = 16

func onlyObjects(list []any) bool {
	for _, v := range list {
		switch v.(type) {
		case map[string]any, nil:
		default:
			return false
		}
	}
	return true
}

// same reports whether two elements are equal. The elements of a MapList must be objects or null.
func (l *List) same(a, b any) bool {
	if l.Kind != MapList {
		return sameElement(a, b)
	}
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	for _, key := range l.Keys {
		v, inX := x[key]
		w, inY := y[key]
		switch {
		case inX != inY:
			return false
		case len(l.Keys) == 1:
			return sameElement(v, w)
		case !sameText(v, w):
			return false
		}
	}
	return true
}

// sameElement reports whether two elements of a set are equal: scalars of one Go type, or other
// values with the same JSON text.
func sameElement(a, b any) bool {
	switch a.(type) {
	case nil, bool, int64, float64, string:
		return a == b
	}
	return sameText(a, b)
}

// sameText reports whether a and b have the same JSON text. Different numbers, or strings that are
// not UTF-8, may have the same text.
func sameText(a, b any) bool {
	switch x := a.(type) {
	case nil, bool:
		return a == b
	case int64:
		if y, ok := b.(int64); ok {
			return x == y
		}
	case string:
		if y, ok := b.(string); !ok || x == y || utf8.ValidString(x) {
			return ok && x == y
		}
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func (l *List) distinctLong(list []any) bool {
	seen := make(map[any]struct{}, len(list))
	for _, v := range list {
		id, err := l.Identity(v)
		if _, ok := seen[id]; ok || err != nil {
			return false
		}
		seen[id] = struct{}{}
	}
	return true
}

// Identity returns a comparable value for an element. Only equal elements have equal values. It
// returns an error if the element has no JSON text.
func (l *List) Identity(element any) (any, error) {
	switch {
	case l.Kind == MapList && len(l.Keys) == 1:
		obj, _ := element.(map[string]any)
		var ok bool
		if element, ok = obj[l.Keys[0]]; !ok {
			return absent{}, nil
		}
	case l.Kind == MapList:
		element = l.KeysOf(element)
	}
	switch element.(type) {
	case nil, bool, int64, float64, string:
		return element, nil
	}
	text, err := json.Marshal(element)
	return jsonText(text), err
}

// absent is the identity of an element that lacks the only key of the list.
type absent struct{}

// jsonText is the JSON text of an object or a list. It is never equal to a string.
type jsonText string

func (l *List) KeysOf(element any) map[string]any {
	obj, _ := element.(map[string]any)
	out := make(map[string]any, len(l.Keys))
	for _, k := range l.Keys {
		if v, ok := obj[k]; ok {
			out[k] = v
		}
	}
	return out
}

// Distinct reports whether all lists in v conform to their list types. It checks nothing else.
func (n *Node) Distinct(v any) bool {
	if n == nil || !n.HasLists {
		return true
	}
	switch v := v.(type) {
	case []any:
		return n.distinctList(v)
	case map[string]any:
		return n.distinctObject(v)
	}
	return true
}

func (n *Node) distinctList(list []any) bool {
	if n.List != nil && !n.List.Distinct(list) {
		return false
	}
	if n.Items == nil || !n.Items.HasLists {
		return true
	}
	for _, v := range list {
		if !n.Items.Distinct(v) {
			return false
		}
	}
	return true
}

func (n *Node) distinctObject(obj map[string]any) bool {
	if a := n.Fields.Additional; a != nil && a.HasLists {
		for _, v := range obj {
			if !a.Distinct(v) {
				return false
			}
		}
	}
	for i := range n.Fields.Props {
		p := &n.Fields.Props[i]
		if !p.Node.HasLists {
			continue
		}
		if v, ok := obj[p.Name]; ok && !p.Node.Distinct(v) {
			return false
		}
	}
	return true
}

// Fields has the checks of objects, except type and enum.
//
// Usually the declared properties are looked up in the object. This is faster than a loop over the
// object. There is a loop if the object is small and the schema large, or if undeclared properties
// can be invalid.
type Fields struct {
	Size
	Required []string // in the order of the schema

	// Props are the declared properties, sorted by name.
	Props []Prop

	// Additional is the schema of undeclared properties, nil if any value is valid. If Closed is
	// true, undeclared properties are forbidden.
	Additional *Node
	Closed     bool

	additional *Node          // Additional, or nil if it admits every value
	byName     map[string]int // index in Props
	nodes      []*Node        // of Props; nil for nodes that admit every value
	probed     []Prop         // the Props that can refuse a value
}

// A Size bounds the number of members of an object, or of elements of a list.
type Size struct{ Min, Max schema.Count }

// Allows reports whether n members or elements are within the bounds.
func (s *Size) Allows(n int) bool {
	return (!s.Min.Set || int64(n) >= s.Min.N) && (!s.Max.Set || int64(n) <= s.Max.N)
}

type Prop struct {
	Name string
	Node *Node
}

func (f *Fields) finish() {
	f.byName = make(map[string]int, len(f.Props))
	for i, p := range f.Props {
		p.Node = p.Node.orNilIfAdmitsAll()
		f.byName[p.Name] = i
		f.nodes = append(f.nodes, p.Node)
		if p.Node != nil {
			f.probed = append(f.probed, p)
		}
	}
	f.additional = f.Additional.orNilIfAdmitsAll()
}

func (f *Fields) admitsAll() bool {
	return len(f.probed) == 0 && len(f.Required) == 0 && f.additional == nil && !f.Closed && !f.Min.Set && !f.Max.Set
}

// Index returns the index of a property in Props, and reports whether it is declared.
func (f *Fields) Index(name string) (int, bool) {
	i, ok := f.byName[name]
	return i, ok
}

func (f *Fields) valid(m map[string]any) bool {
	if !f.Allows(len(m)) {
		return false
	}
	if f.additional != nil || f.Closed || len(f.probed) > probeRatio*len(m)+probeBase {
		return f.validRange(m)
	}
	for i := range f.probed {
		p := &f.probed[i]
		if v, ok := m[p.Name]; ok && !p.Node.Valid(v) {
			return false
		}
	}
	return hasAll(m, f.Required)
}

// Up to probeRatio*n + probeBase properties are looked up in an object of n entries. For more
// properties a loop over the object is faster.
const (
	probeRatio = 2
	probeBase  = 6
)

func (f *Fields) validRange(m map[string]any) bool {
	for name, v := range m {
		n := f.additional
		if i, ok := f.byName[name]; ok {
			n = f.nodes[i]
		} else if f.Closed {
			return false
		}
		if !n.Valid(v) {
			return false
		}
	}
	return hasAll(m, f.Required)
}

func hasAll(m map[string]any, names []string) bool {
	for _, name := range names {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	return true
}
