// Command patch reads a definition from the file that is its first argument and an
// object from standard input, and makes the merge patch that is its second argument.
package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/patch"
	"k8s.io/apimachinery/pkg/types"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	crd, err := definition.Parse(text)
	check(err)
	d, err := crdkit.Compile(crd)
	check(err)
	live, err := io.ReadAll(os.Stdin)
	check(err)
	v, ok := d.Preferred()
	if !ok {
		check(errors.New("no version is served"))
	}
	out, result, err := patch.New(v).PatchJSON(context.Background(), live, types.MergePatchType, []byte(os.Args[2]))
	check(err)
	check(result.Err())
	_, err = os.Stdout.Write(out)
	check(err)
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
