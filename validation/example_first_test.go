package validation_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

func Example() {
	maximum := 10.0
	node, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Required:   []string{"name"},
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": {Type: "string"}, "size": {Type: "integer", Maximum: &maximum}},
	})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	validator := validation.New(node)
	obj := map[string]any{"size": int64(11)}
	if !validator.Valid(obj) {
		for _, e := range validator.Validate(obj) {
			fmt.Println(e)
		}
	}
	// Output:
	// name: Required value
	// size: Invalid value: 11: size in body should be less than or equal to 10
}
