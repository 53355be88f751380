package openapi_test

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/openapi"
)

func Example() {
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com",
		Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boxes", Kind: "Box", ListKind: "BoxList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
			OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type:       "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {Type: "integer"}},
			},
		}}},
	}}
	document, err := openapi.VersionV3(crd, "v1") // GET /openapi/v3/apis/example.com/v1
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	var published struct {
		OpenAPI    string
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &published); err != nil {
		panic(err)
	}
	fmt.Println(published.OpenAPI, string(published.Components.Schemas["com.example.v1.Box"].Properties["size"]))
	// Output:
	// 3.0.0 {"type":"integer"}
}
