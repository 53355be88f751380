// The program of a stranger, who imports two modules of crdkit.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/controllertest"
	"github.com/crdkit/crdkit/definition"
)

func main() {
	text, err := os.ReadFile("widgets.yaml")
	fatal(err)
	crd, err := definition.Parse(text)
	fatal(err)

	compiled, err := crdkit.Compile(crd)
	fatal(err)
	obj := widget(map[string]any{"size": int64(5), "color": "blue"})
	version, err := compiled.VersionFor(obj)
	fatal(err)
	result, err := version.Create(context.Background(), obj)
	fatal(err)
	fmt.Println("crdkit:", result.Err())

	definitions, err := controllertest.FromCRDs([]*apiextensionsv1.CustomResourceDefinition{crd})
	fatal(err)
	environment, err := controllertest.Start(definitions)
	fatal(err)
	defer environment.Close()
	obj = widget(map[string]any{"color": "blue"})
	fatal(environment.Client().Create(context.Background(), obj))
	fmt.Println("controllertest:", obj.Object["spec"])
}

func widget(spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "a", "namespace": "default"}, "spec": spec,
	}}
}

func fatal(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
