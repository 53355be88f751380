package celtypes

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/schema"
)

// SelfType is the name of the type of self. Rules cannot spell it. The server's name is random.
const SelfType = "\x00selfType"

func readable(text string) string { return strings.ReplaceAll(text, SelfType, SelfType[1:]) }

type Type struct {
	kind typeKind
	cel  *cel.Type
	Elem *Type // of lists and maps

	// For objects.
	path    string       // unique name in the provider
	node    *schema.Node // declares the fields; nil for implied metadata
	Implied bool         // apiVersion, kind and metadata are implied
}

type typeKind uint8

const (
	typScalar typeKind = iota
	typList
	typMap
	typObject
)

func scalar(t *cel.Type) *Type { return &Type{kind: typScalar, cel: t} }

// A Provider provides the types of one schema to the checker. It belongs to one goroutine.
type Provider struct {
	*apiservercel.DeclTypeProvider // types that the schema does not declare
	objects                        map[string]*Type
	keywords                       bool // as in Language
}

func (b *Language) NewProvider() *Provider {
	return &Provider{DeclTypeProvider: b.Builtin, objects: make(map[string]*Type), keywords: b.keywords}
}

// TypeOf returns the type of values of n, nil if rules cannot see them. path becomes the name of an
// object type. root says whether n is the root of a resource.
func (p *Provider) TypeOf(path string, n *schema.Node, root bool) *Type {
	if n.IntOrString() {
		return scalar(cel.DynType)
	}
	switch n.Kind() {
	case schema.KindArray:
		return p.list(path, n)
	case schema.KindObject:
		if values, _ := n.AdditionalProperties(); values != nil {
			return p.mapOf(path, values)
		}
		return p.object(&Type{path: path, node: n, Implied: root && !DeclaresMeta(n)})
	case schema.KindString:
		return scalar(stringType(n.Limits().Format))
	case schema.KindBoolean:
		return scalar(cel.BoolType)
	case schema.KindNumber:
		return scalar(cel.DoubleType)
	case schema.KindInteger:
		return scalar(cel.IntType)
	}
	return nil
}

func (p *Provider) list(path string, n *schema.Node) *Type {
	items := n.Items()
	if items == nil {
		return nil
	}
	return listOf(p.TypeOf(path+".@idx", items, items.EmbeddedResource()))
}

func listOf(elem *Type) *Type {
	if elem == nil {
		return nil
	}
	return &Type{kind: typList, cel: cel.ListType(elem.cel), Elem: elem}
}

func (p *Provider) mapOf(path string, values *schema.Node) *Type {
	return mapOf(p.TypeOf(path+".@elem", values, values.EmbeddedResource()))
}

func mapOf(elem *Type) *Type {
	if elem == nil {
		return nil
	}
	return &Type{kind: typMap, cel: cel.MapType(cel.StringType, elem.cel), Elem: elem}
}

// adopt returns a type of p that equals t. t may belong to another provider. path names the result.
func (p *Provider) adopt(path string, t *Type) *Type {
	switch t.kind {
	case typList:
		return listOf(p.adopt(path+".@idx", t.Elem))
	case typMap:
		return mapOf(p.adopt(path+".@elem", t.Elem))
	case typObject:
		return p.object(&Type{path: path, node: t.node, Implied: t.Implied})
	}
	return t
}

func (p *Provider) object(t *Type) *Type {
	t.kind, t.cel = typObject, cel.ObjectType(t.path)
	p.objects[t.path] = t
	return t
}

// Field returns the type of a field, nil if rules cannot see it. The name is escaped.
func (p *Provider) Field(t *Type, escaped string) *Type {
	if t.kind != typObject {
		return nil
	}
	path := t.path + "." + escaped
	if t.node == nil {
		if escaped == "name" || escaped == "generateName" {
			return scalar(cel.StringType)
		}
		return nil
	}
	if t.Implied {
		switch escaped {
		case "apiVersion", "kind":
			return scalar(cel.StringType)
		case "metadata":
			return p.object(&Type{path: path})
		}
	}
	name, ok := escaped, true
	if strings.Contains(escaped, "__") {
		name, ok = apiservercel.Unescape(escaped)
	}
	if !ok {
		return nil
	}
	if back, ok := apiservercel.Escape(name); !ok || back != escaped {
		return nil
	}
	child := t.node.Property(name)
	if child == nil {
		return nil
	}
	return p.TypeOf(path, child, child.EmbeddedResource())
}

func (p *Provider) FindStructType(name string) (*types.Type, bool) {
	if t, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(t.cel), true
	}
	return p.DeclTypeProvider.FindStructType(name)
}

// FindStructFieldType implements types.Provider. A reserved word has its escaped name. Since
// Kubernetes 1.31 it also has its own name.
func (p *Provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	t, ok := p.objects[name]
	if !ok {
		return p.DeclTypeProvider.FindStructFieldType(name, field)
	}
	f := p.Field(t, field)
	if reserved := "__" + field + "__"; f == nil && p.keywords {
		if escaped, ok := apiservercel.Escape(field); ok && escaped == reserved {
			f = p.Field(t, reserved)
		}
	}
	if f == nil {
		return nil, false
	}
	return &types.FieldType{Type: f.cel}, true
}

// stringType returns the type of strings with a format. The format datetime does not change the
// type.
func stringType(format string) *cel.Type {
	switch format {
	case "byte":
		return cel.BytesType
	case "duration":
		return cel.DurationType
	case "date", "date-time":
		return cel.TimestampType
	}
	return cel.StringType
}

// DeclaresMeta reports whether n declares all fields that are implied at the root of a resource. If
// it does not, implied schemas replace the declared ones.
func DeclaresMeta(n *schema.Node) bool {
	metadata := n.Property("metadata")
	return typeOf(n.Property("kind")) == schema.KindString &&
		typeOf(n.Property("apiVersion")) == schema.KindString &&
		typeOf(metadata) == schema.KindObject &&
		typeOf(metadata.Property("name")) == schema.KindString &&
		typeOf(metadata.Property("generateName")) == schema.KindString
}

func typeOf(n *schema.Node) schema.Kind {
	if n == nil {
		return schema.KindNone
	}
	return n.Kind()
}

// HasRules reports whether n or a schema below it has rules. n may be nil.
func HasRules(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasRules) }

// IsMeta reports whether a field is implied at the root of a resource.
func IsMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// Correlates reports whether entries of an object correlate with the old entries. They do not if
// the map type is unknown.
func Correlates(n *schema.Node) bool {
	switch t, declared := n.MapType(); t {
	case "granular", "atomic":
		return true
	default:
		return !declared
	}
}

// A RuleValue is a rule as errors print it, with the field names of the server's Go type.
type RuleValue struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            *string
	FieldPath         string
	OptionalOldSelf   *bool
}

func RuleValueOf(r *schema.Rule) RuleValue {
	v := RuleValue{Rule: r.Rule, Message: r.Message, MessageExpression: r.MessageExpression, FieldPath: r.FieldPath}
	if reason := r.Reason; reason != "" || r.SetReason {
		v.Reason = &reason
	}
	if r.SetOptionalOldSelf {
		optional := r.OptionalOldSelf
		v.OptionalOldSelf = &optional
	}
	return v
}

// IsBlank reports whether a rule is blank. The server does not run blank rules.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }
