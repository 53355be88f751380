package celvalue

import (
	"time"

	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// A DeclaredType describes the raw values of a schema. It is immutable. It is compiled once, so
// that finding a field is one lookup.
type DeclaredType struct {
	Kind     Kind
	nullable bool
	TypeName string // type in the schema, for errors

	// For objects. Without Props and Values, rules can only compare an object and take its size.
	Props  map[string]*DeclaredType // by name; nil if no fields are declared
	fields map[string]declaredField // by the identifiers of rules
	Values *DeclaredType            // of maps

	// For lists.
	Items *DeclaredType
	keys  []string // x-kubernetes-list-map-keys, escaped
	list  string   // x-kubernetes-list-type
	Made  bool     // a rule made the list
}

type declaredField struct {
	name     string // property name
	declared *DeclaredType
}

type Kind uint8

const (
	KindNone Kind = iota // no value matches
	KindIntOrString
	KindObject
	KindAtomicList
	KindSetList
	KindMapList
	KindList // a list of an unknown x-kubernetes-list-type
	KindListWithoutItems
	KindString
	KindByte
	KindDuration
	KindDate
	KindDateTime
	KindNumber
	KindInteger
	KindBoolean
	KindPreserved // values that can only be compared
)

// Types compiles schemas to declared types. Equal schemas share a type. It belongs to one
// goroutine.
type Types map[typeKey]*DeclaredType

type typeKey struct {
	node *schema.Node
	root bool // implied apiVersion, kind and metadata replace declared ones
}

var stringType = &DeclaredType{Kind: KindString, TypeName: "string"}

// StringList is the type of a list of strings that a rule makes.
var StringList = stringType.MadeList()

// Of returns the declared type of values of n. root says whether n is the root of a resource.
func (c Types) Of(n *schema.Node, root bool) *DeclaredType {
	key := typeKey{node: n, root: (root || n.EmbeddedResource()) && !celtypes.DeclaresMeta(n)}
	if s, ok := c[key]; ok {
		return s
	}
	s := &DeclaredType{Kind: kindOf(n), nullable: n.Nullable(), TypeName: n.Type()}
	c[key] = s
	switch s.Kind {
	case KindObject:
		c.object(s, n, key.root)
	case KindAtomicList, KindSetList, KindMapList, KindList:
		s.Items = c.Of(n.Items(), false)
		s.list, _ = n.ListType()
		s.keys = escapeAll(n.ListMapKeys())
	}
	return s
}

func (c Types) object(s *DeclaredType, n *schema.Node, implied bool) {
	if n.Len() > 0 || implied {
		s.Props = make(map[string]*DeclaredType, n.Len())
		for name, child := range n.Properties() {
			s.Props[name] = c.Of(child, false)
		}
		if implied {
			s.Props["apiVersion"], s.Props["kind"], s.Props["metadata"] = stringType, stringType, metadataType()
		}
		s.fields = fieldTable(s.Props)
		return
	}
	if values, _ := n.AdditionalProperties(); values != nil {
		s.Values = c.Of(values, false)
	}
}

func metadataType() *DeclaredType {
	s := &DeclaredType{Kind: KindObject, TypeName: "object", Props: map[string]*DeclaredType{"name": stringType, "generateName": stringType}}
	s.fields = fieldTable(s.Props)
	return s
}

// fieldTable returns fields by escaped name. A reserved word has a second entry with its own name.
func fieldTable(props map[string]*DeclaredType) map[string]declaredField {
	t := make(map[string]declaredField, len(props))
	for name, s := range props {
		for _, spelled := range spellings(name) {
			if back, ok := apiservercel.Unescape(spelled); ok && back == name {
				t[spelled] = declaredField{name: name, declared: s}
			}
		}
	}
	return t
}

func spellings(name string) []string {
	escaped, ok := apiservercel.Escape(name)
	if !ok || escaped == name {
		return []string{name}
	}
	return []string{name, escaped}
}

// escapeAll escapes names. Names that cannot be escaped are kept.
func escapeAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if escaped, ok := apiservercel.Escape(name); ok {
			out[i] = escaped
		}
	}
	return out
}

func kindOf(n *schema.Node) Kind {
	if n.IntOrString() {
		return KindIntOrString
	}
	switch n.Kind() {
	case schema.KindObject:
		return KindObject
	case schema.KindArray:
		return listKind(n)
	case schema.KindString:
		return stringKind(n.Limits().Format)
	case schema.KindNumber:
		return KindNumber
	case schema.KindInteger:
		return KindInteger
	case schema.KindBoolean:
		return KindBoolean
	}
	if n.PreserveUnknownFields() {
		return KindPreserved
	}
	return KindNone
}

func listKind(n *schema.Node) Kind {
	if n.Items() == nil {
		return KindListWithoutItems
	}
	switch t, _ := n.ListType(); t {
	case "", "atomic":
		return KindAtomicList
	case "set":
		return KindSetList
	case "map":
		return KindMapList
	}
	return KindList
}

func stringKind(format string) Kind {
	switch format {
	case "byte":
		return KindByte
	case "duration":
		return KindDuration
	case "date":
		return KindDate
	case "date-time":
		return KindDateTime
	}
	return KindString
}

// Entry returns the name and the type of the property for an identifier. The type is nil if there
// is no such property.
func (s *DeclaredType) Entry(spelled string) (string, *DeclaredType) {
	if s.Props == nil {
		return spelled, s.Values
	}
	f, ok := s.fields[spelled]
	if !ok {
		f, _ = s.overescaped(spelled)
	}
	return f.name, f.declared
}

// Fits reports whether [DeclaredType.Value] succeeds. It returns false for null.
func (s *DeclaredType) Fits(v any) bool {
	switch s.Kind {
	case KindString:
		_, ok := v.(string)
		return ok
	case KindObject:
		_, ok := v.(map[string]any)
		return ok
	case KindAtomicList, KindSetList, KindMapList:
		_, ok := v.([]any)
		return ok
	case KindBoolean:
		_, ok := v.(bool)
		return ok
	case KindInteger:
		_, ok := v.(int64)
		return ok
	case KindNumber:
		switch v.(type) {
		case float64, int64:
			return true
		}
		return false
	case KindIntOrString:
		switch v.(type) {
		case string, int64:
			return true
		}
		return false
	case KindDuration:
		_, ok := ParseDuration(v)
		return ok
	case KindDate, KindDateTime:
		_, ok := s.Time(v)
		return ok
	}
	return v != nil && !types.IsUnknownOrError(s.Value(v))
}

// MadeList returns the type of a list that a rule makes of values of type s.
func (s *DeclaredType) MadeList() *DeclaredType {
	return &DeclaredType{Kind: KindAtomicList, TypeName: "array", Items: s, Made: true}
}

func (s *DeclaredType) IsList() bool {
	return s.Kind == KindAtomicList || s.Kind == KindSetList || s.Kind == KindMapList
}

// Collectable reports whether a list that a rule makes of values of type s behaves like a list in
// the object.
func (s *DeclaredType) Collectable() bool {
	switch s.Kind {
	case KindString, KindInteger, KindNumber, KindBoolean, KindObject, KindAtomicList, KindSetList, KindMapList:
		return true
	}
	return false
}

// ParseDuration parses a raw value of [KindDuration]. ok is false if v is not valid.
func ParseDuration(v any) (time.Duration, bool) {
	text, ok := v.(string)
	if !ok {
		return 0, false
	}
	d, err := strfmt.ParseDuration(text)
	return d, err == nil
}

// Time parses a raw value of [KindDate] or [KindDateTime]. ok is false if v is not valid.
func (s *DeclaredType) Time(v any) (time.Time, bool) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, false
	}
	if s.Kind == KindDate {
		t, err := time.Parse(strfmt.RFC3339FullDate, text)
		return t, err == nil
	}
	// This is the usual layout. Parsing another layout allocates.
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	t, err := strfmt.ParseDateTime(text)
	return time.Time(t), err == nil
}
