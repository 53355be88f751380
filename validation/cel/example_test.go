package cel_test

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

func scaling() *schema.Node {
	n, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"min": {Type: "integer"},
			"max": {Type: "integer", XValidations: apiextensionsv1.ValidationRules{
				{Rule: "self >= oldSelf", Message: "must not shrink"},
			}},
		},
		XValidations: apiextensionsv1.ValidationRules{
			{Rule: "self.min <= self.max", MessageExpression: "'min is ' + string(self.min) + ', more than max'", FieldPath: ".min"},
		},
	})
	return n
}

func ExampleCompile() {
	program, errs := cel.Compile(scaling())
	fmt.Println(program != nil, errs)
	// Output:
	// true []
}

func ExampleProgram_Eval() {
	program, _ := cel.Compile(scaling())
	obj := map[string]any{"min": int64(5), "max": int64(3)}
	old := map[string]any{"min": int64(1), "max": int64(4)}

	result := program.Eval(context.Background(), obj, cel.Old(old))
	for _, err := range result.Errors {
		fmt.Println(err)
	}
	fmt.Println(result.Cost, "units")
	// Output:
	// max: Invalid value: 3: must not shrink
	// min: Invalid value: min is 5, more than max
	// 15 units
}

func ExampleBudget() {
	program, _ := cel.Compile(scaling())
	obj := map[string]any{"min": int64(1), "max": int64(3)}
	result := program.Eval(context.Background(), obj, cel.Budget(4))
	fmt.Println(result.Errors[0])
	// Output:
	// <nil>: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run
}
