// Command openapi reads a definition from its first argument and prints its
// OpenAPI documents.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/serving/openapi"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func main() {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(os.Args[1]), &crd); err != nil {
		panic(err)
	}
	crds := []*apiextensionsv1.CustomResourceDefinition{&crd}
	two, err := openapi.V2(crds)
	if err != nil {
		panic(err)
	}
	three, err := openapi.V3(crds)
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode([]any{two, three}); err != nil {
		panic(err)
	}
}
