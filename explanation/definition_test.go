package explanation_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
)

// ruleSchema has RULE at the root and at spec.list.
const ruleSchema = `
type: object
RULE
properties:
  namespace: {type: string}
  in: {type: string}
  in_: {type: integer}
  in9: {type: integer}
  ina: {type: integer}
  inz: {type: integer}
  inA: {type: integer}
  inZ: {type: integer}
  a: {type: integer}
  a-b: {type: integer}
  a-b-c: {type: integer}
  a/b: {type: integer}
  "true": {type: integer}
  replicas: {type: integer}
  metadata: {type: object}
  items:
    type: array
    maxItems: 5
    items: {type: object, properties: {name: {type: string}, x-y: {type: string}}}
  spec: {type: object, properties: {minReadySeconds: {type: integer}}}
`

func TestDefinition(t *testing.T) {
	for _, c := range []struct{ version, rule, text, suggestion string }{
		{"1.30", "self.namespace == 'a'", `rules spell the field "namespace" in another form: write self.__namespace__`, "self.__namespace__"},
		{"", "self.a-b == 1", `rules spell the field "a-b" in another form: write self.a__dash__b`, "self.a__dash__b"},
		{"", "self.a-b-c == 1", `rules spell the field "a-b-c" in another form: write self.a__dash__b__dash__c`, "self.a__dash__b__dash__c"},
		{"", "self.a/b == 1", `rules spell the field "a/b" in another form: write self.a__slash__b`, "self.a__slash__b"},
		{"", "self.in == 'a'", `rules spell the field "in" in another form: write self.__in__`, "self.__in__"},
		{"", "self.in_ + self.in9 + self.ina + self.inz + self.inA + self.inZ == 1 && a.in == ''", `rules spell the field "in" in another form: write a.__in__`, "a.__in__"},
		{"", "self.true == 1", `rules spell the field "true" in another form: write self.__true__`, "self.__true__"},
		{"", "self['a-b'] == 1", `rules spell the field "a-b" in another form: write self.a__dash__b`, "self.a__dash__b"},
		{"", "self.items.all(x, x.x-y == 'a')", `rules spell the field "x-y" in another form: write x.x__dash__y`, "x.x__dash__y"},
		{"", "namespace == 'a'", "namespace is a reserved word of CEL: write self.__namespace__", "self.__namespace__"},
		{"", "self.replica > 1", "no field replica is declared there: write self.replicas", "self.replicas"},
		{"", "has(self.replica)", "no field replica is declared there: write replicas", "replicas"},
		{"", "self.spec.minReadySecond > 1", "no field minReadySecond is declared there: write self.spec.minReadySeconds", "self.spec.minReadySeconds"},
		{"", "self.items.all(i, i.nam == 'a')", "no field nam is declared there: write name", "name"},
		{"", "replicas > 1", "rules read fields through self: write self.replicas", "self.replicas"},
		{"", "slef.replicas > 1", "slef is not declared: write self", "self"},
		{"", "oldself.replicas > 1", "oldself is not declared: write oldSelf", "oldSelf"},
		{"", "self.items.sizes() > 1", "sizes is not declared: write size", "size"},
		{"", "self.unrelated == 1", "", ""},
		{"", "self.replicas >", "", ""},
		{"", "self.replicas == 'a'", "", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			rule := "x-kubernetes-validations: [{rule: \"" + c.rule + "\"}]"
			crd := definitionOf(t, strings.Replace(ruleSchema, "RULE", rule, 1))
			report := definition.Check(crd, definition.KubernetesVersion(c.version))
			if len(report.Errors) == 0 {
				t.Fatal("the definition has no errors")
			}
			for _, e := range report.Errors {
				got := explanation.Definition(crd, e.FieldError())
				switch {
				case !strings.Contains(e.Field, "x-kubernetes-validations"):
					if got != nil {
						t.Errorf("%v: %+v", e, got)
					}
				case got == nil && c.text == "":
				case got == nil || got.Text != c.text || got.Suggestion != c.suggestion:
					t.Errorf("%v:\n got %+v\nwant %s, %s", e, got, c.text, c.suggestion)
				}
			}
		})
	}
}

func TestDefinitionOfCosts(t *testing.T) {
	crd := definitionOf(t, `
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations: [{rule: "self.list.all(x, self.list.all(y, x == y))"}]
    properties: {list: {type: array, items: {type: string}}}
`)
	explained := 0
	for _, e := range definition.Check(crd).Errors {
		if got := explanation.Definition(crd, e.FieldError()); got != nil && strings.Contains(got.Suggestion, "cel.Estimate") {
			explained++
		}
	}
	if explained == 0 {
		t.Error("no error about the cost was explained")
	}
}

func TestDefinitionBelow(t *testing.T) {
	crd := definitionOf(t, `
type: object
properties:
  "a]b":
    type: array
    items:
      type: object
      additionalProperties:
        type: object
        x-kubernetes-validations: [{rule: "true", messageExpression: "self.nam"}, {rule: "self.nam == ''"}]
        properties: {name: {type: string}}
`)
	explained := 0
	for _, e := range definition.Check(crd).Errors {
		if got := explanation.Definition(crd, e.FieldError()); got != nil && got.Suggestion == "self.name" {
			explained++
		}
	}
	if explained != 2 {
		t.Errorf("%d errors were explained, want 2", explained)
	}
}

// TestDefinitionOfSecondVersion takes the rule of the version that the error names.
func TestDefinitionOfSecondVersion(t *testing.T) {
	crd := definitionOf(t, "type: object\nproperties: {nam: {type: string}}\nx-kubernetes-validations: [{rule: \"self.nam == ''\"}]\n")
	second := definitionOf(t, "type: object\nproperties: {name: {type: string}}\nx-kubernetes-validations: [{rule: \"self.nam == ''\"}]\n").Spec.Versions[0]
	second.Name, second.Storage = "v2", false
	crd.Spec.Versions = append(crd.Spec.Versions, second)
	errs := definition.Check(crd).Errors
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Field, "spec.versions[1].") {
		t.Fatalf("errors %v", errs)
	}
	if got := explanation.Definition(crd, errs[0].FieldError()); got == nil || got.Suggestion != "self.name" {
		t.Errorf("got %+v", got)
	}
}

func TestDefinitionOfForeignErrors(t *testing.T) {
	crd := definitionOf(t, "type: object\n")
	for _, at := range []string{"", "spec.group", "spec.versions[7].schema.openAPIV3Schema.x-kubernetes-validations[0].rule",
		"spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[0].rule",
		"spec.versions[0].schema.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule",
		"spec.versions[-1].schema.openAPIV3Schema", "spec.versions[0].schema.openAPIV3Schema.properties["} {
		err := &field.Error{Type: field.ErrorTypeInvalid, Field: at, Detail: "compilation failed: undefined field 'a'"}
		if got := explanation.Definition(crd, err); got != nil {
			t.Errorf("%q: got %+v", at, got)
		}
	}
	if explanation.Definition(nil, &field.Error{}) != nil || explanation.Definition(crd, nil) != nil {
		t.Error("nil has an explanation")
	}
}
