package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
)

// These notes concern single schemas that values are pruned and defaulted by, not
// those within allOf, anyOf, oneOf and not.

// A noted is the location of a schema. It is a list of its parts, because the pointers of
// all schemas of a chain together grow with the square of its length.
type noted struct {
	above   *noted
	keyword string // after a slash, or the whole pointer of the topmost schema
	name    string // of a property, not escaped
}

// pointer returns the JSON pointer of a member of the schema.
func (n *noted) pointer(member string) string {
	var parts []string
	for at := n; at != nil; at = at.above {
		parts = append(parts, at.keyword+schema.EscapePointer(at.name))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "") + member
}

// root adds the notes on the schema of objects and everything below it.
func (a *adviser) root(s *apiextensionsv1.JSONSchemaProps, pointer string) {
	if s.Default != nil {
		a.add(DefaultUnused, pointer+"/default", "a default of whole objects is never applied")
	}
	a.schema(s, &noted{keyword: pointer}, false)
}

// schema adds the notes on s and everything below it. kept reports that s is the schema of
// elements of a list that preserves unknown fields.
func (a *adviser) schema(s *apiextensionsv1.JSONSchemaProps, at *noted, kept bool) {
	if a.watch.Ended() {
		return
	}
	if s.Nullable && len(s.Enum) > 0 {
		a.add(EnumRefusesNull, at.pointer("/enum"), "null is refused though the schema is nullable: an enum admits no null, even if it lists it")
	}
	a.unknown(s, at, kept)
	a.mapKeys(s, at)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		below := &noted{above: at, keyword: "/properties/", name: name}
		if p.Default != nil && !hasFields(s) {
			a.add(DefaultUnused, below.pointer("/default"),
				"a default of a field is never applied where the type admits no fields")
		}
		a.schema(&p, below, false)
	}
	if s.Items != nil && s.Items.Schema != nil {
		below := &noted{above: at, keyword: "/items"}
		a.values(s.Items.Schema, below, "list elements")
		a.schema(s.Items.Schema, below, kept || preserves(s))
	}
	if add := s.AdditionalProperties; add != nil && add.Schema != nil {
		below := &noted{above: at, keyword: "/additionalProperties"}
		a.values(add.Schema, below, "map values")
		a.schema(add.Schema, below, false)
	}
}

// hasFields reports whether values may be objects.
func hasFields(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.Type == "object" || s.Type == "" && !s.XIntOrString
}

func preserves(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// unknown notes that s keeps undeclared fields.
func (a *adviser) unknown(s *apiextensionsv1.JSONSchemaProps, at *noted, kept bool) {
	add := s.AdditionalProperties
	switch {
	case preserves(s):
	case add != nil && add.Schema == nil:
		a.add(KeepsUnknownFields, at.pointer("/additionalProperties"),
			"fields of any name are kept, but objects among their values are emptied; with x-kubernetes-preserve-unknown-fields instead they would be kept as they are")
	case kept && s.Type == "object" && add == nil:
		a.add(KeepsUnknownFields, at.pointer(""), "unknown fields of elements are kept, because the list says x-kubernetes-preserve-unknown-fields")
	}
}

// mapKeys notes keys of a map list that elements may lack.
func (a *adviser) mapKeys(s *apiextensionsv1.JSONSchemaProps, at *noted) {
	if s.XListType == nil || *s.XListType != "map" || s.Items == nil || s.Items.Schema == nil {
		return
	}
	items := s.Items.Schema
	for i, key := range s.XListMapKeys {
		if p, ok := items.Properties[key]; ok && p.Default == nil && !slices.Contains(items.Required, key) {
			a.add(MapKeyOptional, at.pointer("/x-kubernetes-list-map-keys/"+strconv.Itoa(i)),
				"the key %q is neither required nor has a default: elements without it are alike", key)
		}
	}
}

// values notes how the default of list elements or map values applies.
func (a *adviser) values(s *apiextensionsv1.JSONSchemaProps, at *noted, what string) {
	switch {
	case s.Default == nil:
	case s.Nullable:
		a.add(DefaultUnused, at.pointer("/default"), "a default of %s that may be null is never applied", what)
	default:
		a.add(DefaultForNullOnly, at.pointer("/default"), "a default of %s replaces nulls and nothing else", what)
	}
}
