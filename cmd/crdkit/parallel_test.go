package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestAdmitManyFiles judges files with many objects of several definitions, in parallel. The
// output is in the order of the files, and the same each time.
func TestAdmitManyFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const kinds = 8
	for i := range 20 {
		var b strings.Builder
		if i < kinds {
			crd := strings.ReplaceAll(widgets, "ENUM", "a")
			b.WriteString(strings.NewReplacer("widgets", fmt.Sprintf("widget%ds", i), "Widget", fmt.Sprintf("Widget%d", i)).Replace(crd))
		}
		for n := range i%5 + 1 {
			object := strings.ReplaceAll(widget, "kind: Widget", fmt.Sprintf("kind: Widget%d", (i+n)%(kinds+1)))
			b.WriteString(object + fmt.Sprintf("list: [a, a, b]\nodd%d: 1\n", n))
		}
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.com/v1, kind: Widget1, metadata: {name: w}, list: [c]}\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n")
		writeFile(t, dir, fmt.Sprintf("%02d.yaml", i), b.String())
	}
	for _, output := range append(findingOutputs(), objectOutputs()...) {
		var first string
		for range 2 {
			var out, errOut bytes.Buffer
			if code := run(t.Context(), []string{"admit", "--explain", "--skip-kind", "/Pod", "-o", output, "."}, nil, &out, &errOut); code != exitUndecided {
				t.Fatalf("-o %s: exit code %d, want %d\n%s", output, code, exitUndecided, errOut.String())
			}
			all := out.String() + errOut.String()
			if first == "" {
				first = all
			}
			if all != first {
				t.Fatalf("-o %s prints something else the second time", output)
			}
		}
		last := -1
		for i := range 20 {
			at := strings.Index(first, fmt.Sprintf("%02d.yaml", i))
			if at < last {
				t.Errorf("-o %s: file %d is out of order", output, i)
			}
			last = at
		}
	}
}
