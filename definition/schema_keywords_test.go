package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/schema"
)

// below are the keywords under which a schema may have others: the text of a schema with
// another one in it, and the pointer from one to the other.
var below = []struct{ keyword, schema, pointer string }{
	{"items", `{"items":%s}`, "/items"},
	{"several items", `{"items":[{},%s]}`, "/items/1"},
	{"additionalItems", `{"additionalItems":%s}`, "/additionalItems"},
	{"properties", `{"properties":{"a/b":%s}}`, "/properties/a~1b"},
	{"patternProperties", `{"patternProperties":{"^a":%s}}`, "/patternProperties/^a"},
	{"additionalProperties", `{"additionalProperties":%s}`, "/additionalProperties"},
	{"definitions", `{"definitions":{"a":%s}}`, "/definitions/a"},
	{"dependencies", `{"dependencies":{"a~b":%s}}`, "/dependencies/a~0b"},
	{"allOf", `{"allOf":[{},%s]}`, "/allOf/1"},
	{"anyOf", `{"anyOf":[{},%s]}`, "/anyOf/1"},
	{"oneOf", `{"oneOf":[{},%s]}`, "/oneOf/1"},
	{"not", `{"not":%s}`, "/not"},
}

const openAPIPointer = "/spec/versions/0/schema/openAPIV3Schema"

// TestWarningsUnderEveryKeyword: formats and sets cause warnings under every keyword, also
// where a schema follows that keyword.
func TestWarningsUnderEveryKeyword(t *testing.T) {
	const set = `x-kubernetes-list-type: set for items of type "array" is not supported by server-side apply or CEL validation rules`
	const inner = `{"format":"inner","type":"array","x-kubernetes-list-type":"set","items":{"type":"array","items":{"type":"string"}}}`
	for _, tt := range below {
		t.Run(tt.keyword, func(t *testing.T) {
			around := `{"type":"object","not":{"format":"not"},"properties":{"p":` + fmt.Sprintf(tt.schema, inner) + `}}`
			at := openAPIPointer + "/properties/p" + tt.pointer
			want := []string{
				at + `/format: unrecognized format "inner"`,
				openAPIPointer + `/not/format: unrecognized format "not"`,
				at + "/x-kubernetes-list-type: " + set,
			}
			crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", around))
			if diff := cmp.Diff(want, warningLines(Check(crd))); diff != "" {
				t.Errorf("warnings of Check (-want +got):\n%s", diff)
			}
			old := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object"}`))
			if diff := cmp.Diff(want, warningLines(CheckUpdate(crd, old))); diff != "" {
				t.Errorf("warnings of CheckUpdate (-want +got):\n%s", diff)
			}
			if got := warningLines(CheckUpdate(crd, crd)); len(got) > 0 {
				t.Errorf("CheckUpdate warns about what the old definition has: %v", got)
			}
		})
	}
}

// TestWarningsOfVersions: a schema that not all versions share causes warnings at its
// version, one that they share at the first.
func TestWarningsOfVersions(t *testing.T) {
	const versions = `{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":%s}},{"name":"v1"`
	a, b := fmt.Sprintf(propertyX, `{"type":"string","format":"a"}`), fmt.Sprintf(propertyX, `{"type":"string","format":"b"}`)
	const at = `/spec/versions/%d/schema/openAPIV3Schema/properties/x/format: unrecognized format %q`
	for _, tt := range []struct{ first, second, one, other string }{
		{a, b, fmt.Sprintf(at, 0, "a"), fmt.Sprintf(at, 1, "b")},
		{b, a, fmt.Sprintf(at, 1, "a"), fmt.Sprintf(at, 0, "b")},
		{a, a, fmt.Sprintf(at, 0, "a"), ""},
	} {
		text := strings.Replace(fmt.Sprintf(checkCRD, "", tt.second), `{"name":"v1"`, fmt.Sprintf(versions, tt.first), 1)
		want := []string{tt.one}
		if tt.other != "" {
			want = append(want, tt.other)
		}
		if diff := cmp.Diff(want, warningLines(Check(decodeCRD(t, text)))); diff != "" {
			t.Errorf("warnings of %s and %s (-want +got):\n%s", tt.first, tt.second, diff)
		}
	}
}

// TestNoSetWarning: a set warns only if its elements are objects or lists.
func TestNoSetWarning(t *testing.T) {
	for name, schema := range map[string]string{
		"scalars":             `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`,
		"elements of no type": `{"type":"array","x-kubernetes-list-type":"set","items":{"x-kubernetes-int-or-string":true}}`,
		"no items":            `{"type":"array","x-kubernetes-list-type":"set"}`,
		"several items":       `{"type":"array","x-kubernetes-list-type":"set","items":[{"type":"object"}]}`,
		"an atomic list":      `{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"object"}}`,
		"a list without type": `{"type":"array","items":{"type":"object"}}`,
	} {
		crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", fmt.Sprintf(propertyX, schema)))
		if got := warningLines(Check(crd)); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestDeepestSchemaIsScanned: a schema at the greatest depth is scanned, under every
// keyword. The next one is refused.
func TestDeepestSchemaIsScanned(t *testing.T) {
	for _, tt := range below {
		t.Run(tt.keyword, func(t *testing.T) {
			crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"properties":{"p":`+fmt.Sprintf(tt.schema, `{"format":"inner"}`)+`}}`))
			root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
			inner := root.Properties["p"]
			for range schema.DefaultMaxDepth - 3 { // those of the root, p and the innermost
				around := inner
				inner.Not, inner.Items, inner.AdditionalItems, inner.AdditionalProperties = &around, nil, nil, nil
				inner.Properties, inner.PatternProperties, inner.Definitions, inner.Dependencies = nil, nil, nil, nil
				inner.AllOf, inner.AnyOf, inner.OneOf = nil, nil, nil
			}
			root.Properties["p"] = inner
			found, errs := factsOf(crd, &visitor{})
			if len(errs) > 0 {
				t.Fatalf("the greatest depth is refused: %v", errs)
			}
			if formats := found[0].formats; len(formats) != 1 || formats[0].about != "inner" {
				t.Errorf("formats: %v, want one, inner", formats)
			}
			deeper := inner
			root.Not = &deeper
			inner = *root.DeepCopy()
			inner.Format = ""
			root.Properties["p"] = inner
			if _, errs := factsOf(crd, &visitor{}); len(errs) != 1 || !strings.Contains(errs[0].Error(), "deep") && !strings.Contains(errs[0].Error(), "OpenAPIV3Schema '") {
				t.Errorf("a greater depth: %v, want one error, about it or about a keyword that is not supported", errs)
			}
		})
	}
}

// TestFaultsOfOldSchemasUnderEveryKeyword: an update may keep a fault that the old
// definition has under any keyword, and have it elsewhere too.
func TestFaultsOfOldSchemasUnderEveryKeyword(t *testing.T) {
	const set = `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}}`
	const keys = `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}}`
	for _, fault := range []struct{ name, schema, detail string }{
		{"unknown type", `{"type":"text"}`, "supported values"},
		{"set of objects", set, "must be atomic as item"},
		{"key that may be missing", keys, "must have a default or be a required property"},
	} {
		has := func(r *Report) bool {
			for _, line := range reportLines(r) {
				if strings.Contains(line, "/properties/new") && strings.Contains(line, fault.detail) {
					return true
				}
			}
			return false
		}
		withNew := func(p string) string {
			return fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{"p":`+p+`,"new":`+fault.schema+`}}`)
		}
		if crd, old := decodeCRD(t, withNew(`{"type":"string"}`)), decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object"}`)); !has(CheckUpdate(crd, old)) {
			t.Errorf("%s: CheckUpdate does not report a fault that is new", fault.name)
		}
		for _, tt := range below {
			p := fmt.Sprintf(tt.schema, fault.schema)
			old := decodeCRD(t, fmt.Sprintf(checkCRD, "", fmt.Sprintf(`{"type":"object","properties":{"p":%s}}`, p)))
			if crd := decodeCRD(t, withNew(p)); has(CheckUpdate(crd, old)) || !has(Check(crd)) {
				t.Errorf("%s under %s: CheckUpdate %v, Check %v", fault.name, tt.keyword, has(CheckUpdate(crd, old)), has(Check(crd)))
			}
		}
	}
}

// TestDefaultsOfIntOrString: a value of any type is a valid default where
// x-kubernetes-int-or-string stands, also below it.
func TestDefaultsOfIntOrString(t *testing.T) {
	const either = `{"x-kubernetes-int-or-string":true}`
	for name, tt := range map[string]struct{ schema, value string }{
		"itself":                {`{"x-kubernetes-int-or-string":true`, `true`},
		"items":                 {`{"type":"array","items":` + either, `[true]`},
		"additional properties": {`{"type":"object","additionalProperties":` + either, `{"a":true}`},
		"properties":            {`{"type":"object","properties":{"a":` + either + `}`, `{"a":true}`},
		"properties of items":   {`{"type":"array","items":{"type":"object","properties":{"a":` + either + `}}`, `[{"a":[]}]`},
	} {
		crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", fmt.Sprintf(propertyX, tt.schema+`,"default":`+tt.value+`}`)))
		before := crd.DeepCopy()
		if err := Check(crd).Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, crd); diff != "" {
			t.Errorf("%s: Check changed the definition:\n%s", name, diff)
		}
	}
}
