package definition

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func conditionText(c *apiextensionsv1.CustomResourceDefinitionCondition) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
}

func TestAcceptNames(t *testing.T) {
	type nameSet = apiextensionsv1.CustomResourceDefinitionNames
	var tests []struct {
		Name, Before, Accepted, Established string
		Asked, Had, Claimed, Got            nameSet
	}
	loadFile(t, "testdata/conditions.yaml", &tests)
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			crd := merged(t, nil)
			crd.Spec.Names, crd.Status.AcceptedNames = tt.Asked, tt.Had
			var claimed claims
			claimed.add(&tt.Claimed)
			got, accepted := acceptNames(crd, claimed)
			if diff := cmp.Diff(tt.Got, got); diff != "" {
				t.Errorf("names mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.Accepted, conditionText(&accepted)); diff != "" {
				t.Errorf("NamesAccepted mismatch (-want +got):\n%s", diff)
			}
			if tt.Before != "" {
				crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
					{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionStatus(tt.Before), Reason: "Old"},
				}
			}
			established := establishedCondition(crd, accepted.Status == apiextensionsv1.ConditionTrue)
			if diff := cmp.Diff(tt.Established, conditionText(&established)); diff != "" {
				t.Errorf("Established mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNonStructural(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"structural", `{type: object}`, ""},
		{"no type", `{properties: {a: {}}}`, "True Violations: [spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields, " +
			"spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root]"},
		{"a keyword that no schema has", `{type: object, $schema: x}`, "Unknown StructuralError: failed to check validation schema for version v1: OpenAPIV3Schema 'schema' is not supported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crd := merged(t, nil)
			crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &apiextensionsv1.JSONSchemaProps{}
			load(t, []byte(tt.schema), crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
			if diff := cmp.Diff(tt.want, conditionText(nonStructuralCondition(crd))); diff != "" {
				t.Errorf("condition mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNormal checks that normalize spells literals as the server does, and
// which differences between literals count as a change.
func TestNormal(t *testing.T) {
	for _, tt := range []struct {
		name, old, now, want string
		changed              bool
	}{
		{"a whole number with a fraction", `{"b":1,"a":2}`, `{ "a": 2, "b": 1.0 }`, `{"a":2,"b":1}`, true},
		{"order alone", `{"b":1,"a":2}`, `{ "a": 2, "b": 1 }`, `{"a":2,"b":1}`, false},
		{"a value", `{"a":2}`, `{"a":3}`, `{"a":3}`, true},
		{"html", `"<"`, `"<"`, `"\u003c"`, false},
		{"a large number", `1e3`, `1000.0`, `1000`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			with := func(literal string) *apiextensionsv1.CustomResourceDefinition {
				crd := merged(t, nil)
				crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Default = &apiextensionsv1.JSON{Raw: []byte(literal)}
				return crd
			}
			now := with(tt.now)
			got, changed, err := normalize(now, with(tt.old))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got.Spec.Versions[0].Schema.OpenAPIV3Schema.Default.Raw)); diff != "" {
				t.Errorf("literal mismatch (-want +got):\n%s", diff)
			}
			if changed != tt.changed {
				t.Errorf("changed = %v, want %v", changed, tt.changed)
			}
			if diff := cmp.Diff(with(tt.now), now); diff != "" {
				t.Errorf("Normal changed the definition:\n%s", diff)
			}
			if _, changed, err := normalize(now, nil); err != nil || !changed {
				t.Errorf("without an old definition changed = %v, %v", changed, err)
			}
			if _, _, err := normalize(now, with(`{`)); err == nil {
				t.Error("an old default that is not JSON is no error")
			}
		})
	}
}
