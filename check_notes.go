package crdkit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A Note is a piece of advice about a definition.
type Note struct {
	Code    NoteCode
	Pointer string // into the definition, as a JSON Pointer (RFC 6901)
	Text    string // for people; may change
}

// A NoteCode says what a note is about. Codes do not change.
type NoteCode string

const (
	// CostNearLimit: a rule, or all rules of a schema, may cost more than half of
	// what the server admits by its estimate, so that a small change of the
	// schema may be refused.
	CostNearLimit NoteCode = "CostNearLimit"
	// DefaultForNullOnly: a default of list elements or of map values replaces
	// nulls, and nothing else.
	DefaultForNullOnly NoteCode = "DefaultForNullOnly"
	// DefaultUnused: a default at the root of objects is never applied.
	DefaultUnused NoteCode = "DefaultUnused"
	// EnumRefusesNull: a schema is nullable and has an enum. The server refuses
	// null all the same, even if the enum lists it.
	EnumRefusesNull NoteCode = "EnumRefusesNull"
	// LostWhenStored: objects are stored in another version without conversion,
	// and that version prunes a field of this one.
	LostWhenStored NoteCode = "LostWhenStored"
	// HiddenFromVersion: a field of the storage version is pruned when an
	// object is read in this version, so that writing what was read loses it.
	HiddenFromVersion NoteCode = "HiddenFromVersion"
)

// WithNotes makes [Check] and [CheckUpdate] add advice to the report, which
// takes about as long as checking the rules again. It has no effect on
// [Compile].
func WithNotes() Option { return notesOption{} }

type notesOption struct{}

func (notesOption) applyCompile(*config) {}

// An adviser gathers notes.
type adviser struct {
	notes []Note
}

func (a *adviser) add(code NoteCode, pointer, format string, args ...any) {
	a.notes = append(a.notes, Note{Code: code, Pointer: pointer, Text: fmt.Sprintf(format, args...)})
}

// advise returns the notes on a definition. Schemas that do not compile have
// none.
func advise(shape *definition.Shape) []Note {
	a := &adviser{}
	crd := shape.CRD
	nodes := make([]*schema.Node, len(crd.Spec.Versions))
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		nodes[i], _ = schema.Compile(v.Schema.OpenAPIV3Schema, schema.WithoutAnnotations())
		if nodes[i] == nil {
			continue
		}
		pointer := schemaPointer(i)
		a.schema(v.Schema.OpenAPIV3Schema, pointer, true)
		a.cost(shape, nodes[i], i)
	}
	a.conversion(crd, nodes)
	slices.SortStableFunc(a.notes, func(x, y Note) int {
		return cmp.Or(cmp.Compare(x.Pointer, y.Pointer), cmp.Compare(x.Code, y.Code), cmp.Compare(x.Text, y.Text))
	})
	return slices.Compact(a.notes)
}

func schemaPointer(version int) string {
	return "/spec/versions/" + strconv.Itoa(version) + "/schema/openAPIV3Schema"
}

// schema notes what can be seen in single schemas of the structure.
func (a *adviser) schema(s *apiextensionsv1.JSONSchemaProps, pointer string, root bool) {
	if root && s.Default != nil {
		a.add(DefaultUnused, pointer+"/default", "a default of whole objects is never applied")
	}
	if s.Nullable && len(s.Enum) > 0 {
		a.add(EnumRefusesNull, pointer+"/enum", "null is refused though the schema is nullable: an enum admits no null, even if it lists it")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		a.schema(&p, pointer+"/properties/"+schema.EscapePointer(name), false)
	}
	if s.Items != nil && s.Items.Schema != nil {
		a.elements(s.Items.Schema, pointer+"/items", "list elements")
	}
	if add := s.AdditionalProperties; add != nil && add.Schema != nil {
		a.elements(add.Schema, pointer+"/additionalProperties", "map values")
	}
}

func (a *adviser) elements(s *apiextensionsv1.JSONSchemaProps, pointer, what string) {
	if s.Default != nil && !s.Nullable {
		a.add(DefaultForNullOnly, pointer+"/default", "a default of %s replaces nulls and nothing else", what)
	}
	a.schema(s, pointer, false)
}

// cost notes rules that are not far from what the server admits.
func (a *adviser) cost(shape *definition.Shape, n *schema.Node, version int) {
	if !n.Facts().Has(schema.HasRules) {
		return
	}
	path := field.NewPath("spec", "versions").Index(version).Child("schema", "openAPIV3Schema")
	report := cel.Estimate(n, cel.AtPath(path))
	for i := range report.Expressions {
		if e := &report.Expressions[i]; near(e.Total, e.Limit) {
			a.add(CostNearLimit, shape.Pointer(e.Field), "the estimated cost is %.0f%% of what one expression may cost", 100*e.Factor())
		}
	}
	if near(report.Total, report.Limit) {
		a.add(CostNearLimit, schemaPointer(version), "the estimated cost of all rules is %.0f%% of what those of a schema may cost", 100*report.Factor())
	}
}

func near(cost, limit uint64) bool { return cost > limit/2 && cost <= limit }

// conversion notes what gets lost between the storage version and others, where
// conversion changes the apiVersion and nothing else.
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
		for _, p := range undeclared(nodes[i], nodes[storage], "", true) {
			a.add(LostWhenStored, schemaPointer(i)+p, "objects are stored as %s, which does not have this field, so that its value is lost", name)
		}
		for _, p := range undeclared(nodes[storage], nodes[i], "", true) {
			a.add(HiddenFromVersion, schemaPointer(storage)+p, "%s does not have this field: clients of it do not see its value, and lose it when they write", v.Name)
		}
	}
}

// undeclared returns the pointers of the properties of n, the uppermost ones,
// which other would prune.
func undeclared(n, other *schema.Node, pointer string, root bool) []string {
	var out []string
	for name, p := range n.Properties() {
		if (root || n.EmbeddedResource()) && (name == "apiVersion" || name == "kind" || name == "metadata") {
			continue
		}
		at := pointer + "/properties/" + schema.EscapePointer(name)
		counterpart := other.Property(name)
		values, open := other.AdditionalProperties()
		switch {
		case counterpart != nil:
			out = append(out, undeclared(p, counterpart, at, false)...)
		case open && values != nil:
			out = append(out, undeclared(p, values, at, false)...)
		case !open && !other.PreserveUnknownFields():
			out = append(out, at)
		}
	}
	if items, counterpart := n.Items(), other.Items(); items != nil && counterpart != nil {
		out = append(out, undeclared(items, counterpart, pointer+"/items", false)...)
	}
	values, _ := n.AdditionalProperties()
	counterpart, _ := other.AdditionalProperties()
	if values != nil && counterpart != nil {
		out = append(out, undeclared(values, counterpart, pointer+"/additionalProperties", false)...)
	}
	return out
}
