package pruning_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
)

func Example() {
	node, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {Type: "integer"}},
	})
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	pruner := pruning.New(node)
	obj := map[string]any{"kind": "Box", "size": int64(3), "sise": int64(4)}
	pruner.Prune(obj)
	fmt.Println(obj)
	// Output: map[kind:Box size:3]
}
