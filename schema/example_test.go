package schema_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

func ExampleCompile() {
	node, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"replicas": {Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("1")}},
				"image":    {Type: "string"},
			}},
		},
	})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	for name, p := range node.Property("spec").Properties() {
		def, _ := p.Default()
		fmt.Println(name, p.Kind(), def)
	}
	// Output:
	// image string <nil>
	// replicas integer 1
}

// A schema that is not structural is refused with the server's words.
func ExampleCompile_notStructural() {
	_, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"list": {Type: "array"},
		},
	}, schema.AtPath(field.NewPath("spec", "versions").Index(0).Child("schema", "openAPIV3Schema")))
	for _, err := range errs {
		fmt.Println(err)
	}
	// Output:
	// spec.versions[0].schema.openAPIV3Schema.properties[list].items: Required value: must be specified
}

func ExamplePath() {
	p := schema.Path{schema.Field("spec"), schema.Field("rules"), schema.Index(0), schema.Field("a/b")}
	fmt.Println(p)
	fmt.Println(p.Pointer())
	// Output:
	// spec.rules[0].a/b
	// /spec/rules/0/a~1b
}
