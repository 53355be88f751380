package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestRulesOfObjectDefaults: if a rule of a default fails, the error has the path of the default
// followed by the path of the value.
func TestRulesOfObjectDefaults(t *testing.T) {
	const below = `{type: object, default: DEFAULT, properties: {a: {type: integer, x-kubernetes-validations: [{rule: self < 4}]}, ` +
		`default: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self != 'b'"}]}, ` +
		`m: {type: object, maxProperties: 9, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self < 4}]}}, ` +
		`l: {type: array, maxItems: 9, items: {type: integer, x-kubernetes-validations: [{rule: self < 4}]}}}, ` +
		`x-kubernetes-validations: [{rule: "!has(self.a) || self.a > 0"}, {rule: "self == oldSelf && !has(self.m)", fieldPath: .m}]}`
	for _, test := range []struct {
		schema, value string
		want          []string
	}{
		{below, `{}`, nil},
		{below, `{"a": 0}`, []string{`.default: Invalid value: failed rule: !has(self.a) || self.a > 0`}},
		{below, `{"a": 4, "default": "b"}`, []string{
			`.default.a: Invalid value: 4: failed rule: self < 4`,
			`.default.default: Invalid value: "b": failed rule: self != 'b'`}},
		{below, `{"m": {"k": 5}, "l": [1, 6]}`, []string{
			`.default.l[1]: Invalid value: 6: failed rule: self < 4`,
			`.default.m: Invalid value: failed rule: self == oldSelf && !has(self.m)`,
			`.default.m[k]: Invalid value: 5: failed rule: self < 4`}},
		{`{type: object, default: DEFAULT, maxProperties: 9, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self < 4}]}}`,
			`{"k": 5, "default": 1}`, []string{`.default[k]: Invalid value: 5: failed rule: self < 4`}},
		{`{type: integer, default: DEFAULT, x-kubernetes-validations: [{rule: self < 4}]}`,
			`5`, []string{`.default: Invalid value: 5: failed rule: self < 4`}},
	} {
		var s apiextensionsv1.JSONSchemaProps
		if err := yaml.Unmarshal([]byte(strings.Replace(test.schema, "DEFAULT", test.value, 1)), &s); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, err := range Check(holder(t, s, "f")).Errors {
			got = append(got, strings.TrimPrefix(fmt.Sprint(err), "spec.validation.openAPIV3Schema.properties[spec].properties[f]"))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s with default %s (-want +got):\n%s", test.schema, test.value, diff)
		}
	}
}

// TestDefaultsOfResources: the rules of a default that is a resource may use its kind, which
// is not declared, and its metadata is checked.
func TestDefaultsOfResources(t *testing.T) {
	const rule = `x-kubernetes-validations: [{rule: "self.kind != 'A'"}]`
	embedded := "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: DEFAULT, " + rule + "}"
	root := "{type: object, default: DEFAULT, " + rule + "}"
	for _, test := range []struct{ schema, value, want string }{
		{embedded, `{"apiVersion": "v1", "kind": "B"}`, `[]`},
		{embedded, `{"apiVersion": "v1", "kind": "A"}`, `failed rule: self.kind != 'A'`},
		{root, `{"apiVersion": "v1", "kind": "B", "metadata": {"name": "a"}}`, `[]`},
		{root, `{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}`, `failed rule: self.kind != 'A'`},
		{root, `{}`, `apiVersion: Required value`},
	} {
		var s apiextensionsv1.JSONSchemaProps
		if err := yaml.Unmarshal([]byte(strings.Replace(test.schema, "DEFAULT", test.value, 1)), &s); err != nil {
			t.Fatal(err)
		}
		crd := holder(t, s, "f")
		if test.schema == root {
			crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &s
		}
		if got := fmt.Sprint(Check(crd).Errors); !strings.Contains(got, test.want) {
			t.Errorf("%s with default %s: errors %s, want %s", test.schema, test.value, got, test.want)
		}
	}
}
