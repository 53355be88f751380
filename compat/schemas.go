package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// eachSchema calls visit for a schema and the schemas below it, each with the old schema at the
// same path, or nil.
func eachSchema(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string, visit func(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string)) {
	visit(old, v, field, pointer)
	if old == nil {
		old = &apiextensionsv1.JSONSchemaProps{}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Properties)) {
		child, path := v.Properties[name], name
		if field != "" {
			path = field + "." + name
		}
		var before *apiextensionsv1.JSONSchemaProps
		if s, ok := old.Properties[name]; ok {
			before = &s
		}
		eachSchema(before, &child, path, propertyPointer(pointer, name), visit)
	}
	if items := valueOf(v.Items).Schema; items != nil {
		eachSchema(valueOf(old.Items).Schema, items, field+"[*]", pointer+"/items", visit)
	}
	if additional := valueOf(v.AdditionalProperties).Schema; additional != nil {
		eachSchema(valueOf(old.AdditionalProperties).Schema, additional, field+"[*]", pointer+"/additionalProperties", visit)
	}
}

// checkDescriptions reports changed descriptions, because the meaning of a field may change, too.
func (r *resourceCheck) checkDescriptions(old, v *apiextensionsv1.CustomResourceDefinitionVersion, pointer string) {
	before, after := crdversion.Schema(old), crdversion.Schema(v)
	if before == nil || after == nil {
		return
	}
	count := 0
	var f *Finding
	eachSchema(before, after, "", pointer, func(old, changed *apiextensionsv1.JSONSchemaProps, field, pointer string) {
		if old == nil || oneLine(old.Description) == oneLine(changed.Description) {
			return
		}
		if count++; count == 1 {
			f = r.add(CodeDescription, SeverityNote, v.Name, pointerIf(pointer, "description", changed.Description != ""), oneLine(old.Description), oneLine(changed.Description),
				"the description changes; see that the meaning does not")
			f.Field = field
		}
	})
	if count > 1 {
		f.Text = fmt.Sprintf("%d descriptions change, this one first; see that no meaning does", count)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func conventionFindings(p *pair) []Finding {
	r := &resourceCheck{pair: p}
	before := crdversion.ByName(p.old)
	for j := range p.crd.Spec.Versions {
		v, pointer := &p.crd.Spec.Versions[j], versionPointer(j)+"/schema/openAPIV3Schema"
		add := func(code Code, field, pointer, text string) {
			f := r.add(code, SeverityWarning, v.Name, pointer, "", "", "%s", text)
			f.Verdict, f.Field = VerdictCompatible, field
		}
		var old *apiextensionsv1.JSONSchemaProps
		if b := before[v.Name]; b != nil {
			old = crdversion.Schema(b)
		}
		if s := crdversion.Schema(v); s != nil {
			eachSchema(old, s, "", pointer, func(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string) {
				for _, code := range []Code{CodeNewBoolean, CodeNewNumber, CodeNewUnsigned, CodeNewMap, CodeNewListWithoutType, CodeNewConditions} {
					if text := breaks(code, v, field); text != "" && (old == nil || breaks(code, old, field) == "") {
						add(code, field, pointer, text)
					}
				}
			})
		}
		if statusIsField(v) && !statusIsField(before[v.Name]) {
			add(CodeNewStatus, "status", pointer+"/properties/status", "status is not a subresource: a client that may write the object may write its status")
		}
	}
	return r.findings
}

func statusIsField(v *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	if v == nil || crdversion.Schema(v) == nil || v.Subresources != nil && v.Subresources.Status != nil {
		return false
	}
	_, ok := crdversion.Schema(v).Properties["status"]
	return ok
}

// breaks says how a schema breaks a convention, or returns "".
func breaks(code Code, s *apiextensionsv1.JSONSchemaProps, field string) string {
	switch {
	case code == CodeNewBoolean && s.Type == "boolean":
		return "a boolean cannot get a third value later; a string with an enum can"
	case code == CodeNewNumber && s.Type == "number":
		return "floating-point numbers do not survive every language and encoding; use an integer, a quantity or a string"
	case code == CodeNewUnsigned && strings.HasPrefix(s.Format, "uint"):
		return "not every language has unsigned integers; use an integer with a minimum"
	case code == CodeNewMap && s.Type == "object" && s.AdditionalProperties != nil:
		return "the keys of a map have no name in the schema; use a list of objects with a key"
	case code == CodeNewListWithoutType && s.Type == "array" && valueOf(s.XListType) == "":
		return "the list has no x-kubernetes-list-type: server-side apply replaces it as a whole"
	case code == CodeNewConditions && s.Type == "array" && (field == "conditions" || strings.HasSuffix(field, ".conditions")):
		return breaksConditions(s)
	}
	return ""
}

// breaksConditions says how a list differs from a list of metav1.Condition, or returns "".
func breaksConditions(s *apiextensionsv1.JSONSchemaProps) string {
	var faults []string
	if valueOf(s.XListType) != "map" || !slices.Contains(s.XListMapKeys, "type") {
		faults = append(faults, "it is not a map list with the key type")
	}
	if s.Items != nil && s.Items.Schema != nil {
		for _, name := range []string{"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"} {
			if _, ok := s.Items.Schema.Properties[name]; !ok {
				faults = append(faults, "its elements have no "+name)
			}
		}
	}
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprintf("the list does not look like one of metav1.Condition: %s", strings.Join(faults, ", "))
}
