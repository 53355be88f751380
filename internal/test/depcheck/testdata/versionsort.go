// Command versionsort sorts its arguments.
package main

import (
	"os"

	"github.com/crdkit/crdkit/versionsort"
)

func main() {
	names := os.Args[1:]
	versionsort.Sort(names)
	for _, name := range names {
		os.Stdout.WriteString(name + "\n")
	}
}
