// Command crdkit reads a definition from the file that is its first argument
// and an object from standard input, creates it at the preferred version, and
// prints it at the storage version.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	crd, err := definition.Parse(text)
	check(err)
	d, err := crdkit.Compile(crd)
	check(err)
	raw, err := io.ReadAll(os.Stdin)
	check(err)
	ctx := context.Background()
	v, ok := d.Preferred()
	if !ok {
		check(errors.New("no version is served"))
	}
	out, result, err := v.CreateJSON(ctx, raw)
	check(err)
	check(result.Errors.Err())
	obj := &unstructured.Unstructured{}
	check(json.Unmarshal(out, &obj.Object))
	objs, err := d.Convert(ctx, []*unstructured.Unstructured{obj}, d.Storage().Name())
	check(err)
	for _, obj := range objs {
		check(json.NewEncoder(os.Stdout).Encode(obj.Object))
	}
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
