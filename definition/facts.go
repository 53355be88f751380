package definition

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/schema"
)

// facts are what the checks must know of all schemas of a version before they begin.
type facts struct {
	at      *pathstack.Chain // the location of the schema
	formats []schemaWarning  // formats that the server ignores, one for each use
	sets    []schemaWarning  // sets whose elements cannot be compared
	rules   []apiextensionsv1.ValidationRules

	defaults     bool // a schema has a default
	extensions   bool // a schema has an extension that only structural schemas may have
	unknownType  bool
	nonAtomicSet bool
	invalidKeys  bool // see [checker.validKeys]
}

// A schemaWarning is a warning. about is the format that the warning names, or a copy of Text.
type schemaWarning struct {
	about string
	Warning
}

func locationOf(i int) *pathstack.Chain {
	var root *pathstack.Chain
	return root.Child("spec").Child("versions").Index(i).Child("schema").Child("openAPIV3Schema")
}

// factsOf returns the facts of each version. Its errors are about schemas that are too deep or too
// large for package schema, for example because a schema contains itself.
func factsOf(crd *apiextensionsv1.CustomResourceDefinition, walk *visitor) ([]facts, field.ErrorList) {
	var errs field.ErrorList
	out := make([]facts, len(crd.Spec.Versions))
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		out[i].at = locationOf(i)
		s := survey{facts: &out[i], walk: walk, left: schema.DefaultMaxNodes}
		walk.survey = &s
		if walk.start(v.Schema.OpenAPIV3Schema, out[i].at); s.exceeded {
			_, found := schema.Compile(v.Schema.OpenAPIV3Schema, out[i].at)
			errs = append(errs, found...)
		}
	}
	walk.survey = nil
	return out, errs
}

// A survey finds the facts of a version, schema by schema.
type survey struct {
	*facts
	walk     *visitor
	left     int  // how many more schemas the bound of package schema allows
	exceeded bool // the schema is too deep or too large
}

// note records the facts of one schema. It reports whether to visit the schemas below it.
func (v *survey) note(s *apiextensionsv1.JSONSchemaProps) bool {
	v.left--
	if v.exceeded = v.exceeded || v.left < 0 || v.walk.at.Depth() >= schema.DefaultMaxDepth; v.exceeded {
		return false
	}
	v.defaults = v.defaults || s.Default != nil
	v.extensions = v.extensions || s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.XIntOrString ||
		len(s.XListMapKeys) > 0 || s.XListType != nil || len(s.XValidations) > 0
	v.unknownType = v.unknownType || s.Type != "" && !slices.Contains(typeNames(), s.Type)
	if listType(s) == "set" {
		v.nonAtomicSet = v.nonAtomicSet || nonAtomicItems(s) != ""
	}
	v.invalidKeys = v.invalidKeys || hasInvalidKeys(s)
	if len(s.XValidations) > 0 {
		v.rules = append(v.rules, s.XValidations)
	}
	if s.Format != "" && !format.Supported(s.Type, s.Format, format.DefaultMinor) {
		v.formats = append(v.formats, v.warning(s.Format, fmt.Sprintf("unrecognized format %q", s.Format), "format"))
	}
	if items := itemsOf(s); items != nil && listType(s) == "set" && (items.Type == "object" || items.Type == "array") {
		text := fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items.Type)
		v.sets = append(v.sets, v.warning(text, text, "x-kubernetes-list-type"))
	}
	return true
}

func (v *survey) warning(about, text, keyword string) schemaWarning {
	return schemaWarning{about, Warning{Text: text, Pointer: v.walk.here().Child(keyword).Pointer()}}
}

// warnings returns the warnings that old does not have, sorted. First come warnings about formats
// that the server ignores, one for each use. Then come warnings about sets whose elements cannot be
// compared, without repeated texts. old may be nil.
func (s *internalForm) warnings(old *internalForm) []Warning {
	formats, sets := s.schemaWarnings()
	sets = slices.CompactFunc(sets, func(a, b schemaWarning) bool { return a.about == b.about })
	var formatsBefore, setsBefore []schemaWarning
	if old != nil {
		formatsBefore, setsBefore = old.schemaWarnings()
	}
	return append(newWarnings(formats, formatsBefore), newWarnings(sets, setsBefore)...)
}

// schemaWarnings returns the warnings about all schemas, sorted by subject and pointer.
func (s *internalForm) schemaWarnings() (formats, sets []schemaWarning) {
	for _, v := range s.schemas {
		formats, sets = append(formats, v.facts.formats...), append(sets, v.facts.sets...)
	}
	compare := func(a, b schemaWarning) int {
		return cmp.Or(cmp.Compare(a.about, b.about), cmp.Compare(a.Pointer, b.Pointer))
	}
	slices.SortFunc(formats, compare)
	slices.SortFunc(sets, compare)
	return formats, sets
}

func newWarnings(warnings, old []schemaWarning) []Warning {
	known := map[string]bool{}
	for _, w := range old {
		known[w.about] = true
	}
	var out []Warning
	for _, w := range warnings {
		if !known[w.about] {
			out = append(out, w.Warning)
		}
	}
	return out
}
