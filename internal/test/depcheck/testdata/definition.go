// Command definition checks the definition on standard input and prints it as it
// would be stored.
package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/crdkit/crdkit/definition"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	check(err)
	crd, err := definition.Parse(text)
	check(err)
	check(definition.Check(crd, definition.WithNotes()).Err())
	stored, err := definition.StoredDefinition(crd, nil)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(stored))
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
