// Command table prints the cells of the object in its second argument for the
// column whose path is the first.
package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/crdkit/crdkit/serving/table"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	p, err := table.New([]apiextensionsv1.CustomResourceColumnDefinition{{Name: "Column", Type: "string", JSONPath: os.Args[1]}})
	if err != nil {
		panic(err)
	}
	var obj unstructured.Unstructured
	if err := json.Unmarshal([]byte(os.Args[2]), &obj); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(p.Object(&obj, time.Now())); err != nil {
		panic(err)
	}
}
