// Command migration reads two definitions from the files that are its arguments and
// an object from standard input. It prints the plan of the change and the object as
// it would be stored afterwards.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/migration"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	old, crd := parse(os.Args[1]), parse(os.Args[2])
	out := json.NewEncoder(os.Stdout)
	check(out.Encode(migration.NewPlan(old, crd).Steps))
	def, err := crdkit.Compile(crd)
	check(err)
	obj := &unstructured.Unstructured{}
	check(json.NewDecoder(os.Stdin).Decode(&obj.Object))
	for rewrite, err := range migration.DryRun(context.Background(), def, migration.Objects(obj)) {
		check(err)
		check(out.Encode(rewrite.Stored))
	}
}

func parse(file string) *apiextensionsv1.CustomResourceDefinition {
	text, err := os.ReadFile(file)
	check(err)
	crd, err := definition.Parse(text)
	check(err)
	return crd
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
