package defaulting_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/schema"
)

func Example() {
	node, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"size":  {Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("3")}},
			"color": {Type: "string"},
		},
	})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	defaulter := defaulting.New(node)
	obj := map[string]any{"color": nil}
	defaulter.DropNulls(obj)
	defaulter.Default(obj)
	fmt.Println(obj)
	// Output: map[size:3]
}
