package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// Published schemas are made from the declared schema, because compiled nodes lack keywords without
// effect, such as exclusiveMaximum without maximum.

type props = apiextensionsv1.JSONSchemaProps

func preserves(p *props) bool { return p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields }

// reduce removes what clients of version 2 misread. A nullable value loses its type, and is never
// required. An object that keeps unknown fields loses its properties, because the clients would
// refuse all other fields.
func reduce(p *props) {
	nullable, open := p.Nullable, preserves(p)
	if nullable {
		p.Type, p.Nullable = "", false
	}
	if nullable || open {
		p.Items, p.Properties = nil, nil
	}
	if p.Type == "array" && itemsOf(p) == nil || p.Type == "object" && open {
		p.Type = ""
	}
	p.Required = slices.DeleteFunc(slices.Clone(p.Required), func(name string) bool {
		property, ok := p.Properties[name]
		return ok && property.Nullable
	})
	if a := p.AdditionalProperties; a != nil && a.Schema != nil && a.Schema.Nullable {
		p.Required = nil
	}
}

func itemsOf(p *props) *props {
	if p.Items == nil {
		return nil
	}
	return p.Items.Schema
}

func (b *builder) schemaOf(p *props) map[string]any {
	s := b.withoutEmbedded(p)
	b.embed(p, s)
	return s
}

// withoutEmbedded is like schemaOf, but without the fields of an embedded resource.
func (b *builder) withoutEmbedded(p *props) map[string]any {
	published := *p
	if b.format == v2 {
		reduce(&published)
	}
	out := b.keywords(published)
	if b.format == v3 {
		b.junctors(unfold(p), out)
	}
	if items := itemsOf(&published); items != nil {
		out["items"] = b.schemaOf(items)
	}
	for name, property := range published.Properties {
		setProperty(out, name, b.schemaOf(&property))
	}
	if a := p.AdditionalProperties; a != nil {
		out["additionalProperties"] = a.Allows
		if a.Schema != nil {
			out["additionalProperties"] = b.schemaOf(a.Schema)
		}
	}
	return out
}

// branch returns a schema below a junctor. It has a type only for int-or-string, and no
// additionalProperties.
func (b *builder) branch(p *props) map[string]any {
	out := b.keywords(*p)
	b.junctors(p, out)
	if items := itemsOf(p); items != nil {
		out["items"] = b.branch(items)
	}
	for name, property := range p.Properties {
		setProperty(out, name, b.branch(&property))
	}
	return out
}

// embed adds the fields of an embedded resource. In version 2, it adds none to a p with unknown
// fields: clients would refuse these.
func (b *builder) embed(p *props, s map[string]any) {
	if !p.XEmbeddedResource || b.format == v2 && preserves(p) {
		return
	}
	setProperty(s, "apiVersion", text(b.builtin.Descriptions.EmbeddedAPIVersion))
	setProperty(s, "kind", text(b.builtin.Descriptions.EmbeddedKind))
	setProperty(s, "metadata", b.format.describedRef(metaTypes+"ObjectMeta", b.builtin.Descriptions.Metadata))
	required, _ := s["required"].([]string)
	for _, name := range []string{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(slices.Clip(required), name)
		}
	}
	s["required"] = required
}

// unfold returns p with branches for the types of int-or-string. If anyOf or the first allOf has
// these branches, it returns p itself.
func unfold(p *props) *props {
	if !p.XIntOrString || isIntOrString(p.AnyOf) || len(p.AllOf) > 0 && isIntOrString(p.AllOf[0].AnyOf) {
		return p
	}
	out := *p
	either := []props{{Type: "integer"}, {Type: "string"}}
	if len(p.AnyOf) == 0 {
		out.AnyOf = either
	} else {
		out.AllOf = slices.Concat([]props{{AnyOf: either}}, p.AllOf)
	}
	return &out
}

func isIntOrString(anyOf []props) bool {
	return len(anyOf) == 2 && anyOf[0].Type == "integer" && anyOf[1].Type == "string"
}

func (b *builder) junctors(p *props, out map[string]any) {
	for name, list := range map[string][]props{"allOf": p.AllOf, "anyOf": p.AnyOf, "oneOf": p.OneOf} {
		var branches []any
		for i := range list {
			branches = append(branches, b.branch(&list[i]))
		}
		if branches != nil {
			out[name] = branches
		}
	}
	if p.Not != nil {
		out["not"] = b.branch(p.Not)
	}
}

func (b *builder) keywords(p props) map[string]any {
	p.ID, p.Schema, p.Ref = "", "", nil
	p.Items, p.AdditionalItems, p.AllOf, p.AnyOf, p.OneOf, p.Not = nil, nil, nil, nil, nil, nil
	p.Properties, p.PatternProperties, p.AdditionalProperties, p.Definitions, p.Dependencies = nil, nil, nil, nil, nil
	if !preserves(&p) {
		p.XPreserveUnknownFields = nil
	}
	text, err := encode(p)
	var keywords map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &keywords)
	}
	if err != nil && b.err == nil {
		b.err = err
	}
	out := make(map[string]any, len(keywords))
	for name, value := range keywords {
		out[name] = value
	}
	if len(p.Required) > 0 {
		out["required"] = p.Required
	}
	b.literal(out, "default", b.format == v3)
	b.literal(out, "example", true)
	b.literal(out, "enum", true)
	return out
}

// literal decodes the JSON text out[name], with the server's spelling of numbers. It removes null,
// and empty values that are not defaults. If kept is false, it removes every value.
func (b *builder) literal(out map[string]any, name string, kept bool) {
	text, ok := out[name].(json.RawMessage)
	if !ok {
		return
	}
	var v any
	if err := utiljson.Unmarshal(text, &v); err != nil && b.err == nil {
		b.err = err
	}
	if out[name] = v; !kept || v == nil || name != "default" && isEmpty(v) {
		delete(out, name)
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}

const (
	groupVersionKind = "x-kubernetes-group-version-kind"
	selectableFields = "x-kubernetes-selectable-fields"
)

// modelName returns the name of a kind's schema: the reversed group, the version and the kind.
func (b *builder) modelName(kind string) string {
	parts := strings.Split(b.group, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".") + "." + b.version.Name + "." + kind
}

func (b *builder) gvk(kind string) map[string]any {
	return map[string]any{"group": b.group, "version": b.version.Name, "kind": kind}
}

func (b *builder) kindSchema() map[string]any {
	s := map[string]any{"type": "object"}
	if b.publishable() {
		props := b.version.Schema.OpenAPIV3Schema
		s = b.withoutEmbedded(props)
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
	n, errs := schema.Compile(props, schemaopt.WithoutAnnotations{})
	if len(errs) > 0 || !hasKnownTypes(n, map[*schema.Node]bool{}) {
		return false
	}
	// If unknown fields are kept, v2 would have only metadata. kubectl would refuse other fields.
	return b.format != v2 || !b.crd.Spec.PreserveUnknownFields && !preserves(props)
}

// hasKnownTypes reports whether OpenAPI knows the types of n and of the schemas below it. Old
// servers admitted other types.
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
	if len(b.version.SelectableFields) == 0 {
		return
	}
	var fields []any
	for _, f := range b.version.SelectableFields {
		fields = append(fields, map[string]any{"fieldPath": strings.TrimPrefix(f.JSONPath, ".")})
	}
	s[selectableFields] = fields
}

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
