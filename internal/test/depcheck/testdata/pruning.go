// Command pruning reads a schema from its first argument and an object from its
// second, and prints the result.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func main() {
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(os.Args[1]), &props); err != nil {
		panic(err)
	}
	node, errs := schema.Compile(&props)
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	var obj map[string]any
	if err := json.Unmarshal([]byte(os.Args[2]), &obj); err != nil {
		panic(err)
	}
	pruning.New(node).Prune(obj)
	if err := json.NewEncoder(os.Stdout).Encode(obj); err != nil {
		panic(err)
	}
}
