// Command jsonschema prints the JSON Schema of version v1 of the definition in
// its first argument.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/serving/jsonschema"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func main() {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(os.Args[1]), &crd); err != nil {
		panic(err)
	}
	data, err := jsonschema.Export(&crd, "v1")
	if err != nil {
		panic(err)
	}
	if _, err := os.Stdout.Write(data); err != nil {
		panic(err)
	}
}
