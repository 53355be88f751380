package definition

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A Note is a piece of advice about a definition.
type Note struct {
	Code    NoteCode
	Pointer string // into the definition, as a JSON Pointer (RFC 6901)
	Text    string // for people; may change
}

// A NoteCode is the subject of a note. Codes do not change.
type NoteCode string

const (
	// CostNearLimit: the estimated cost of a rule, or of all rules of a schema, is above half of
	// the limit. A small change may bring it above the limit.
	CostNearLimit NoteCode = "CostNearLimit"
	// DefaultForNullOnly: a default of list elements or map values replaces nulls only.
	DefaultForNullOnly NoteCode = "DefaultForNullOnly"
	// DefaultUnused: a default is never applied. It is the default of the root, of elements or map
	// values that may be null, or of a field whose parent cannot have fields.
	DefaultUnused NoteCode = "DefaultUnused"
	// EnumRefusesNull: null is refused although the schema is nullable, even if the enum
	// lists it.
	EnumRefusesNull NoteCode = "EnumRefusesNull"
	// HiddenFromVersion: this version prunes a field of the storage version. A client that writes
	// back what it read at this version loses the field.
	HiddenFromVersion NoteCode = "HiddenFromVersion"
	// KeepsUnknownFields: undeclared fields are kept although the schema does not say
	// x-kubernetes-preserve-unknown-fields. The list around it says so, or the schema has
	// additionalProperties: true or false.
	KeepsUnknownFields NoteCode = "KeepsUnknownFields"
	// LostWhenStored: objects are stored in another version, which prunes a field of this one.
	LostWhenStored NoteCode = "LostWhenStored"
	// MapKeyOptional: a key of a map list is neither required nor has a default. The server refuses
	// that, unless the old definition has that fault.
	MapKeyOptional NoteCode = "MapKeyOptional"
	// StoredVersionsUnsound: the stored versions of a written status do not fit the spec. The
	// server does not check that.
	StoredVersionsUnsound NoteCode = "StoredVersionsUnsound"
)

// NoteCodes returns all codes, in alphabetical order. The slice belongs to the caller.
func NoteCodes() []NoteCode {
	return []NoteCode{
		CostNearLimit, DefaultForNullOnly, DefaultUnused, EnumRefusesNull, HiddenFromVersion,
		KeepsUnknownFields, LostWhenStored, MapKeyOptional, StoredVersionsUnsound,
	}
}

// Description returns a sentence about the notes of a code, or "" for an unknown code.
func (c NoteCode) Description() string {
	switch c {
	case CostNearLimit:
		return "Rules may cost more than half of what the server admits by its estimate"
	case DefaultForNullOnly:
		return "A default replaces nulls and nothing else"
	case DefaultUnused:
		return "A default is never applied"
	case EnumRefusesNull:
		return "An enum refuses null though the schema is nullable"
	case HiddenFromVersion:
		return "A field of the storage version is not shown at another version"
	case KeepsUnknownFields:
		return "Unknown fields are kept where the schema does not say so"
	case LostWhenStored:
		return "A field of a version is lost when objects are stored"
	case MapKeyOptional:
		return "A key of a list of type map is neither required nor has a default"
	case StoredVersionsUnsound:
		return "The stored versions of a status do not fit the versions of the definition"
	}
	return ""
}

type adviser struct {
	notes []Note
	watch *interrupt.Watch
}

func (a *adviser) add(code NoteCode, at *pathstack.Chain, format string, args ...any) {
	a.notes = append(a.notes, Note{Code: code, Pointer: at.Pointer(), Text: fmt.Sprintf(format, args...)})
}

// advise returns the notes on a definition. It skips schemas that do not compile.
func advise(form *internalForm, cfg *config) []Note {
	a := &adviser{watch: cfg.watch}
	crd := form.crd
	nodes := make([]*schema.Node, len(crd.Spec.Versions))
	for i := range crd.Spec.Versions {
		if cfg.watch.Poll() {
			break
		}
		v := &form.versions[i]
		if form.common.root() != nil {
			v = &form.common
		}
		if nodes[i], _ = v.compile(); nodes[i] == nil {
			continue
		}
		a.schema(crd.Spec.Versions[i].Schema.OpenAPIV3Schema, locationOf(i))
		a.cost(nodes[i], locationOf(i))
	}
	a.conversion(crd, nodes)
	slices.SortStableFunc(a.notes, func(x, y Note) int {
		return cmp.Or(cmp.Compare(x.Pointer, y.Pointer), cmp.Compare(x.Code, y.Code), cmp.Compare(x.Text, y.Text))
	})
	return slices.Compact(a.notes)
}

// cost adds notes on rules whose estimated cost is close to the limit.
func (a *adviser) cost(n *schema.Node, at *pathstack.Chain) {
	if !n.Facts().Has(schema.HasRules) {
		return
	}
	report := cel.Estimate(n, a.watch)
	for i := range report.Expressions {
		if e := &report.Expressions[i]; near(e.Total, e.Limit) {
			a.add(CostNearLimit, at.Moved(at.Pointer()+e.Pointer), "the estimated cost is %.0f%% of what one expression may cost", 100*e.Factor())
		}
	}
	if near(report.Total, report.Limit) {
		a.add(CostNearLimit, at, "the estimated cost of all rules is %.0f%% of what those of a schema may cost", 100*report.Factor())
	}
}

func near(cost, limit uint64) bool { return cost > limit/2 && cost <= limit }

// conversion adds notes on fields that are lost between versions if the conversion only changes
// apiVersion.
func (a *adviser) conversion(crd *apiextensionsv1.CustomResourceDefinition, nodes []*schema.Node) {
	if c := crd.Spec.Conversion; c != nil && c.Strategy != apiextensionsv1.NoneConverter || crd.Spec.PreserveUnknownFields {
		return
	}
	storage := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	if storage < 0 || nodes[storage] == nil {
		return
	}
	name := crd.Spec.Versions[storage].Name
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if i == storage || nodes[i] == nil || !v.Served {
			continue
		}
		for _, p := range a.undeclared(nodes[i], nodes[storage], locationOf(i), true) {
			a.add(LostWhenStored, p, "objects are stored as %s, which does not have this field, so that its value is lost", name)
		}
		for _, p := range a.undeclared(nodes[storage], nodes[i], locationOf(storage), true) {
			a.add(HiddenFromVersion, p, "%s does not have this field: clients of it do not see its value, and lose it when they write", v.Name)
		}
	}
}

// undeclared returns the locations of the properties of n that the schema other prunes. It does not
// look below these properties.
func (a *adviser) undeclared(n, other *schema.Node, at *pathstack.Chain, root bool) []*pathstack.Chain {
	var out []*pathstack.Chain
	for name, p := range n.Properties() {
		if (root || n.EmbeddedResource()) && isMeta(name) {
			continue
		}
		below := at.Child("properties").Key(name)
		counterpart := other.Property(name)
		values, open := other.AdditionalProperties()
		switch {
		case counterpart != nil:
			out = append(out, a.undeclared(p, counterpart, below, false)...)
		case open && values != nil:
			out = append(out, a.undeclared(p, values, below, false)...)
		case !open && !other.PreserveUnknownFields():
			out = append(out, below)
		}
	}
	if items, counterpart := n.Items(), other.Items(); items != nil && counterpart != nil {
		out = append(out, a.undeclared(items, counterpart, at.Child("items"), false)...)
	}
	values, _ := n.AdditionalProperties()
	counterpart, _ := other.AdditionalProperties()
	if values != nil && counterpart != nil {
		out = append(out, a.undeclared(values, counterpart, at.Child("additionalProperties"), false)...)
	}
	return out
}

// A schemaNotes adds the notes on the root and on schemas in properties, items and
// additionalProperties.
type schemaNotes struct {
	*adviser
	visitor visitor
	here    *pathstack.Chain
	around  []enclosing // the current schema and the schemas around it
}

// An enclosing says what the notes on a schema must know of the schema directly around it.
type enclosing struct {
	fields bool // values may be objects
	keeps  bool // elements of the list keep unknown fields
}

func (a *adviser) schema(root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if root.Default != nil {
		a.add(DefaultUnused, at.Child("default"), "a default of whole objects is never applied")
	}
	n := schemaNotes{adviser: a, around: []enclosing{{}}}
	n.visitor.notes = &n
	n.here = n.visitor.at.Here()
	n.visitor.start(root, at)
}

// note adds the notes on one schema. It reports whether to visit the schemas below it.
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
	if s.Nullable && len(s.Enum) > 0 {
		n.add(EnumRefusesNull, n.here.Child("enum"), "null is refused though the schema is nullable: an enum admits no null, even if it lists it")
	}
	n.unknown(s, kept)
	n.mapKeys(s)
	n.around = append(n.around, enclosing{fields: s.Type == "object" || s.Type == "" && !s.XIntOrString, keeps: kept || preserves(s)})
	return true
}

func (n *schemaNotes) done() { n.around = n.around[:len(n.around)-1] }

func preserves(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// unknown adds a note if s keeps undeclared fields. kept says that the list around s keeps them.
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

func (n *schemaNotes) mapKeys(s *apiextensionsv1.JSONSchemaProps) {
	items := itemsOf(s)
	if listType(s) != "map" || items == nil {
		return
	}
	optional := optionalKeys(items)
	for i, key := range s.XListMapKeys {
		if optional(key) {
			n.add(MapKeyOptional, n.here.Child("x-kubernetes-list-map-keys").Index(i),
				"the key %q is neither required nor has a default: elements without it are alike", key)
		}
	}
}

// values adds a note on the default of list elements or map values.
func (n *schemaNotes) values(s *apiextensionsv1.JSONSchemaProps, what string) {
	switch {
	case s.Default == nil:
	case s.Nullable:
		n.add(DefaultUnused, n.here.Child("default"), "a default of %s that may be null is never applied", what)
	default:
		n.add(DefaultForNullOnly, n.here.Child("default"), "a default of %s replaces nulls and nothing else", what)
	}
}
