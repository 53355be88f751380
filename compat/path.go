package compat

import (
	"iter"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A step leads from a value to a part of it.
type step struct {
	name   string   // a member
	item   bool     // an element
	others []string // if not nil: any member with another name
}

// within returns the condition that the part of a value at the steps satisfies c.
func within(steps []step, c *search.Cond) *search.Cond {
	for i := len(steps) - 1; i >= 0; i-- {
		switch s := steps[i]; {
		case s.item:
			c = search.SomeItem(c)
		case s.others != nil:
			c = search.SomeOther(s.others, c)
		default:
			c = search.At(s.name, c)
		}
	}
	return c
}

// fieldOf returns steps as a field path. [*] is any element or key.
func fieldOf(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.item || s.others != nil:
			b.WriteString("[*]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func partsAt(v any, steps []step) []any {
	if len(steps) == 0 {
		return []any{v}
	}
	var out []any
	switch s, rest := steps[0], steps[1:]; v := v.(type) {
	case []any:
		for i := range v {
			if s.item {
				out = append(out, partsAt(v[i], rest)...)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if member := v[name]; s.name == name && s.others == nil && !s.item || s.others != nil && !slices.Contains(s.others, name) {
				out = append(out, partsAt(member, rest)...)
			}
		}
	}
	return out
}

func propertyPointer(pointer, name string) string {
	return pointer + "/properties/" + schema.EscapePointer(name)
}

var (
	// undeclared is the schema of undeclared values: it prunes all members of an object.
	undeclared       = impliedSchema(apiextensionsv1.JSONSchemaProps{})
	resourceText     = impliedSchema(apiextensionsv1.JSONSchemaProps{Type: "string"})
	resourceMetadata = impliedSchema(apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)})
)

func impliedSchema(props apiextensionsv1.JSONSchemaProps) *schema.Node {
	n, errs := schema.Compile(&props, schemaopt.Unstructured{})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	return n
}

func rootMember(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// declaredProperty returns the schema of a property. Embedded resources also declare apiVersion,
// kind and metadata, which are never pruned.
func declaredProperty(n *schema.Node, name string) *schema.Node {
	child := n.Property(name)
	switch {
	case !n.EmbeddedResource() || !rootMember(name):
	case name == "metadata":
		return resourceMetadata
	case child == nil:
		return resourceText
	}
	return child
}

// declaredProperties yields each property for which [declaredProperty] has a schema.
func declaredProperties(n *schema.Node) iter.Seq2[string, *schema.Node] {
	return func(yield func(string, *schema.Node) bool) {
		for name := range n.Properties() {
			if !yield(name, declaredProperty(n, name)) {
				return
			}
		}
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			if n.Property(name) == nil && n.EmbeddedResource() && !yield(name, declaredProperty(n, name)) {
				return
			}
		}
	}
}

// additionalOf returns the schema of undeclared members, or nil.
func additionalOf(n *schema.Node) *schema.Node {
	additional, _ := n.AdditionalProperties()
	if additional == nil && n.AllowsAdditionalProperties() {
		return undeclared
	}
	return additional
}

func memberSchema(n *schema.Node, name string) *schema.Node {
	if child := declaredProperty(n, name); child != nil {
		return child
	}
	return additionalOf(n)
}

// itemsOf returns the schema by which the server prunes elements, or nil. It ignores the type of n.
func itemsOf(n *schema.Node) *schema.Node {
	if items := n.Items(); items != nil || n == nil || n.PreserveUnknownFields() {
		return items
	}
	return undeclared
}

// keeps reports whether pruning keeps a member.
func keeps(n *schema.Node, name string, open bool) bool {
	return n == nil || open || n.PreserveUnknownFields() || memberSchema(n, name) != nil
}

func keepsNull(n *schema.Node) bool { return n == nil || n == undeclared || n.Nullable() }
