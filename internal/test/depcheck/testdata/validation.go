// Command validation reads a schema from its first argument and an object from its
// second, and prints the result.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
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
	v := validation.New(node)
	for _, err := range v.ValidateUpdate(obj, obj).Errors {
		os.Stdout.WriteString(err.Error() + "\n")
	}
	for _, err := range v.Validate(obj) {
		os.Stdout.WriteString(err.Error() + "\n")
	}
}
