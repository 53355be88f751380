package compat

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// checkDescriptions reports how many descriptions of a version change. No request
// depends on them, but a new description may be a new meaning.
func (r *resourceCheck) checkDescriptions(old, v *apiextensionsv1.CustomResourceDefinitionVersion, j int) {
	before, after := crdversion.Schema(old), crdversion.Schema(v)
	if before == nil || after == nil {
		return
	}
	count := 0
	f := Finding{Code: Description, Verdict: Compatible, Severity: Note, Version: v.Name, Text: "the description changes; see that the meaning does not"}
	eachSchema(before, after, "", versionPointer(j, "schema/openAPIV3Schema"), func(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string) {
		if old == nil || oneLine(old.Description) == oneLine(v.Description) {
			return
		}
		if count++; count == 1 {
			f.Field, f.Pointer, f.Old, f.New = field, pointer, oneLine(old.Description), oneLine(v.Description)
			if v.Description != "" {
				f.Pointer += "/description"
			}
		}
	})
	if count > 1 {
		f.Text = fmt.Sprintf("%d descriptions change, this one first; see that no meaning does", count)
	}
	if count > 0 {
		r.add(f)
	}
}

// oneLine returns a text without line breaks, so that a text that is broken elsewhere is the
// same.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
