// Command chart draws the pictures of the pages for users, and writes the table of speed.
//
//	go run -C internal/oracle ./compare -rounds 1 > docs/internal/compare.txt
//	go run -C internal/oracle ./chart < docs/internal/compare.txt
//
// It reads the output of compare from standard input and writes these files in docs:
//
//   - speed-light.svg and speed-dark.svg, a bar for each operation of charted;
//   - flow-light.svg and flow-dark.svg, how data flows through crdkit;
//   - performance.md: the table between the comments "speed" and "end of speed", a row for
//     each operation of the output.
//
// The same input gives the same files. It is an error if the output has no mean of an
// operation of charted.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

func main() {
	if err := run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run(output io.Reader) error {
	root, err := testkit.ModuleRoot()
	if err != nil {
		return err
	}
	measured, err := read(output)
	if err != nil {
		return err
	}
	files, err := pictures(measured)
	if err != nil {
		return err
	}
	page := filepath.Join("docs", "performance.md")
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return err
	}
	if files["performance.md"], err = replaceTable(text, table(measured)); err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, "docs", name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// pictures returns the SVG files by name.
func pictures(measured []operation) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, t := range themes {
		speed, err := drawSpeed(measured, t)
		if err != nil {
			return nil, err
		}
		files["speed-"+t.name+".svg"] = speed
		files["flow-"+t.name+".svg"] = drawFlow(t)
	}
	return files, nil
}

var tableStart, tableEnd = []byte("<!-- speed -->\n"), []byte("<!-- end of speed -->\n")

// replaceTable replaces what a page has between two comments.
func replaceTable(page, table []byte) ([]byte, error) {
	before, rest, found := bytes.Cut(page, tableStart)
	_, after, ended := bytes.Cut(rest, tableEnd)
	if !found || !ended {
		return nil, fmt.Errorf("no line %q and %q after it", tableStart, tableEnd)
	}
	return bytes.Join([][]byte{before, tableStart, []byte("\n"), table, []byte("\n"), tableEnd, after}, nil), nil
}
