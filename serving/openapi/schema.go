package openapi

import (
	"bytes"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// Published schemas are written from the declared schema, not from the compiled tree.
// The tree leaves out keywords without effect, such as exclusiveMaximum without
// maximum, which published schemas have.

type props = apiextensionsv1.JSONSchemaProps

func preserves(p *props) bool { return p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields }

// structure has the parts of a schema that version 2 changes.
type structure struct {
	typ        string
	nullable   bool
	items      *props
	properties map[string]props
	required   []string
}

func (b *builder) structureOf(p *props) structure {
	s := structure{typ: p.Type, nullable: p.Nullable, properties: p.Properties, required: p.Required}
	if p.Items != nil {
		s.items = p.Items.Schema
	}
	if b.format == v2 {
		s.reduce(p)
	}
	return s
}

// reduce removes what clients of version 2 misread. They cannot express null,
// so that a nullable value has no type and is never required. They refuse
// undeclared properties, so that the properties of an open object are removed.
func (s *structure) reduce(p *props) {
	if s.nullable {
		s.typ, s.nullable = "", false
	}
	if p.Nullable || preserves(p) {
		s.items, s.properties = nil, nil
	}
	if s.typ == "array" && s.items == nil || s.typ == "object" && preserves(p) {
		s.typ = ""
	}
	s.required = slices.DeleteFunc(slices.Clone(s.required), func(name string) bool {
		property, ok := s.properties[name]
		return ok && property.Nullable
	})
	if a := p.AdditionalProperties; a != nil && a.Schema != nil && a.Schema.Nullable {
		s.required = nil
	}
}

// schemaOf returns the published schema of a node of the spine.
func (b *builder) schemaOf(p *props) map[string]any {
	s := b.bare(p)
	b.embed(p, s)
	return s
}

// bare is like schemaOf without the fields of an embedded resource.
func (b *builder) bare(p *props) map[string]any {
	reduced := b.structureOf(p)
	out := object{}
	out.text("type", reduced.typ)
	out.flag("nullable", reduced.nullable)
	out.list("required", reduced.required)
	b.describe(p, out)
	b.limit(p, out)
	extend(p, out)
	if b.format == v3 {
		b.junctors(unfold(p), out)
	}
	if reduced.items != nil {
		out["items"] = b.schemaOf(reduced.items)
	}
	for name, property := range reduced.properties {
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

// branch returns a schema under a junctor. It has a type in the int-or-string
// pattern only, and no additionalProperties.
func (b *builder) branch(p *props) map[string]any {
	out := object{}
	out.text("type", p.Type)
	out.list("required", p.Required)
	b.describe(p, out)
	b.limit(p, out)
	b.junctors(p, out)
	if len(p.XValidations) > 0 {
		out["x-kubernetes-validations"] = p.XValidations
	}
	if p.Items != nil && p.Items.Schema != nil {
		out["items"] = b.branch(p.Items.Schema)
	}
	for name, property := range p.Properties {
		setProperty(out, name, b.branch(&property))
	}
	return out
}

// embed adds the fields of an embedded resource. Clients of version 2 would
// refuse all others.
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

// unfold returns p with the types of x-kubernetes-int-or-string in anyOf,
// unless anyOf or the first schema of allOf has them.
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

func (b *builder) junctors(p *props, out object) {
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

// describe adds descriptions and the default.
func (b *builder) describe(p *props, out object) {
	out.text("description", p.Description)
	out.text("title", p.Title)
	if d := p.ExternalDocs; d != nil {
		docs := object{}
		docs.text("description", d.Description)
		docs.text("url", d.URL)
		out["externalDocs"] = docs
	}
	if v := b.decodeLiteral(p.Example); v != nil && !isEmpty(v) {
		out["example"] = v
	}
	if v := b.decodeLiteral(p.Default); v != nil && b.format == v3 {
		out["default"] = v
	}
}

// limit adds value validations apart from required and junctors.
func (b *builder) limit(p *props, out object) {
	out.text("format", p.Format)
	out.text("pattern", p.Pattern)
	out.flag("uniqueItems", p.UniqueItems)
	out.flag("exclusiveMinimum", p.ExclusiveMinimum)
	out.flag("exclusiveMaximum", p.ExclusiveMaximum)
	number(out, "minimum", p.Minimum)
	number(out, "maximum", p.Maximum)
	number(out, "multipleOf", p.MultipleOf)
	number(out, "minLength", p.MinLength)
	number(out, "maxLength", p.MaxLength)
	number(out, "minItems", p.MinItems)
	number(out, "maxItems", p.MaxItems)
	number(out, "minProperties", p.MinProperties)
	number(out, "maxProperties", p.MaxProperties)
	var enum []any
	for i := range p.Enum {
		enum = append(enum, b.decodeLiteral(&p.Enum[i]))
	}
	if enum != nil {
		out["enum"] = enum
	}
}

// extend adds the x-kubernetes extensions of the spine.
func extend(p *props, out object) {
	out.flag("x-kubernetes-preserve-unknown-fields", preserves(p))
	out.flag("x-kubernetes-embedded-resource", p.XEmbeddedResource)
	out.flag("x-kubernetes-int-or-string", p.XIntOrString)
	out.list("x-kubernetes-list-map-keys", p.XListMapKeys)
	if p.XListType != nil {
		out["x-kubernetes-list-type"] = *p.XListType
	}
	if p.XMapType != nil {
		out["x-kubernetes-map-type"] = *p.XMapType
	}
	if len(p.XValidations) > 0 {
		out["x-kubernetes-validations"] = p.XValidations
	}
}

// decodeLiteral decodes a literal of the schema as the server does, so that
// numbers have the server's spelling. Null counts as absent.
func (b *builder) decodeLiteral(j *apiextensionsv1.JSON) any {
	if j == nil || len(j.Raw) == 0 || bytes.Equal(j.Raw, []byte("null")) {
		return nil
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil && b.err == nil {
		b.err = fmt.Errorf("a value in the schema is not JSON: %w", err)
	}
	return v
}

// isEmpty reports whether the server omits a value of an example.
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

// An object is a JSON object under construction. Its methods set members and
// skip empty values.
type object map[string]any

func (o object) text(name, value string) {
	if value != "" {
		o[name] = value
	}
}

func (o object) flag(name string, value bool) {
	if value {
		o[name] = true
	}
}

func (o object) list(name string, value []string) {
	if len(value) > 0 {
		o[name] = value
	}
}

func number[T int64 | float64](o object, name string, value *T) {
	if value != nil {
		o[name] = *value
	}
}
