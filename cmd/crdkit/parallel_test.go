package main

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manyFiles writes files with many objects of several definitions, and changes to their
// directory.
func manyFiles(t *testing.T) {
	t.Helper()
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
}

// TestAdmitManyFiles judges many objects, in parallel. The output is in the order of the
// files, and the same each time.
func TestAdmitManyFiles(t *testing.T) {
	manyFiles(t)
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

// TestCommandsInParallel compares what commands print with one processor and with several.
func TestCommandsInParallel(t *testing.T) {
	manyFiles(t)
	for _, line := range []string{
		"get -o json .",
		"get --unknown-kinds skip .",
		"convert --to v1 .",
		"convert --to v1 -o jsonl --served .",
		"migrate -c 01.yaml --old 01.yaml .",
		"migrate -c . --old . -o jsonl .",
	} {
		t.Run(line, func(t *testing.T) {
			printed := func(processors int) string {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				var out, errOut bytes.Buffer
				code := run(t.Context(), strings.Fields(line), nil, &out, &errOut)
				return fmt.Sprintf("%s%sexit code %d", out.String(), errOut.String(), code)
			}
			one := printed(1)
			if len(one) < 1000 {
				t.Fatalf("too little is printed: %s", one)
			}
			if diff := cmp.Diff(one, printed(8)); diff != "" {
				t.Errorf("with 8 processors (-want +got):\n%s", diff)
			}
		})
	}
}
