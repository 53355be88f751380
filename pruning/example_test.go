package pruning_test

import (
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit/pruning"
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
	"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}
}}`

func ExampleNew() {
	p := pruning.New(compileSchema(widget))
	obj := map[string]any{
		"kind": "Widget",
		"spec": map[string]any{"size": int64(3), "sise": int64(4)},
	}
	p.Prune(obj)
	fmt.Println(obj)
	// Output: map[kind:Widget spec:map[size:3]]
}

func ExamplePruner_Prune() {
	// Without a schema, only apiVersion, kind and metadata are kept.
	p := pruning.New(nil)
	obj := map[string]any{
		"kind":     "Widget",
		"metadata": map[string]any{"name": "example"},
		"spec":     map[string]any{"size": int64(3)},
	}
	p.Prune(obj)
	fmt.Println(obj)
	// Output: map[kind:Widget metadata:map[name:example]]
}

func ExamplePruner_PruneAndReport() {
	p := pruning.New(compileSchema(widget))
	obj := map[string]any{
		"kind":   "Widget",
		"spec":   map[string]any{"size": int64(3), "sise": int64(4)},
		"status": map[string]any{"ready": true},
	}
	for _, path := range p.PruneAndReport(obj) {
		fmt.Printf("unknown field %q, at %s\n", path, path.Pointer())
	}
	// Output:
	// unknown field "spec.sise", at /spec/sise
	// unknown field "status", at /status
}

func ExampleFragment() {
	// A default value is not a resource: its kind has to be declared.
	p := pruning.New(compileSchema(widget), pruning.Fragment())
	obj := map[string]any{
		"kind": "Widget",
		"spec": map[string]any{"size": int64(3)},
	}
	p.Prune(obj)
	fmt.Println(obj)
	// Output: map[spec:map[size:3]]
}
