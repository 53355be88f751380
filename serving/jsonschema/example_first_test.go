package jsonschema_test

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/jsonschema"
)

func Example() {
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com",
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boxes", Kind: "Box"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{
			OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type:       "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {Type: "integer"}},
			},
		}}},
	}}
	text, err := jsonschema.Export(crd, "v1")
	if err != nil {
		panic(err)
	}
	var exported struct {
		Schema     string `json:"$schema"`
		Properties map[string]any
	}
	if err := json.Unmarshal(text, &exported); err != nil {
		panic(err)
	}
	fmt.Println(exported.Schema, exported.Properties["size"])
	// Output:
	// https://json-schema.org/draft/2020-12/schema map[type:[integer null]]
}
