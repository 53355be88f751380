package document

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
)

// checkUnknown compares the errors of strict decoding with those of the library. It reports
// false if ReadDefinition declines the text.
func checkUnknown(t *testing.T, text string) bool {
	t.Helper()
	got, errs, _ := ReadDefinition([]byte(text), 1_000)
	if got == nil {
		return false
	}
	want := &apiextensionsv1.CustomResourceDefinition{}
	wanted, err := kjson.UnmarshalStrict([]byte(text), want)
	if err != nil {
		t.Fatalf("%.1000q: %v", text, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%.1000q (-library +got):\n%s", text, diff)
	}
	if diff := cmp.Diff(fields(wanted), fields(errs)); diff != "" {
		t.Errorf("errors of %.1000q (-library +got):\n%s", text, diff)
	}
	return true
}

// fields returns the texts and the paths of errors.
func fields(errs []error) []string {
	var list []string
	for _, err := range errs {
		list = append(list, err.Error()+" at "+err.(interface{ FieldPath() string }).FieldPath())
	}
	return list
}

// TestReadDefinitionNamesUnknownFields: it does so as the library does, at most a hundred,
// and none in the schemas that the library decodes without looking for them.
func TestReadDefinitionNamesUnknownFields(t *testing.T) {
	many := func(n int, format string) string {
		var list []string
		for i := range n {
			list = append(list, strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
		}
		return strings.Join(list, ",")
	}
	right := definitionOf(`{}`)
	texts := map[string]string{
		"in a version":        strings.Replace(right, `"served"`, `"odd":{"odd":1},"served"`, 1),
		"beside the schema":   strings.Replace(right, `"openAPIV3Schema"`, `"odd":1,"openAPIV3Schema"`, 1),
		"in other parts":      strings.Replace(right, `"schema"`, `"selectableFields":[{"odd":1}],"additionalPrinterColumns":[{},{"odd":1}],"subresources":{"odd":1,"scale":{"odd":[]}},"schema"`, 1),
		"twice in the second": strings.Replace(right, `"versions":[`, `"versions":[{},{"odd":1,"odd":2},`, 1),
		"of a definition":     strings.Replace(definitionOf(`{"odd":1}`), `"spec"`, `"odd":1,"Kind":{},"spec"`, 1),
		"before and after":    strings.Replace(definitionOf(`{"odd":1}`), `"spec":{`, `"names":{},"spec":{"grupp":1,"names":{"odd":1,"kind":"a","Kind":2},`, 1),
		"in metadata":         strings.Replace(definitionOf(`{"odd":1}`), `"name":`, `"odd":1,"ownerReferences":[{"odd":1}],"name":`, 1),
		"many in metadata":    strings.Replace(definitionOf(`{"odd":1}`), `"name":`, many(120, `"odd%d":1`)+`,"name":`, 1),
		"in the conversion":   strings.Replace(definitionOf(`{"odd":1}`), `"group"`, `"conversion":{"odd":1,"webhook":{"odd":1}},"group"`, 1),
		"in the status":       strings.Replace(definitionOf(`{"odd":1}`), `"spec"`, `"status":{"odd":1,"storedVersions":[],"conditions":[{"odd":1}]},"spec"`, 1),
	}
	for _, schema := range []string{
		`{"odd":1}`, `{"":1}`, `{"Type":1,"type":"string"}`, `{"od\"d<\u00e9":1}`, `{"a.b":{"c":1}}`,
		`{"properties":{"x":{"odd":1,"properties":{"odd":{"odd":1}}},"y.z":{"odd":1}},"not":{"odd":1}}`,
		`{"allOf":[{},{"odd":1}],"anyOf":[{"odd":1}],"oneOf":[{"oneOf":[{"odd":1}]}],"x-kubernetes-validations":[{},{"odd":1}]}`,
		`{"items":{"odd":1,"allOf":[{"odd":1}],"x-kubernetes-validations":[{"odd":1}]},"additionalProperties":{"properties":{"x":{"odd":1}}},"odd":2}`,
		`{"items":{"items":{"odd":1}},"properties":{"x":{"items":{"odd":1},"odd":1}}}`,
		`{"default":{"odd":1},"enum":[{"odd":1}],"example":{"odd":1}}`,
		`{"properties":{"a":{"odd":1},"a.properties.b":{"odd":1}},"odd":1,"type":"object"}`,
		`{` + many(49, `"odd%d":1`) + `}`, `{"type":"object",` + many(100, `"odd%d":1`) + `,"pattern":"a","odd":1}`, `{` + many(300, `"odd":1`) + `}`,
		`{` + many(40, `"odd%d":1`) + `,"not":{` + many(70, `"odd%d":1`) + `}}`,
		`{"properties":{` + many(101, `"x%d":{"odd":1}`) + `}}`,
	} {
		texts[schema] = definitionOf(schema)
	}
	for name, text := range texts {
		if !checkUnknown(t, text) {
			t.Errorf("%.200s: declined", name)
		}
	}
	for _, text := range []string{
		definitionOf(`{"type":"a",` + many(60, `"odd%d":1`) + `,"type":"b"}`),
		definitionOf(`{"odd":1,"type":1}`),
		"# YAML\n" + strings.ReplaceAll(definitionOf(`{"odd":1}`), ":", ": "),
	} {
		if checkUnknown(t, text) {
			t.Errorf("%.200s: not declined", text)
		}
	}
}

// TestReadDefinitionKnowsAllFields: no field of the types is called unknown.
func TestReadDefinitionKnowsAllFields(t *testing.T) {
	right := definitionOf(`{}`)
	schema := func(field string) string { return definitionOf(`{` + field + `}`) }
	for _, of := range []struct {
		object any
		text   func(field string) string
	}{
		{apiextensionsv1.CustomResourceDefinition{}, func(field string) string { return strings.Replace(right, `"spec"`, field+`,"spec"`, 1) }},
		{apiextensionsv1.CustomResourceDefinitionSpec{}, func(field string) string {
			return strings.Replace(right, `"spec":{`, `"spec":{`+field+`,`, 1)
		}},
		{apiextensionsv1.CustomResourceDefinitionNames{}, func(field string) string {
			return strings.Replace(right, `"spec":{`, `"spec":{"names":{`+field+`},`, 1)
		}},
		{apiextensionsv1.JSONSchemaProps{}, schema},
		{apiextensionsv1.ValidationRule{}, func(field string) string { return schema(`"x-kubernetes-validations":[{` + field + `}]`) }},
		{apiextensionsv1.CustomResourceDefinitionVersion{}, func(field string) string {
			return strings.Replace(right, `"versions":[`, `"versions":[{`+field+`},`, 1)
		}},
		{apiextensionsv1.CustomResourceValidation{}, func(field string) string {
			return strings.Replace(right, `"schema":{`, `"schema":{`+field+`},"odd":{`, 1)
		}},
		{apiextensionsv1.CustomResourceSubresources{}, func(field string) string {
			return strings.Replace(right, `"schema":{`, `"subresources":{`+field+`},"schema":{`, 1)
		}},
		{apiextensionsv1.CustomResourceSubresourceScale{}, func(field string) string {
			return strings.Replace(right, `"schema":{`, `"subresources":{"scale":{`+field+`}},"schema":{`, 1)
		}},
		{apiextensionsv1.CustomResourceColumnDefinition{}, func(field string) string {
			return strings.Replace(right, `"schema":{`, `"additionalPrinterColumns":[{`+field+`}],"schema":{`, 1)
		}},
		{apiextensionsv1.SelectableField{}, func(field string) string {
			return strings.Replace(right, `"schema":{`, `"selectableFields":[{`+field+`}],"schema":{`, 1)
		}},
	} {
		fields := reflect.VisibleFields(reflect.TypeOf(of.object))
		if len(fields) == 0 {
			t.Errorf("%T has no fields", of.object)
		}
		for _, field := range fields {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			for _, value := range []string{`"a"`, `true`, `1`, `{}`, `[]`} {
				checkUnknown(t, of.text(fmt.Sprintf("%q:%s", name, value)))
			}
		}
	}
}
