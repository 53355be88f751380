package cel_test

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

func Example() {
	node, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type:         "object",
		Properties:   map[string]apiextensionsv1.JSONSchemaProps{"min": {Type: "integer"}, "max": {Type: "integer"}},
		XValidations: apiextensionsv1.ValidationRules{{Rule: "self.min <= self.max", Message: "min is more than max", FieldPath: ".min"}},
	})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	program, errs := cel.Compile(node)
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	result := program.Eval(context.Background(), map[string]any{"min": int64(5), "max": int64(3)})
	for _, e := range result.Errors {
		fmt.Println(e)
	}
	// Output:
	// min: Invalid value: min is more than max
}
