package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/schema"
)

// warningPointers returns for each warning the JSON Pointer of the schema that causes it, ""
// if none does. Repeated warnings get different schemas. A single warning that several
// schemas cause gets the first pointer.
func warningPointers(s *internalForm, warnings []string) []string {
	found := pointersByWarning(s)
	out := make([]string, len(warnings))
	for i, text := range warnings {
		if pointers := found[text]; len(pointers) > 0 {
			out[i], found[text] = pointers[0], pointers[1:]
		}
	}
	return out
}

// pointersByWarning returns the sorted pointers of the schemas that cause each warning. A
// common schema has the pointer of the first version.
func pointersByWarning(s *internalForm) map[string][]string {
	found := map[string][]string{}
	w := pointerWalk{visit: func(n *apiextensionsv1.JSONSchemaProps, pointer func() string) {
		if n.Format != "" && !format.Supported(n.Type, n.Format, format.DefaultMinor) {
			text := formatWarning(n.Format)
			found[text] = append(found[text], pointer()+"/format")
		}
		if text := setWarning(n); text != "" {
			found[text] = append(found[text], pointer()+"/x-kubernetes-list-type")
		}
	}}
	if root := s.common.root(); root != nil {
		w.schema(root, "/spec/versions/0/schema/openAPIV3Schema")
	}
	for i := range s.versions {
		if root := s.versions[i].root(); root != nil {
			w.schema(root, fmt.Sprintf("/spec/versions/%d/schema/openAPIV3Schema", i))
		}
	}
	for _, pointers := range found {
		slices.Sort(pointers)
	}
	return found
}

// setWarning returns the warning about a set whose elements cannot be compared, "" if n is
// not such a set.
func setWarning(n *apiextensionsv1.JSONSchemaProps) string {
	items := itemsOf(n)
	if listType(n) != "set" || items == nil || items.Type != "object" && items.Type != "array" {
		return ""
	}
	return fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items.Type)
}

// A pointerWalk visits a schema and all schemas below it, under any keyword, with their
// pointers. A pointer is built only when visit asks for it.
type pointerWalk struct {
	visit func(n *apiextensionsv1.JSONSchemaProps, pointer func() string)
	steps []string
}

func (w *pointerWalk) schema(n *apiextensionsv1.JSONSchemaProps, step string) {
	w.steps = append(w.steps, step)
	w.visit(n, func() string { return strings.Join(w.steps, "") })
	w.below(n)
	w.steps = w.steps[:len(w.steps)-1]
}

func (w *pointerWalk) below(n *apiextensionsv1.JSONSchemaProps) {
	if n.Items != nil {
		w.one(n.Items.Schema, "/items")
		w.list(n.Items.JSONSchemas, "/items")
	}
	w.list(n.AllOf, "/allOf")
	w.list(n.AnyOf, "/anyOf")
	w.list(n.OneOf, "/oneOf")
	w.named(n.Properties, "/properties/")
	w.named(n.PatternProperties, "/patternProperties/")
	w.named(n.Definitions, "/definitions/")
	if n.AdditionalProperties != nil {
		w.one(n.AdditionalProperties.Schema, "/additionalProperties")
	}
	if n.AdditionalItems != nil {
		w.one(n.AdditionalItems.Schema, "/additionalItems")
	}
	for name, d := range n.Dependencies {
		w.one(d.Schema, "/dependencies/"+schema.EscapePointer(name))
	}
	w.one(n.Not, "/not")
}

func (w *pointerWalk) one(n *apiextensionsv1.JSONSchemaProps, step string) {
	if n != nil {
		w.schema(n, step)
	}
}

func (w *pointerWalk) list(schemas []apiextensionsv1.JSONSchemaProps, step string) {
	for i := range schemas {
		w.schema(&schemas[i], step+"/"+strconv.Itoa(i))
	}
}

func (w *pointerWalk) named(schemas map[string]apiextensionsv1.JSONSchemaProps, step string) {
	var n apiextensionsv1.JSONSchemaProps
	for name := range schemas {
		n = schemas[name]
		w.schema(&n, step+schema.EscapePointer(name))
	}
}
