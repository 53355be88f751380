package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/pathstack"
)

// A schemaNotes visits a schema for notes on single schemas that values are pruned and
// defaulted by, not those within allOf, anyOf, oneOf and not.
type schemaNotes struct {
	*adviser
	visitor visitor
	here    *pathstack.Chain
	around  []noted // the schemas around the current one, and itself
}

// A noted schema is what the notes on the schemas directly below it depend on.
type noted struct {
	fields bool // values may be objects
	keeps  bool // elements of the list keep unknown fields
}

// schema adds the notes on the schema of objects and everything below it.
func (a *adviser) schema(root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if root.Default != nil {
		a.add(DefaultUnused, at.Child("default"), "a default of whole objects is never applied")
	}
	n := schemaNotes{adviser: a, around: []noted{{}}}
	n.visitor.enter = n.note
	n.visitor.leave = func(*apiextensionsv1.JSONSchemaProps) { n.around = n.around[:len(n.around)-1] }
	n.here = n.visitor.at.Here()
	n.visitor.start(root, at)
}

// note adds the notes on one schema. It reports whether to go on below it.
func (n *schemaNotes) note(s *apiextensionsv1.JSONSchemaProps) bool {
	parent, kept := n.around[len(n.around)-1], false
	switch keyword, _ := n.visitor.at.Last(); keyword {
	case "":
	case "properties":
		if s.Default != nil && !parent.fields {
			n.add(DefaultUnused, n.here.Child("default"), "a default of a field is never applied where the type admits no fields")
		}
	case "items":
		n.values(s, "list elements")
		kept = parent.keeps
	case "additionalProperties":
		n.values(s, "map values")
	default:
		return false
	}
	if n.watch.Ended() {
		return false
	}
	if s.Nullable && len(s.Enum) > 0 {
		n.add(EnumRefusesNull, n.here.Child("enum"), "null is refused though the schema is nullable: an enum admits no null, even if it lists it")
	}
	n.unknown(s, kept)
	n.mapKeys(s)
	n.around = append(n.around, noted{fields: s.Type == "object" || s.Type == "" && !s.XIntOrString, keeps: kept || preserves(s)})
	return true
}

func preserves(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// unknown notes that s keeps undeclared fields. kept reports that s is the schema of
// elements of a list that preserves unknown fields.
func (n *schemaNotes) unknown(s *apiextensionsv1.JSONSchemaProps, kept bool) {
	add := s.AdditionalProperties
	switch {
	case preserves(s):
	case add != nil && add.Schema == nil:
		n.add(KeepsUnknownFields, n.here.Child("additionalProperties"),
			"fields of any name are kept, but objects among their values are emptied; with x-kubernetes-preserve-unknown-fields instead they would be kept as they are")
	case kept && s.Type == "object" && add == nil:
		n.add(KeepsUnknownFields, n.here, "unknown fields of elements are kept, because the list says x-kubernetes-preserve-unknown-fields")
	}
}

// mapKeys notes keys of a map list that elements may lack.
func (n *schemaNotes) mapKeys(s *apiextensionsv1.JSONSchemaProps) {
	items := itemsOf(s)
	if listType(s) != "map" || items == nil {
		return
	}
	for i, key := range s.XListMapKeys {
		if p, ok := items.Properties[key]; ok && p.Default == nil && !slices.Contains(items.Required, key) {
			n.add(MapKeyOptional, n.here.Child("x-kubernetes-list-map-keys").Index(i),
				"the key %q is neither required nor has a default: elements without it are alike", key)
		}
	}
}

// values notes how the default of list elements or map values applies.
func (n *schemaNotes) values(s *apiextensionsv1.JSONSchemaProps, what string) {
	switch {
	case s.Default == nil:
	case s.Nullable:
		n.add(DefaultUnused, n.here.Child("default"), "a default of %s that may be null is never applied", what)
	default:
		n.add(DefaultForNullOnly, n.here.Child("default"), "a default of %s replaces nulls and nothing else", what)
	}
}
