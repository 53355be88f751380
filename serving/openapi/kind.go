package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/schema"
)

const (
	groupVersionKind = "x-kubernetes-group-version-kind"
	selectableFields = "x-kubernetes-selectable-fields"
)

// modelName returns the name of a kind's schema: the group reversed, the version and the
// kind.
func (b *builder) modelName(kind string) string {
	parts := strings.Split(b.group, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".") + "." + b.version.Name + "." + kind
}

func (b *builder) gvk(kind string) map[string]any {
	return map[string]any{"group": b.group, "version": b.version.Name, "kind": kind}
}

// kindSchema returns the schema of the kind.
func (b *builder) kindSchema() map[string]any {
	s := map[string]any{"type": "object"}
	if b.publishable() {
		props := b.version.Schema.OpenAPIV3Schema
		s = b.bare(props)
		setProperty(s, "metadata", b.format.describedRef(metaTypes+"ObjectMeta", b.builtin.Descriptions.Metadata))
		b.addTypeMeta(s)
		b.embed(props, s)
	}
	s[groupVersionKind] = []any{b.gvk(b.kind)}
	b.addSelectableFields(s)
	return s
}

// publishable reports whether the document has the schema of the definition.
func (b *builder) publishable() bool {
	if b.version.Schema == nil || b.version.Schema.OpenAPIV3Schema == nil {
		return false
	}
	props := b.version.Schema.OpenAPIV3Schema
	n, errs := schema.Compile(props, schema.WithoutAnnotations())
	if len(errs) > 0 || !hasKnownTypes(n, map[*schema.Node]bool{}) {
		return false
	}
	// In version 2, the metadata alone would make kubectl refuse unknown fields.
	return b.format != v2 || !b.crd.Spec.PreserveUnknownFields && !preserves(props)
}

// hasKnownTypes reports whether all types are of OpenAPI, unlike some of old servers.
func hasKnownTypes(n *schema.Node, seen map[*schema.Node]bool) bool {
	if n == nil || seen[n] {
		return true
	}
	seen[n] = true
	switch n.Type() {
	case "", "array", "boolean", "integer", "number", "object", "string":
	default:
		return false
	}
	for _, p := range n.Properties() {
		if !hasKnownTypes(p, seen) {
			return false
		}
	}
	additional, _ := n.AdditionalProperties()
	return hasKnownTypes(n.Items(), seen) && hasKnownTypes(additional, seen)
}

// listSchema returns the schema of the list of the kind.
func (b *builder) listSchema() map[string]any {
	s := map[string]any{
		"type":        "object",
		"description": fmt.Sprintf("%s is a list of %s", b.list, b.kind),
		"required":    []string{"items"},
		"properties": map[string]any{
			"items": map[string]any{
				"type":        "array",
				"description": fmt.Sprintf("List of %s. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md", b.crd.Spec.Names.Plural),
				"items":       b.format.ref(b.modelName(b.kind)),
			},
			"metadata": b.format.describedRef(metaTypes+"ListMeta", b.builtin.Descriptions.ListMetadata),
		},
		groupVersionKind: []any{b.gvk(b.list)},
	}
	b.addTypeMeta(s)
	b.addSelectableFields(s)
	return s
}

func (b *builder) addTypeMeta(s map[string]any) {
	setProperty(s, "apiVersion", text(b.builtin.Descriptions.APIVersion))
	setProperty(s, "kind", text(b.builtin.Descriptions.Kind))
}

func (b *builder) addSelectableFields(s map[string]any) {
	if b.options.hideSelectable || len(b.version.SelectableFields) == 0 {
		return
	}
	var fields []any
	for _, f := range b.version.SelectableFields {
		fields = append(fields, map[string]any{"fieldPath": strings.TrimPrefix(f.JSONPath, ".")})
	}
	s[selectableFields] = fields
}

// text returns the schema of a string.
func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func setProperty(s map[string]any, name string, property map[string]any) {
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
		s["properties"] = properties
	}
	properties[name] = property
}
