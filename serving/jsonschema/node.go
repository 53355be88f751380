package jsonschema

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A position has the properties of a node that depend on its parent.
type position struct {
	root bool // a whole object
	null bool // the server drops null or replaces it by a default
}

// schemaOf returns the schema of a node that is not below a junctor.
func (e *exporter) schemaOf(s *props, at position) object {
	out := object{}
	annotate(out, s)
	if e.extensions {
		extend(out, s)
	}
	switch {
	case s.XIntOrString:
		out["type"] = []any{"integer", "string"}
	case s.Type != "":
		out["type"] = s.Type
	}
	e.values(out, s, s)
	e.children(out, s)
	if s.XEmbeddedResource {
		e.embed(out, s)
	}
	if e.strict && closed(s) {
		out["additionalProperties"] = false
	}
	if e.takesNull(s, at) {
		return orNull(out)
	}
	return out
}

func annotate(out object, s *props) {
	if s.Description != "" {
		out["description"] = s.Description
	}
	if s.Title != "" {
		out["title"] = s.Title
	}
	if hasDefault(s) {
		out["default"] = json.RawMessage(s.Default.Raw)
	}
	if s.Example != nil && len(s.Example.Raw) > 0 {
		out["examples"] = []any{json.RawMessage(s.Example.Raw)}
	}
}

const extensionPrefix = "x-kubernetes-"

// extend sets the keywords of Kubernetes. A structural schema only has them outside of junctors.
func extend(out object, s *props) {
	set := func(name string, value any, present bool) {
		if present {
			out[extensionPrefix+name] = value
		}
	}
	set("preserve-unknown-fields", true, s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields)
	set("embedded-resource", true, s.XEmbeddedResource)
	set("int-or-string", true, s.XIntOrString)
	set("list-type", s.XListType, s.XListType != nil)
	set("list-map-keys", s.XListMapKeys, len(s.XListMapKeys) > 0)
	set("map-type", s.XMapType, s.XMapType != nil)
	set("validations", s.XValidations, len(s.XValidations) > 0)
}

func (e *exporter) children(out object, s *props) {
	var wanted []string
	for _, name := range s.Required {
		if child, ok := s.Properties[name]; !ok || !hasDefault(&child) {
			wanted = append(wanted, name)
		}
	}
	if len(wanted) > 0 {
		out["required"] = union(nil, wanted)
	}
	if len(s.Properties) > 0 {
		properties := object{}
		for name, child := range s.Properties {
			properties[name] = e.schemaOf(&child, position{null: !slices.Contains(wanted, name)})
		}
		out["properties"] = properties
	}
	if s.AdditionalProperties != nil {
		switch child := s.AdditionalProperties.Schema; {
		case child != nil:
			out["additionalProperties"] = e.schemaOf(child, position{null: true})
		case !s.AdditionalProperties.Allows:
			out["additionalProperties"] = false
		}
	}
	if s.Items != nil && s.Items.Schema != nil {
		items := s.Items.Schema
		out["items"] = e.schemaOf(items, position{null: hasDefault(items)})
		if s.XListType != nil && *s.XListType == "set" && !items.Nullable && !hasDefault(items) && (items.Type == "string" || items.Type == "boolean") {
			out["uniqueItems"] = true
		}
	}
}

// embed adds the fields that every embedded resource has.
func (e *exporter) embed(out object, s *props) {
	properties, ok := out["properties"].(object)
	if !ok {
		properties = object{}
		out["properties"] = properties
	}
	for _, name := range []string{"apiVersion", "kind"} {
		declared := s.Properties[name]
		if !hasDefault(&declared) {
			properties[name] = object{"type": "string", "minLength": 1}
			out["required"] = union([]string{name}, required(out))
		}
	}
	properties["metadata"] = object{"type": []any{"object", "null"}}
}

// closed reports whether the server prunes undeclared fields of a node.
func closed(s *props) bool {
	preserves := s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	return s.Type == "object" && !preserves && s.AdditionalProperties == nil
}

// takesNull reports whether the node accepts null. A node with an enum refuses null even if it is
// nullable.
func (e *exporter) takesNull(s *props, at position) bool {
	untyped := s.Type == "" && !s.XIntOrString
	switch {
	case at.root:
		return false
	case s.Nullable || untyped:
		return len(s.Enum) == 0 || at.null && !s.Nullable && !e.strict
	default:
		return at.null && !e.strict
	}
}

// orNull returns a schema that also accepts null. If s has junctors, the schema is an anyOf of null
// and s.
func orNull(s object) object {
	_, junctors := s["anyOf"]
	for _, keyword := range []string{"allOf", "oneOf", "not"} {
		_, found := s[keyword]
		junctors = junctors || found
	}
	if junctors {
		out := object{"anyOf": []any{object{"type": "null"}, s}}
		for keyword, value := range s {
			if slices.Contains([]string{"description", "title", "default", "examples"}, keyword) || strings.HasPrefix(keyword, extensionPrefix) {
				out[keyword] = value
				delete(s, keyword)
			}
		}
		return out
	}
	switch t := s["type"].(type) {
	case string:
		s["type"] = []any{t, "null"}
	case []any:
		s["type"] = append(t, "null")
	}
	if values, ok := s["enum"].([]any); ok {
		s["enum"] = append(values, nil)
	}
	return s
}

func hasDefault(s *props) bool {
	return s.Default != nil && len(s.Default.Raw) > 0 && string(s.Default.Raw) != "null"
}

func required(s object) []string {
	names, _ := s["required"].([]string)
	return names
}

// union returns the names of both lists, each once, in increasing order.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func items(s *props) *props {
	if s == nil || s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

func additional(s *props) *props {
	if s == nil || s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

func property(s *props, name string) *props {
	if s == nil {
		return nil
	}
	if child, ok := s.Properties[name]; ok {
		return &child
	}
	return additional(s)
}

// values sets the constraints of s on a value. core is the node of the value. values reports
// whether the constraints refuse exactly what the server refuses.
func (e *exporter) values(out object, s, core *props) bool {
	exact := core != nil
	exact = e.numbers(out, s, core) && exact
	exact = e.strings(out, s) && exact
	if s.MinItems != nil {
		out["minItems"] = *s.MinItems
	}
	if s.MaxItems != nil {
		out["maxItems"] = *s.MaxItems
	}
	exact = e.counts(out, s, core) && exact
	exact = e.enum(out, s, core) && exact
	return e.junctors(out, s, core) && exact
}

// numbers sets bounds, except bounds with a fraction: the server drops the fraction for integers.
func (e *exporter) numbers(out object, s, core *props) bool {
	exact := true
	bound := func(value *float64, exclusive bool, keyword, exclusiveKeyword string) {
		switch {
		case value == nil:
		case *value != math.Trunc(*value) || math.Abs(*value) > 1<<53:
			exact = false
		case exclusive:
			out[exclusiveKeyword] = *value
		default:
			out[keyword] = *value
		}
	}
	bound(s.Minimum, s.ExclusiveMinimum, "minimum", "exclusiveMinimum")
	bound(s.Maximum, s.ExclusiveMaximum, "maximum", "exclusiveMaximum")
	if s.MultipleOf != nil {
		integers := core != nil && (core.Type == "integer" || core.XIntOrString)
		if integers && *s.MultipleOf > 0 && *s.MultipleOf == math.Trunc(*s.MultipleOf) && *s.MultipleOf <= 1<<53 {
			out["multipleOf"] = *s.MultipleOf
		} else {
			exact = false
		}
	}
	if s.Type == "integer" && s.Format == "int32" {
		if s.Minimum == nil {
			out["minimum"] = math.MinInt32
		}
		if s.Maximum == nil {
			out["maximum"] = math.MaxInt32
		}
	}
	return exact
}

// goOnly matches syntax of Go's regular expressions that ECMAScript lacks.
var goOnly = regexp.MustCompile(`\(\?[a-zA-Z]*(-[a-zA-Z]+)?[:)]|\(\?P<|\\[AzQEC]|\[\[?:|\\p[A-Z]|\\P[A-Z]|\\x\{|\[\^?\]`)

// nonCapturing is syntax that goOnly matches, but ECMAScript has it, too.
const nonCapturing = "(?:"

// formats maps formats of the server to formats of JSON Schema with almost the same meaning.
var formats = map[string]string{
	"datetime": "date-time", "email": "email", "hostname": "hostname", "ipv4": "ipv4", "ipv6": "ipv6", "uri": "uri", "uuid": "uuid",
}

func (e *exporter) strings(out object, s *props) bool {
	exact := true
	if s.MinLength != nil {
		out["minLength"] = *s.MinLength
	}
	if s.MaxLength != nil {
		out["maxLength"] = *s.MaxLength
	}
	if s.Pattern != "" {
		if goOnly.MatchString(strings.ReplaceAll(s.Pattern, nonCapturing, "(")) {
			exact = false
		} else {
			out["pattern"] = s.Pattern
		}
	}
	if s.Format == "" || s.Type != "string" && s.Type != "" {
		return exact
	}
	switch name := strings.ReplaceAll(s.Format, "-", ""); {
	case name == "date":
		out["format"] = "date"
	case name == "byte":
		out["contentEncoding"] = "base64"
		exact = false
	case e.strict && formats[name] != "":
		out["format"] = formats[name]
	default:
		exact = false
	}
	return exact
}

// counts sets limits on the number of properties. It leaves most of them out, because pruning and
// defaulting change the number.
func (e *exporter) counts(out object, s, core *props) bool {
	if s.MinProperties == nil && s.MaxProperties == nil {
		return true
	}
	if s.MinProperties != nil && !defaultsBelow(core) {
		out["minProperties"] = *s.MinProperties
	}
	if s.MaxProperties != nil && e.strict {
		out["maxProperties"] = *s.MaxProperties
	}
	return false
}

func defaultsBelow(s *props) bool {
	if s == nil {
		return false
	}
	for _, child := range s.Properties {
		if hasDefault(&child) {
			return true
		}
	}
	return false
}

// enum sets the admitted values, unless the server compares one of them in another way than JSON
// Schema. The server rounds or changes fractions, objects, arrays, and one-character strings of
// int-or-string.
func (e *exporter) enum(out object, s, core *props) bool {
	if len(s.Enum) == 0 {
		return true
	}
	kind := ""
	if core != nil {
		kind = core.Type
		if core.XIntOrString {
			kind = "int-or-string"
		}
	}
	values := []any{}
	for _, raw := range s.Enum {
		if len(raw.Raw) == 0 {
			continue // an empty text is null
		}
		var value any
		if json.Unmarshal(raw.Raw, &value) != nil {
			return false
		}
		switch value := value.(type) {
		case string:
			if kind == "int-or-string" && len([]rune(value)) == 1 {
				return false
			}
		case float64:
			if kind != "integer" && kind != "int-or-string" || value != math.Trunc(value) {
				return false
			}
		case map[string]any, []any:
			return false
		case nil:
			continue // null in an enum matches no value
		}
		values = append(values, json.RawMessage(raw.Raw))
	}
	if kind != "string" && kind != "integer" && kind != "boolean" && kind != "int-or-string" || len(values) == 0 {
		return false
	}
	out["enum"] = values
	return true
}
