// Command types reads a schema from its first argument and prints its type. It
// uses no package of this module: its size is that of the types of Kubernetes.
package main

import (
	"encoding/json"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func main() {
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(os.Args[1]), &props); err != nil {
		panic(err)
	}
	if props.Type == "" {
		panic(field.Required(field.NewPath("type"), ""))
	}
	os.Stdout.WriteString(props.Type + "\n")
}
