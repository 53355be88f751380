// Command explanation reads a definition from the file that is its first argument
// and an object from standard input, creates it at the preferred version, and
// explains why it is refused.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	crd, err := definition.Parse(text)
	check(err)
	d, err := crdkit.Compile(crd)
	check(err)
	v, ok := d.Preferred()
	if !ok {
		check(errors.New("no version is served"))
	}
	obj := &unstructured.Unstructured{}
	check(json.NewDecoder(os.Stdin).Decode(&obj.Object))
	result, err := v.Create(context.Background(), obj, crdkit.ReportChanges())
	check(err)
	x := explanation.New(v)
	for _, e := range result.Errors {
		why, err := x.Error(context.Background(), e, obj, nil)
		check(err)
		check(json.NewEncoder(os.Stdout).Encode(why))
	}
	for _, c := range result.Changes {
		check(json.NewEncoder(os.Stdout).Encode(x.Pruned(c.Path)))
	}
	for _, e := range definition.Check(crd).Errors {
		check(json.NewEncoder(os.Stdout).Encode(explanation.Definition(crd, e.FieldError())))
	}
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
