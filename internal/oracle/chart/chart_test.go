package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// recorded reads testdata/compare.txt: the output of compare with at most two cases of each
// operation. The lines with the means are of all cases.
func recorded(t *testing.T) []operation {
	f, err := os.Open("testdata/compare.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	measured, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return measured
}

// TestGolden compares pictures and table with files in testdata, which -update writes.
func TestGolden(t *testing.T) {
	measured := recorded(t)
	files, err := pictures(measured)
	if err != nil {
		t.Fatal(err)
	}
	files["table.md"] = table(measured)
	for name, got := range files {
		if strings.HasPrefix(name, "flow-") {
			continue // TestDocs has them
		}
		golden := filepath.Join("testdata", name)
		if testkit.Update() {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// TestDocs checks that the pictures and the table in docs were made from
// docs/internal/compare.txt.
func TestDocs(t *testing.T) {
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	doc := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	measured, err := read(bytes.NewReader(doc("internal/compare.txt")))
	if err != nil {
		t.Fatal(err)
	}
	files, err := pictures(measured)
	if err != nil {
		t.Fatal(err)
	}
	if files["performance.md"], err = replaceTable(doc("performance.md"), table(measured)); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if !bytes.Equal(doc(name), want) {
			t.Errorf("docs/%s is not what this command writes: go run -C internal/oracle ./chart < docs/internal/compare.txt", name)
		}
	}
}

// TestSVG checks that the pictures are XML, as wide as a page, and have a title.
func TestSVG(t *testing.T) {
	files, err := pictures(recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 {
		t.Errorf("%d pictures, want 4", len(files))
	}
	for name, text := range files {
		titles := 0
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "title" {
				titles++
			}
		}
		if titles != 1 || !bytes.Contains(text, []byte(` width="720" `)) {
			t.Errorf("%s has %d titles, or is not 720 pixels wide", name, titles)
		}
	}
}

func TestRead(t *testing.T) {
	const output = `
default: set defaults
              case  upstream ns  ours ns    ratio  ours allocs/op  ours B/op             yardstick
           CronTab         6131      836    7.34x             2.0        336     bare range 799 ns
      Certificate*        19880       74  269.41x             0.0          0    bare range 4336 ns
 HTTPRoute, a (b)          900      100    9.00x            12.4          0
geomean default 10.38 x
worst default 7.34 x (CronTab)
below default: geomean 10.38 x, floor 12 x

texts: all definitions: read
geomean texts 9.04 x
worst texts 1.50 x (a|b)
total texts: 394 definitions, upstream 5 ms, ours 1 ms, 5.00 x

projects: no mean
`
	got, err := read(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	want := []operation{
		{name: "default", does: "set defaults", mean: 10.38, worst: 7.34, worstCase: "CronTab", cases: 2, allocs: []float64{2, 12.4}},
		{name: "texts", does: "all definitions: read", mean: 9.04, worst: 1.5, worstCase: "a|b"},
		{name: "projects", does: "no mean"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(operation{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	const wantTable = `| operation | ` + "`-op`" + ` | times as fast | lowest case | cases | allocations of crdkit |
|---|---|--:|---|--:|---|
| set defaults | ` + "`default`" + ` | 10 | CronTab: 7.3 | 2 | 2 to 12 |
| read, check and compile a definition from YAML | ` + "`texts`" + ` | 9.0 | a\|b: 1.5 |  |  |
`
	if diff := cmp.Diff(wantTable, string(table(got))); diff != "" {
		t.Errorf("table (-want +got)\n%s", diff)
	}
	if _, err := drawSpeed(got, themes[0]); err == nil || err.Error() != "the output of compare has no mean of request" {
		t.Errorf("drawing without an operation: %v", err)
	}
	if _, err := read(strings.NewReader("\nprune: a\ngeomean report 2 x\n")); err == nil {
		t.Error("a mean below another operation is accepted")
	}
}

func TestReplaceTable(t *testing.T) {
	page := "a\n<!-- speed -->\nold\n<!-- end of speed -->\nb\n"
	for range 2 { // the second time the table is there
		got, err := replaceTable([]byte(page), []byte("| new |\n"))
		if err != nil {
			t.Fatal(err)
		}
		page = string(got)
		if want := "a\n<!-- speed -->\n\n| new |\n\n<!-- end of speed -->\nb\n"; page != want {
			t.Errorf("got %q, want %q", page, want)
		}
	}
	for _, page := range []string{"", "<!-- speed -->\n", "<!-- end of speed -->\n<!-- speed -->\n"} {
		if _, err := replaceTable([]byte(page), nil); err == nil {
			t.Errorf("%q has a table", page)
		}
	}
}
