// Command crdtest reads a definition from the file that is its first argument, and
// prints an object that its preferred version admits.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/crdkit/crdkit/crdtest"
)

func main() {
	set, err := crdtest.Read(context.Background(), nil, os.Args[1])
	check(err)
	for _, d := range set.Catalog().Definitions() {
		v, ok := d.Preferred()
		if !ok {
			check(errors.New("no version is served"))
		}
		for obj, err := range crdtest.Objects(context.Background(), v, 1) {
			check(err)
			check(json.NewEncoder(os.Stdout).Encode(obj))
			break
		}
	}
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
