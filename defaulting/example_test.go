package defaulting_test

import (
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/schema"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func compileSchema(text string) *schema.Node {
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text), &props); err != nil {
		panic(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	return n
}

const widget = `{"type": "object", "properties": {
	"spec": {"type": "object", "default": {}, "properties": {
		"size":  {"type": "integer", "default": 3},
		"color": {"type": "string"},
		"label": {"type": "string", "nullable": true}
	}}
}}`

func ExampleNew() {
	d := defaulting.New(compileSchema(widget))
	obj := map[string]any{"spec": map[string]any{"size": nil, "color": nil, "label": nil}}
	d.DropNulls(obj)
	d.Default(obj)
	fmt.Println(obj)
	// Output: map[spec:map[label:<nil> size:3]]
}

func ExampleDefaulter_Default() {
	obj := map[string]any{"kind": "Widget"}
	defaulting.New(compileSchema(widget)).Default(obj)
	fmt.Println(obj)
	// Output: map[kind:Widget spec:map[size:3]]
}

func ExampleDefaulter_DropNulls() {
	obj := map[string]any{"spec": map[string]any{"color": nil, "label": nil}}
	defaulting.New(compileSchema(widget)).DropNulls(obj)
	fmt.Println(obj)
	// Output: map[spec:map[label:<nil>]]
}

func ExampleDefaulter_DefaultAndReport() {
	d := defaulting.New(compileSchema(widget))
	for _, obj := range []map[string]any{{}, {"spec": map[string]any{}}} {
		fmt.Println(d.DefaultAndReport(obj)[0])
	}
	// Output:
	// spec
	// spec.size
}

func ExampleDefaulter_DropNullsAndReport() {
	obj := map[string]any{"spec": map[string]any{"color": nil, "label": nil}}
	fmt.Println(defaulting.New(compileSchema(widget)).DropNullsAndReport(obj)[0])
	// Output: spec.color
}
