// Command schema reads a schema from its first argument and prints the kinds of
// its properties.
package main

import (
	"encoding/json"
	"os"

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
	for name, property := range node.Properties() {
		os.Stdout.WriteString(name + " " + property.Kind().String() + "\n")
	}
}
