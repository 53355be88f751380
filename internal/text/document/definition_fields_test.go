package document

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// checkRead compares what ReadDefinition reads from the YAML of a JSON text with what the
// library reads. It reports false if ReadDefinition declines the YAML.
func checkRead(t *testing.T, text string) bool {
	t.Helper()
	asYAML, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		t.Fatalf("%.1000q: %v", text, err)
	}
	got := ReadDefinition(asYAML)
	if got == nil {
		return false
	}
	want := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(asYAML, want); err != nil {
		t.Fatalf("%.1000q: %v", asYAML, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%.1000q (-library +got):\n%s", asYAML, diff)
	}
	return true
}

// TestReadDefinitionKnowsAllFields: each field of the types is read with some value, as the
// library reads it.
func TestReadDefinitionKnowsAllFields(t *testing.T) {
	right := definitionOf(`{}`)
	schema := func(field string) string { return definitionOf(`{` + field + `}`) }
	for _, of := range []struct {
		object any
		text   func(field string) string
	}{
		{struct {
			Metadata metav1.ObjectMeta                              `json:"metadata"`
			Status   apiextensionsv1.CustomResourceDefinitionStatus `json:"status"`
		}{}, func(field string) string { return strings.Replace(right, `"spec"`, field+`,"spec"`, 1) }},
		{metav1.ObjectMeta{}, func(field string) string { return strings.Replace(right, `"metadata":{`, `"metadata":{`+field+`,`, 1) }},
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
			return strings.Replace(right, `"openAPIV3Schema":{}`, field, 1)
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
			read := false
			for _, value := range []string{`"a"`, `true`, `1`, `{}`, `[]`, `"2026-01-02T03:04:05Z"`} {
				if name != "" && checkRead(t, of.text(fmt.Sprintf("%q:%s", name, value))) {
					read = true
				}
			}
			if name != "" && !read {
				t.Errorf("%T: %s is never read", of.object, name)
			}
		}
	}
}
