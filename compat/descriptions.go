package compat

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// checkDescriptions reports how many descriptions of a version change. No request
// depends on them, but a new description may be a new meaning.
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
			f = r.add(Description, Note, v.Name, pointerIf(pointer, "description", changed.Description != ""), oneLine(old.Description), oneLine(changed.Description),
				"the description changes; see that the meaning does not")
			f.Field = field
		}
	})
	if count > 1 {
		f.Text = fmt.Sprintf("%d descriptions change, this one first; see that no meaning does", count)
	}
}

// oneLine returns a text without line breaks, so that a text that is broken elsewhere is the
// same.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
