package compat

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// conventionFindings reports where fields that are new in the new definition break the
// conventions of the Kubernetes API. What the old version of the name has already
// counts no more.
//
// See https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md.
func conventionFindings(p *pair) []Finding {
	r := &resourceCheck{pair: p}
	before := crdversion.ByName(p.old)
	for j := range p.crd.Spec.Versions {
		v, pointer := &p.crd.Spec.Versions[j], versionPointer(j)+"/schema/openAPIV3Schema"
		add := func(code Code, field, pointer, text string) {
			f := r.add(code, Warning, v.Name, pointer, "", "", "%s", text)
			f.Verdict, f.Field = Compatible, field
		}
		var old *apiextensionsv1.JSONSchemaProps
		if b := before[v.Name]; b != nil {
			old = crdversion.Schema(b)
		}
		if s := crdversion.Schema(v); s != nil {
			eachSchema(old, s, "", pointer, func(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string) {
				for _, code := range []Code{NewBoolean, NewNumber, NewUnsigned, NewMap, NewListWithoutType, NewConditions} {
					if text := breaks(code, v, field); text != "" && (old == nil || breaks(code, old, field) == "") {
						add(code, field, pointer, text)
					}
				}
			})
		}
		if statusIsField(v) && !statusIsField(before[v.Name]) {
			add(NewStatus, "status", pointer+"/properties/status", "status is not a subresource: a client that may write the object may write its status")
		}
	}
	return r.findings
}

// statusIsField reports whether a version has a status without the subresource.
func statusIsField(v *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	if v == nil || crdversion.Schema(v) == nil || v.Subresources != nil && v.Subresources.Status != nil {
		return false
	}
	_, ok := crdversion.Schema(v).Properties["status"]
	return ok
}

// breaks says how a schema breaks a convention, "" if it does not.
func breaks(code Code, s *apiextensionsv1.JSONSchemaProps, field string) string {
	switch {
	case code == NewBoolean && s.Type == "boolean":
		return "a boolean cannot get a third value later; a string with an enum can"
	case code == NewNumber && s.Type == "number":
		return "floating-point numbers do not survive every language and encoding; use an integer, a quantity or a string"
	case code == NewUnsigned && strings.HasPrefix(s.Format, "uint"):
		return "not every language has unsigned integers; use an integer with a minimum"
	case code == NewMap && s.Type == "object" && s.AdditionalProperties != nil:
		return "the keys of a map have no name in the schema; use a list of objects with a key"
	case code == NewListWithoutType && s.Type == "array" && valueOf(s.XListType) == "":
		return "the list has no x-kubernetes-list-type: server-side apply replaces it as a whole"
	case code == NewConditions && s.Type == "array" && (field == "conditions" || strings.HasSuffix(field, ".conditions")):
		return breaksConditions(s)
	}
	return ""
}

// breaksConditions says how a list differs from one of metav1.Condition.
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
