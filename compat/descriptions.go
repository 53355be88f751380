package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/schema"
)

// checkDescriptions reports how many descriptions of a version change. No request
// depends on them, but a new description may be a new meaning.
func (r *resourceCheck) checkDescriptions(old, v *apiextensionsv1.CustomResourceDefinitionVersion, j int) {
	before, after := crdversion.Schema(old), crdversion.Schema(v)
	if before == nil || after == nil {
		return
	}
	d := &descriptionDiff{}
	d.compare(before, after, "", versionPointer(j, "schema/openAPIV3Schema"))
	if d.count == 0 {
		return
	}
	f := Finding{
		Code: Description, Verdict: Compatible, Severity: Note, Version: v.Name, Field: d.field, Pointer: d.pointer, Old: d.before, New: d.after,
		Text: "the description changes; see that the meaning does not",
	}
	if d.count > 1 {
		f.Text = fmt.Sprintf("%d descriptions change, this one first; see that no meaning does", d.count)
	}
	r.add(f)
}

// A descriptionDiff counts the descriptions that differ, and has the first one.
type descriptionDiff struct {
	count          int
	field, pointer string
	before, after  string
}

func (d *descriptionDiff) compare(before, after *apiextensionsv1.JSONSchemaProps, field, pointer string) {
	if old, v := oneLine(before.Description), oneLine(after.Description); old != v {
		if d.count++; d.count == 1 {
			d.field, d.pointer, d.before, d.after = field, pointer, old, v
			if after.Description != "" {
				d.pointer += "/description"
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after.Properties)) {
		old, ok := before.Properties[name]
		if !ok {
			continue
		}
		v := after.Properties[name]
		d.compare(&old, &v, joinField(field, name), pointer+"/properties/"+schema.EscapePointer(name))
	}
	if before.Items != nil && after.Items != nil && before.Items.Schema != nil && after.Items.Schema != nil {
		d.compare(before.Items.Schema, after.Items.Schema, field+"[*]", pointer+"/items")
	}
	if a, b := before.AdditionalProperties, after.AdditionalProperties; a != nil && b != nil && a.Schema != nil && b.Schema != nil {
		d.compare(a.Schema, b.Schema, field+"[*]", pointer+"/additionalProperties")
	}
}

// oneLine returns a text without line breaks, so that a text that is broken elsewhere is the
// same.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// joinField returns the field path of a field of an object.
func joinField(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
