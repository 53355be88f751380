package document

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// TestFind looks up pointers in the documents of testdata/trees/*.txtar. The
// section text has a document. Each line of the section find has a pointer, its
// line and column, and the text at this position. The line ends with "near" if
// the position is that of the innermost existing parent.
func TestFind(t *testing.T) {
	paths, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var text, want string
			for _, f := range archive.Files {
				switch f.Name {
				case "text":
					text = unescape(string(f.Data))
				case "find":
					want = string(f.Data)
				default:
					t.Fatalf("unknown section %q", f.Name)
				}
			}
			var got strings.Builder
			for line := range strings.Lines(want) {
				pointer := strings.Trim(strings.Fields(line)[0], `"`)
				got.WriteString(findText(t, text, pointer))
			}
			if testkit.Update() {
				archive.Files[1].Data = []byte(got.String())
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("Find (-want +got):\n%s", diff)
			}
		})
	}
}

// unescape replaces the escapes of characters that an archive cannot hold.
func unescape(text string) string {
	return strings.NewReplacer("<BOM>", "\ufeff", "<CR>", "\r", "<LS>", "\u2028", "<TAB>", "\t").Replace(text)
}

func findText(t *testing.T, text, pointer string) string {
	t.Helper()
	tree, err := ReadTree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	offset, exact := tree.Find(pointer)
	line, column := NewLineIndex([]byte(text)).Position(offset)
	what, _, _ := strings.Cut(text[offset:], "\n")
	near := ""
	if !exact {
		near = " near"
	}
	if pointer == "" {
		pointer = `""`
	}
	return fmt.Sprintf("%s %d:%d %.12q%s\n", pointer, line, column, what, near)
}

// TestReadTreeList reads a list, unless there is an object.
func TestReadTreeList(t *testing.T) {
	var got strings.Builder
	for _, text := range []string{`[{"a": 1}, {"b": [2]}]`, "---\n---\n- a: 1\n- b: [2]\n", "- a\n---\n- b\n---\na: 1\n"} {
		for _, pointer := range []string{"", "/0/a", "/1/b/0", "/a"} {
			got.WriteString(findText(t, text, pointer))
		}
		tree, err := ReadTree([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&got, tree.Pointer("[1].b[0]"))
	}
	want := `"" 1:1 "[{\"a\": 1}, {"
/0/a 1:3 "\"a\": 1}, {\"b"
/1/b/0 1:19 "2]}]"
/a 1:1 "[{\"a\": 1}, {" near
/1/b/0
"" 3:1 "- a: 1"
/0/a 3:3 "a: 1"
/1/b/0 4:7 "2]"
/a 3:1 "- a: 1" near
/1/b/0
"" 5:1 "a: 1"
/0/a 5:1 "a: 1" near
/1/b/0 5:1 "a: 1" near
/a 5:1 "a: 1"

`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// ReadTree returns an error for a text that is not YAML.
func TestReadTreeFails(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "just text", "a: [", `{"a": `, "\xff\xfea\x00:\x00", strings.Repeat(`{"a":[`, maxTreeDepth)} {
		if tree, err := ReadTree([]byte(text)); err == nil {
			t.Errorf("Read(%.20q) = %v, want an error", text, tree)
		}
	}
}

var splitTests = []string{
	"", "\n", "a: 1", "a: 1\n", "---\na: 1\n---\nb: 2\n---\n", "---\n---\na: 1\n", "a\r\n---\r\nb\r\n", "a\n--- # x\nb\n",
	"a\n--- b\nc\n", "---", "a\n---", "a\n---\n\n\n---  \nb: |\n  x\n ---\n", "a\n----\nb", "|\n  x\n\n",
}

func TestSplit(t *testing.T) {
	for _, text := range splitTests {
		checkSplit(t, text)
	}
}

// checkSplit compares Split with the reader of apimachinery, and line numbers
// with the text.
func checkSplit(t *testing.T, text string) {
	t.Helper()
	want := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	got := Split([]byte(text))
	lines := strings.SplitAfter(text, "\n")
	for {
		wantDoc, wantErr := want.Read()
		doc, line, err := got.Next()
		if (err == nil) != (wantErr == nil) || errors.Is(err, io.EOF) != errors.Is(wantErr, io.EOF) {
			t.Fatalf("Split(%q): error %v, want %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		// The reader drops carriage returns at the end of lines, which makes no
		// difference in YAML.
		withoutCR := func(b []byte) string { return strings.ReplaceAll(string(b), "\r\n", "\n") }
		if withoutCR(doc) != withoutCR(wantDoc) {
			t.Fatalf("Split(%q) = %q, want %q", text, doc, wantDoc)
		}
		if rest := strings.Join(lines[line-1:], ""); !strings.HasPrefix(rest+"\n", string(doc)) {
			t.Fatalf("Split(%q): line %d begins with %q, want %q", text, line, rest, doc)
		}
	}
}

// checkWhole requires that the documents and the separators are the whole text.
func checkWhole(t *testing.T, text string) {
	t.Helper()
	rest := text + "\n"
	for documents := Split([]byte(text)); ; {
		doc, _, err := documents.Next()
		if err != nil {
			return
		}
		at := strings.Index(rest, string(doc))
		for at > 0 && rest[at-1] == '-' { // the end of a separator
			next := strings.Index(rest[at+1:], string(doc))
			if next < 0 {
				break
			}
			at += 1 + next
		}
		if at < 0 || !Blank([]byte(rest[:at])) && !strings.HasPrefix(strings.TrimSpace(rest[:at]), "---") {
			t.Fatalf("Split(%q) dropped something before %q: %q", text, doc, rest)
		}
		rest = rest[at+len(doc):]
	}
}

func TestSplitBreaks(t *testing.T) {
	for _, tt := range []struct {
		text  string
		want  []string
		lines []int
	}{
		{"a: 1\r---\rb: 2\r", []string{"a: 1\r", "b: 2\r\n"}, []int{1, 1}},
		{"a: 1\r\n---\r\nb: 2\r\n", []string{"a: 1\r\n", "b: 2\r\n"}, []int{1, 3}},
		{"# a\u0085---\u0085b: 2\n", []string{"# a\u0085", "b: 2\n"}, []int{1, 1}},
		{"a: 1\u2028---\u2028b: 2", []string{"a: 1\u2028", "b: 2\n"}, []int{1, 1}},
		{"a: 1\n...\nb: 2\n", []string{"a: 1\n...\n", "b: 2\n"}, []int{1, 3}},
		{"a: 1\n... # end\n---\nb: 2\n", []string{"a: 1\n... # end\n", "---\nb: 2\n"}, []int{1, 3}},
		{"a: 1\n....\n", []string{"a: 1\n....\n"}, []int{1}},
		{"a\r", []string{"a\r\n"}, []int{1}},
		{"a\n---\r", []string{"a\n"}, []int{1}},
	} {
		var got []string
		var lines []int
		for documents := Split([]byte(tt.text)); ; {
			doc, line, err := documents.Next()
			if err != nil {
				break
			}
			got, lines = append(got, string(doc)), append(lines, line)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Split(%q) (-want +got):\n%s", tt.text, diff)
		}
		if diff := cmp.Diff(tt.lines, lines); diff != "" {
			t.Errorf("lines of Split(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range splitTests {
		f.Add(text)
	}
	fuzz.Run(f, func(t *testing.T, text string) {
		if strings.Contains(text, "\r\r\n") || strings.Contains(text, "\r") && len(text) > 4000 {
			return // the reader splits them at the end of its buffer
		}
		if hasOtherBreaks([]byte(text)) || strings.HasPrefix(text, "...") || strings.Contains(text, "\n...") {
			checkWhole(t, text) // the reader would leave several documents in one
			return
		}
		checkSplit(t, text)
	})
}

// FuzzFind looks up every member of a text. The position of a member must be
// that of its name.
func FuzzFind(f *testing.F) {
	paths, _ := filepath.Glob("testdata/trees/*.txtar")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(unescape(string(txtar.Parse(data).Files[0].Data))))
	}
	fuzz.Run(f, func(t *testing.T, text []byte) {
		tree, err := ReadTree(text)
		if err != nil {
			return
		}
		w := &walker{t: t, text: text, tree: tree, seen: map[*node]bool{}}
		w.walk(tree.root, "")
	})
}

// TestReadTreeFast compares the fast path with the reference.
func TestReadTreeFast(t *testing.T) {
	fast := 0
	for _, pattern := range []string{"testdata/trees/*.txtar", "testdata/tokens/read.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				if checkReadTreeFast(t, []byte(unescape(string(f.Data)))) {
					fast++
				}
			}
		}
	}
	if fast < 15 {
		t.Errorf("%d texts are read by the fast path, want more", fast)
	}
}

// The fast path and the reference must agree on the definitions of the corpus.
func TestReadTreeFastCorpus(t *testing.T) {
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skipf("no corpus in %q", dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "crds", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for i, file := range files {
		if i%8 > 0 || testing.Short() && i%32 > 0 {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !checkReadTreeFast(t, text) {
			t.Logf("declined: %s", file)
		}
	}
}

func FuzzReadTreeFast(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/tokens/read.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	fuzz.Run(f, func(t *testing.T, text []byte) { checkReadTreeFast(t, text) })
}

// checkReadTreeFast compares the tree of the fast path with that of the reference. It
// reports false if the fast path declines the text.
func checkReadTreeFast(t *testing.T, text []byte) bool {
	t.Helper()
	got, ok := readTokenTree(string(text))
	if !ok {
		return false
	}
	want, err := readReference(text)
	if err != nil {
		t.Fatalf("%.1000q is read, but %v", text, err)
	}
	if got.start != want.start {
		t.Fatalf("%.1000q begins at %d, want %d", text, got.start, want.start)
	}
	sameNodes(t, got.root, want.root, "")
	return true
}

func sameNodes(t *testing.T, got, want *node, pointer string) {
	t.Helper()
	if got == nil && want == nil {
		return
	}
	if got == nil || want == nil || got.list != want.list || len(got.members) != len(want.members) || len(want.merged) > 0 {
		t.Fatalf("%s is %+v, want %+v", pointer, got, want)
	}
	for i := range got.members {
		g, w := &got.members[i], &want.members[i]
		at := fmt.Sprintf("%s/%d(%s)", pointer, i, w.name)
		if g.name != w.name || g.at != w.at {
			t.Fatalf("%s is %q at %d, want %q at %d", at, g.name, g.at, w.name, w.at)
		}
		sameNodes(t, g.value, w.value, at)
	}
}

type walker struct {
	t    *testing.T
	text []byte
	tree *Tree
	seen map[*node]bool
}

func (w *walker) walk(n *node, pointer string) {
	if n == nil || w.seen[n] || len(w.seen) > 1000 {
		return
	}
	w.seen[n] = true
	index := NewLineIndex(w.text)
	names := map[string]bool{}
	for i, m := range n.members {
		name := m.name
		if n.list {
			name = fmt.Sprint(i)
		}
		if names[name] {
			continue
		}
		names[name] = true
		at := pointer + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		offset, exact := w.tree.Find(at)
		if !exact || offset != m.at {
			w.t.Fatalf("Find(%q) in %q = %d, %v, want %d", at, w.text, offset, exact, m.at)
		}
		if offset < 0 || offset > len(w.text) {
			w.t.Fatalf("Find(%q) in %q = %d, which is outside", at, w.text, offset)
		}
		line, column := index.Position(offset)
		lines := bytes.Split(w.text, []byte("\n"))
		if line < 1 || line > len(lines) || column < 1 || column > utf8.RuneCount(lines[line-1])+1 {
			w.t.Fatalf("Find(%q) in %q is at %d:%d, which is outside", at, w.text, line, column)
		}
		if !n.list && !startsWithName(w.text[offset:], name) {
			w.t.Fatalf("Find(%q) in %q is at %q", at, w.text, w.text[offset:])
		}
		w.walk(m.value, at)
	}
}

// startsWithName reports whether a text may begin with a name. It returns true
// for quoted and block scalars, tags, anchors and aliases that it cannot
// decide.
func startsWithName(text []byte, name string) bool {
	if len(text) == 0 {
		return name == ""
	}
	switch text[0] {
	case '"':
		var got string
		end := bytes.IndexByte(text[1:], '"')
		return end < 0 || json.Unmarshal(text[:end+2], &got) != nil || got == name
	case '\'', '!', '&', '*', '|', '>', '{', '[':
		return true
	}
	first, _, _ := strings.Cut(name, " ") // names may be folded
	first, _, _ = strings.Cut(first, "\n")
	return bytes.HasPrefix(text, []byte(first))
}

// TestPosition checks the lines and columns of offsets within a text, at its
// end and behind it.
func TestPosition(t *testing.T) {
	for _, tt := range []struct {
		text         string
		offset       int
		line, column int
	}{
		{"ab\nc", 0, 1, 1}, {"ab\nc", 2, 1, 3}, {"ab\nc", 3, 2, 1}, {"ab\nc", 4, 2, 1}, {"ab\nc", 9, 2, 1}, {"ab\n", 3, 1, 3},
		{"é\né", 2, 1, 2}, {"éb", 2, 1, 2}, {"\ufeffab", 0, 1, 1}, {"\ufeffab", 4, 1, 2}, {"", 0, 1, 1},
	} {
		if line, column := NewLineIndex([]byte(tt.text)).Position(tt.offset); line != tt.line || column != tt.column {
			t.Errorf("%q: offset %d is at %d:%d, want %d:%d", tt.text, tt.offset, line, column, tt.line, tt.column)
		}
	}
}

// readReference reads JSON with encoding/json, and other texts as YAML.
func readReference(text []byte) (*Tree, error) {
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		if t, err := readJSONTree(text, len(text)-len(trimmed)); err == nil {
			return t, nil
		}
	}
	return readYAMLTree(text)
}

// A jsonTreeReader reads tokens of JSON and their offsets.
type jsonTreeReader struct {
	text []byte
	d    *json.Decoder
}

func readJSONTree(text []byte, start int) (*Tree, error) {
	r := &jsonTreeReader{text: text, d: json.NewDecoder(bytes.NewReader(text))}
	r.d.UseNumber()
	root, err := r.readValue(0)
	if err != nil {
		return nil, err
	}
	return &Tree{root: root, start: start}, nil
}

// nextOffset returns the offset of the next token without reading it.
func (r *jsonTreeReader) nextOffset() int {
	at := int(r.d.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonTreeReader) readValue(depth int) (*node, error) {
	if depth > maxTreeDepth {
		return nil, errors.New("too deep")
	}
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil, nil
	}
	n := &node{list: delim == '['}
	for r.d.More() {
		m := member{at: r.nextOffset()}
		if !n.list {
			name, err := r.d.Token()
			if err != nil {
				return nil, err
			}
			m.name, _ = name.(string)
		}
		if m.value, err = r.readValue(depth + 1); err != nil {
			return nil, err
		}
		n.members = append(n.members, m)
	}
	_, err = r.d.Token()
	return n, err
}
