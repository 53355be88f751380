package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// TestPositionsOfSamples compares the positions of all errors in the samples of the corpus
// with the positions that a YAML reader reports.
func TestPositionsOfSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skip("no corpus; set CRDKIT_CORPUS to a directory with crds and samples")
	}
	files := []string{filepath.Join(dir, "samples")}
	a := &admitter{all: true}
	a.fields = crdkit.Strict
	a.definitions, a.unknownKinds = []string{filepath.Join(dir, "crds")}, unknownSkip
	a.out, a.errOut, a.reader = io.Discard, t.Output(), manifest.NewReader(nil, true)
	a.load(t.Context(), files)
	refusedObjects, errorsFound := 0, 0
	for o := range a.reader.Objects(t.Context(), files...) {
		if a.skips(o, nil) {
			continue
		}
		v := a.decide(t.Context(), o)
		if v.verdict != refused {
			continue
		}
		refusedObjects++
		errorsFound += comparePositions(t, v)
	}
	t.Logf("compared %d errors of %d refused samples", errorsFound, refusedObjects)
	if errorsFound == 0 {
		t.Error("no sample is refused")
	}
}

// comparePositions compares the positions of the errors of a verdict that have a
// pointer, and returns their number.
func comparePositions(t *testing.T, v *verdict) int {
	t.Helper()
	text, err := os.ReadFile(v.doc.File)
	if err != nil {
		t.Fatal(err)
	}
	root := nodeOf(t, text, v.doc)
	n := 0
	for i := range v.issues {
		at := &v.issues[i]
		if at.level != levelError || root == nil || at.code == "BadRequest" {
			continue
		}
		line, column := find(root, at.pointer)
		line += v.doc.Line - 1
		if at.position.Line != line || at.position.Column != column {
			t.Errorf("%s: %s at %q is at %v, want %d:%d", v.doc.Location(), at.message(), at.pointer, at.position, line, column)
		}
		n++
	}
	return n
}

// nodeOf returns the node of a document in a file.
func nodeOf(t *testing.T, text []byte, o *manifest.Object) *yaml.Node {
	t.Helper()
	lines := bytes.SplitAfter(text, []byte("\n"))
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(bytes.Join(lines[o.Line-1:], nil))).Decode(&doc); err != nil {
		t.Fatalf("%s: %v", o.Location(), err)
	}
	return doc.Content[0]
}

// find returns the position of a pointer, or of the innermost value on its path.
func find(n *yaml.Node, pointer string) (line, column int) {
	line, column = n.Line, n.Column
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		next := (*yaml.Node)(nil)
		switch n.Kind {
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i < len(n.Content) {
				next = n.Content[i]
				line, column = next.Line, next.Column
			}
		case yaml.MappingNode:
			for i := 0; i < len(n.Content) && next == nil; i += 2 {
				if n.Content[i].Value == step {
					next = n.Content[i+1]
					line, column = n.Content[i].Line, n.Content[i].Column
				}
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return line, column
}
