package cel

import (
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/schema"
)

// A shape says how to show a raw value of an object to rules. It is compiled
// from a node once, so that access to a field is one lookup, where the server
// copies all properties of the object first.
type shape struct {
	kind     shapeKind
	nullable bool
	typ      string // as declared

	// Of objects. An object that has neither is opaque: it has a size and can
	// be compared.
	props  map[string]*shape  // by name, nil unless fields are declared
	fields map[string]fieldOf // by the names that rules use; see shapes.object
	values *shape             // of maps

	// Of lists.
	items *shape
	keys  []string // x-kubernetes-list-map-keys as rules spell them
	list  string   // x-kubernetes-list-type as declared
}

type fieldOf struct {
	name  string // as in objects
	shape *shape
}

type shapeKind uint8

const (
	shapeNone shapeKind = iota // no value fits
	shapeIntOrString
	shapeObject
	shapeAtomicList
	shapeSetList
	shapeMapList
	shapeList // of an unknown list type
	shapeListWithoutItems
	shapeString
	shapeByte
	shapeDuration
	shapeDate
	shapeDateTime
	shapeNumber
	shapeInteger
	shapeBoolean
	shapePreserved // any value, which can only be compared
)

// shapes compiles nodes to shapes. Equal nodes share one.
type shapes map[shapeKey]*shape

type shapeKey struct {
	node *schema.Node
	root bool // implied apiVersion, kind and metadata replace what is declared
}

var stringShape = &shape{kind: shapeString, typ: "string"}

// of returns the shape of values of n. root says whether n is the root of the
// whole resource, which it need not declare as an embedded one does.
func (c shapes) of(n *schema.Node, root bool) *shape {
	key := shapeKey{node: n, root: (root || n.EmbeddedResource()) && !declaresMeta(n)}
	if s, ok := c[key]; ok {
		return s
	}
	s := &shape{kind: shapeKindOf(n), nullable: n.Nullable(), typ: n.Type()}
	c[key] = s
	switch s.kind {
	case shapeObject:
		c.object(s, n, key.root)
	case shapeAtomicList, shapeSetList, shapeMapList, shapeList:
		s.items = c.of(n.Items(), false)
		s.list, _ = n.ListType()
		s.keys = escapeAll(n.ListMapKeys())
	}
	return s
}

func (c shapes) object(s *shape, n *schema.Node, implied bool) {
	if n.Len() > 0 || implied {
		s.props = make(map[string]*shape, n.Len())
		for name, child := range n.Properties() {
			s.props[name] = c.of(child, false)
		}
		if implied {
			s.props["apiVersion"], s.props["kind"], s.props["metadata"] = stringShape, stringShape, metadataShape()
		}
		s.fields = fieldTable(s.props)
		return
	}
	if values, _ := n.AdditionalProperties(); values != nil {
		s.values = c.of(values, false)
	}
}

func metadataShape() *shape {
	s := &shape{kind: shapeObject, typ: "object", props: map[string]*shape{"name": stringShape, "generateName": stringShape}}
	s.fields = fieldTable(s.props)
	return s
}

// fieldTable returns the fields by the names that lead to them: the escaped
// name, and for a reserved word also the bare one.
func fieldTable(props map[string]*shape) map[string]fieldOf {
	t := make(map[string]fieldOf, len(props))
	for name, s := range props {
		for _, spelled := range spellings(name) {
			if back, ok := apiservercel.Unescape(spelled); ok && back == name {
				t[spelled] = fieldOf{name: name, shape: s}
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

// escapeAll escapes what can be escaped and leaves the rest.
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

func shapeKindOf(n *schema.Node) shapeKind {
	if n.IntOrString() {
		return shapeIntOrString
	}
	switch n.Kind() {
	case schema.KindObject:
		return shapeObject
	case schema.KindArray:
		return listKind(n)
	case schema.KindString:
		return stringKind(n.Limits().Format)
	case schema.KindNumber:
		return shapeNumber
	case schema.KindInteger:
		return shapeInteger
	case schema.KindBoolean:
		return shapeBoolean
	}
	if n.PreserveUnknownFields() {
		return shapePreserved
	}
	return shapeNone
}

func listKind(n *schema.Node) shapeKind {
	if n.Items() == nil {
		return shapeListWithoutItems
	}
	switch t, _ := n.ListType(); t {
	case "", "atomic":
		return shapeAtomicList
	case "set":
		return shapeSetList
	case "map":
		return shapeMapList
	}
	return shapeList
}

func stringKind(format string) shapeKind {
	switch format {
	case "byte":
		return shapeByte
	case "duration":
		return shapeDuration
	case "date":
		return shapeDate
	case "date-time":
		return shapeDateTime
	}
	return shapeString
}
