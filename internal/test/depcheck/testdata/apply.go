// Command apply reads a definition from the file that is its first argument and a
// configuration from standard input, applies it for the manager that is its second
// argument, and prints the object.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/definition"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	crd, err := definition.Parse(text)
	check(err)
	d, err := crdkit.Compile(crd)
	check(err)
	config, err := io.ReadAll(os.Stdin)
	check(err)
	v, ok := d.Preferred()
	if !ok {
		check(errors.New("no version is served"))
	}
	a, err := apply.New(v, crd)
	check(err)
	res, err := a.Apply(context.Background(), apply.Request{Body: config, Manager: os.Args[2]})
	check(err)
	check(res.Err())
	check(json.NewEncoder(os.Stdout).Encode(res.Object.Object))
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
