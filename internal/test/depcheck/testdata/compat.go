// Command compat reads two definitions from the files that are its arguments, and prints
// whether the second is compatible with the first.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	before, err := definition.Parse(text)
	check(err)
	text, err = os.ReadFile(os.Args[2])
	check(err)
	after, err := definition.Parse(text)
	check(err)
	report, err := compat.Compare(context.Background(), before, after)
	check(err)
	for _, f := range report.Findings {
		fmt.Println(f.Verdict, f.Role, f.Version, f.Field, f.Text)
	}
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
