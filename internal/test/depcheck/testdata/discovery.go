// Command discovery reads a definition from its first argument and prints what
// a server publishes of it.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/serving/discovery"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func main() {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal([]byte(os.Args[1]), crd); err != nil {
		panic(err)
	}
	documents := []any{discovery.Groups(crd)}
	for _, v := range crd.Spec.Versions {
		list, _ := discovery.Resources(crd.Spec.Group, v.Name, crd)
		documents = append(documents, list)
	}
	if err := json.NewEncoder(os.Stdout).Encode(documents); err != nil {
		panic(err)
	}
}
