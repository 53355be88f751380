// Command selection reports whether the object in its third argument matches
// the field selector in its second, where the first is a selectable field.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/serving/selection"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	f, err := selection.New([]apiextensionsv1.SelectableField{{JSONPath: os.Args[1]}}, apiextensionsv1.NamespaceScoped)
	if err != nil {
		panic(err)
	}
	s, err := f.Parse(os.Args[2])
	if err != nil {
		panic(err)
	}
	var obj unstructured.Unstructured
	if err := json.Unmarshal([]byte(os.Args[3]), &obj); err != nil {
		panic(err)
	}
	ok, err := f.Matches(&obj, nil, s)
	if err := json.NewEncoder(os.Stdout).Encode([]any{ok, err}); err != nil {
		panic(err)
	}
}
