package document

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	at, exact := tree.Find(pointer)
	what, _, _ := strings.Cut(string(textAt([]byte(text), at)), "\n")
	near := ""
	if !exact {
		near = " near"
	}
	if pointer == "" {
		pointer = `""`
	}
	return fmt.Sprintf("%s %d:%d %.12q%s\n", pointer, at.Line, at.Column, what, near)
}

// textAt returns the text at a position, nil if the position is outside of the text.
func textAt(text []byte, at Position) []byte {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	for ; at.Line > 1 && text != nil; at.Line-- {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	for ; at.Column > 1 && len(text) > 0; at.Column-- {
		_, size := utf8.DecodeRune(text)
		text = text[size:]
	}
	if at != (Position{1, 1}) {
		return nil
	}
	return text
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
	for _, text := range []string{"", "# nothing\n", "just text", "a: [", `{"a": `, "\xff\xfea\x00:\x00", strings.Repeat(`{"a":[`, 10_000)} {
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

// FuzzFind looks up every member of a text. A member must have the position of its name.
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
	members := maps.Clone(n.fields)
	for i, m := range n.elements {
		if members == nil {
			members = map[string]member{}
		}
		members[fmt.Sprint(i)] = m
	}
	for name, m := range members {
		at := pointer + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		found, exact := w.tree.Find(at)
		if !exact || found != m.at {
			w.t.Fatalf("Find(%q) in %q = %v, %v, want %v", at, w.text, found, exact, m.at)
		}
		text := textAt(w.text, found)
		if text == nil {
			w.t.Fatalf("Find(%q) in %q is at %v, which is outside", at, w.text, found)
		}
		if !n.list && !startsWithName(text, name) {
			w.t.Fatalf("Find(%q) in %q is at %q", at, w.text, text)
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

// TestPositions checks the lines and columns of all characters of a text, in lines of many
// lengths.
func TestPositions(t *testing.T) {
	long := strings.Repeat("aé€😀\xff", 1000)
	text := "short\n" + long + "\n" + long[:4096] + "\n\n" + long
	lines := NewLineCounter([]byte(text))
	for offset := 0; offset < len(text); offset++ {
		if !utf8.RuneStart(text[offset]) {
			continue
		}
		start := strings.LastIndexByte(text[:offset], '\n') + 1
		want := Position{strings.Count(text[:offset], "\n") + 1, utf8.RuneCountInString(text[start:offset]) + 1}
		if got := lines.Position(offset); got != want {
			t.Fatalf("Position(%d) = %v, want %v", offset, got, want)
		}
	}
}

// TestReadTreeOfTokens: the tree of tokens is the tree of the YAML library.
func TestReadTreeOfTokens(t *testing.T) {
	check := func(text []byte) {
		if _, ok := Tokenize(string(text)); !ok {
			return
		}
		got, err := ReadTree(text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := readYAMLTree(text)
		if err != nil {
			t.Fatalf("%.1000q is read, but %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Tree{}, node{}, member{})); diff != "" {
			t.Errorf("%.1000q (-library +got):\n%s", text, diff)
		}
	}
	for text := range tokenTexts(t, "read.txtar") {
		check([]byte(text))
	}
	dir, _ := testkit.CorpusDir() // tests of the oracle need one
	files, err := filepath.Glob(filepath.Join(dir, "crds", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if i%8 > 0 || testing.Short() && i%32 > 0 {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(text)
	}
}

// TestFindBreaks: positions count lines by line feeds, although YAML has other line breaks too. An
// omitted element at the end of the text is at its last character.
func TestFindBreaks(t *testing.T) {
	for text, want := range map[string]Position{
		"é: 1\r\nb:\n- x\n- y": {4, 3}, "é: 1\rb:\r- x\r- y": {1, 15}, "é: 1\u0085b:\u2028- x\u2029- y": {1, 15},
		byteOrderMark + "b: [x, y]": {1, 8}, "b:\n- x\n- y\n": {3, 3}, "b:\n- x\n-": {3, 1}, "b:\n- x\n-\n": {3, 2}, "b:\n- é\n- ": {3, 2},
	} {
		tree, err := ReadTree([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got, ok := tree.Find("/b/1"); !ok || got != want {
			t.Errorf("%q: /b/1 is at %v, want %v", text, got, want)
		}
	}
}
