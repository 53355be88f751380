package validation_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// cronTab is the schema of the examples.
func cronTab() *schema.Node {
	maximum, short := 10.0, int64(3)
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {
				Type:     "object",
				Required: []string{"cron"},
				Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"cron":     {Type: "string", MinLength: &short},
					"replicas": {Type: "integer", Maximum: &maximum},
				},
			},
			"status": {
				Type:       "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"phase": {Type: "string"}},
			},
		},
	})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	return n
}

func ExampleNew() {
	v := validation.New(cronTab())
	fmt.Println(v.Valid(map[string]any{"spec": map[string]any{"cron": "* * * * *"}}))
	fmt.Println(v.Valid(map[string]any{"spec": map[string]any{"replicas": int64(3)}}))
	// Output:
	// true
	// false
}

func ExampleValidator_Valid() {
	v := validation.New(cronTab())
	fmt.Println(v.Valid(map[string]any{"spec": map[string]any{"cron": "* * * * *", "replicas": "3"}}))
	// Output: false
}

func ExampleValidator_Validate() {
	v := validation.New(cronTab())
	errs := v.Validate(map[string]any{"spec": map[string]any{"replicas": int64(30)}})
	for _, err := range errs {
		fmt.Println(err)
		fmt.Println("  at", err.Pointer, "by", err.SchemaPointer)
	}
	// Output:
	// spec.cron: Required value
	//   at /spec/cron by /properties/spec
	// spec.replicas: Invalid value: 30: spec.replicas in body should be less than or equal to 10
	//   at /spec/replicas by /properties/spec/properties/replicas
}

func ExampleValidator_ValidateUpdate() {
	v := validation.New(cronTab())
	old := map[string]any{"spec": map[string]any{"cron": "*", "replicas": int64(30)}}
	obj := map[string]any{"spec": map[string]any{"cron": "-", "replicas": int64(30)}}
	res := v.ValidateUpdate(obj, old)
	fmt.Println("refused:", res.Errors.Err())
	fmt.Println("forgiven:", res.Ratcheted.Err())
	// Output:
	// refused: spec.cron: Invalid value: "-": spec.cron in body should be at least 3 chars long
	// forgiven: spec.replicas: Invalid value: 30: spec.replicas in body should be less than or equal to 10
}

func ExampleValidator_ValidateStatus() {
	v := validation.New(cronTab())
	obj := map[string]any{"status": map[string]any{"phase": int64(1)}}
	fmt.Println(v.ValidateStatus(obj, nil).Errors.Err())
	// Output: status.phase: Invalid value: "integer": phase in body must be of type string: "integer"
}

func ExampleKubernetesVersion() {
	n, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"name": {Type: "string", Format: "k8s-short-name"},
		},
	})
	obj := map[string]any{"name": "Not a name"}
	fmt.Println(validation.New(n).Valid(obj))
	fmt.Println(validation.New(n, validation.KubernetesVersion("1.33")).Valid(obj))
	fmt.Println(validation.New(n, validation.KubernetesVersion("latest")).Validate(obj).Err())
	// Output:
	// false
	// true
	// <nil>: Invalid value: "latest": must be a version of Kubernetes from 1.29 to 1.37
}

func ExampleValidateDefault() {
	n, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"size": {Type: "string", Format: "quantity"},
	}})
	obj := map[string]any{"size": int64(5)}
	fmt.Println(validation.New(n).Validate(obj))
	fmt.Println(validation.ValidateDefault(n, obj, 10).Errors)
	// Output:
	// [size: Invalid value: "integer": size in body must be of type string: "integer"]
	// [size: Invalid value: "int64": size in body must be of type quantity: "int64"]
}

func ExampleNewError() {
	path := field.NewPath("spec", "cron")
	err := validation.NewError(field.Required(path, ""), validation.StepSchema, "/spec/cron", "/properties/spec")
	fmt.Println(err, "by", err.Step)
	fmt.Println(err.Pointer, err.SchemaPointer, err.Rule)
	// Output:
	// spec.cron: Required value by schema
	// /spec/cron /properties/spec -1
}

func ExampleErrorList_BlocksRules() {
	v := validation.New(cronTab())
	fmt.Println(v.Validate(map[string]any{"spec": map[string]any{"cron": "*"}}).BlocksRules())
	fmt.Println(v.Validate(map[string]any{"spec": map[string]any{}}).BlocksRules())
	// Output:
	// false
	// true
}
