package document

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// checkTokenize compares the tokens of a text with the result of the libraries.
// It reports false if Tokenize declines the text.
func checkTokenize(t *testing.T, text string) bool {
	t.Helper()
	tp, ok := Tokenize(text)
	if !ok {
		return false
	}
	got, ok := tp.AppendJSON(nil, 0)
	if !ok {
		return true // a name occurs twice
	}
	want, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatalf("%q is read, but the library says: %v", text, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("of %q (-want +got):\n%s", text, cmp.Diff(string(want), string(got)))
	}
	checkTokens(t, tp)
	return true
}

// TestYAMLToJSON tests what Tokenize does not decline.
func TestYAMLToJSON(t *testing.T) {
	for _, text := range []string{"a: 1\na: 2\n", `{"a": 1}`, " {a: 1}\n", "a: [1.5]\n", "a: [1]\n", ""} {
		if v, ok := YAMLToJSON(text); ok {
			t.Errorf("%q is %s", text, v)
		}
	}
	if v, ok := YAMLToJSON("b:\n- x\n- 1\na: \"<\"\n"); !ok || string(v) != `{"a":"\u003c","b":["x",1]}` {
		t.Errorf("JSON is %s", v)
	}
}

// checkTokens checks the offsets, lengths and members of all tokens.
func checkTokens(t *testing.T, tp *Tokens) {
	t.Helper()
	var visit func(i int)
	visit = func(i int) {
		next := i + 1
		for range tp.Len(i) {
			if tp.Kind(i) == Object {
				visit(next)
				name := tp.Text(next)
				if value, times := tp.Member(i, name); times == 1 && value != next+1 {
					t.Fatalf("member %q is at %d, want %d", name, value, next+1)
				}
				next++
			}
			visit(next)
			next = tp.Next(next)
		}
		if next != tp.Next(i) {
			t.Fatalf("token %d ends before %d, want %d", i, tp.Next(i), next)
		}
	}
	visit(0)
	if tp.Next(0) != len(tp.tokens) {
		t.Fatalf("%d tokens after the end", len(tp.tokens)-tp.Next(0))
	}
}

// TestTokenize checks that Tokenize reads the texts of read.txtar as the
// libraries do, and declines those of refused.txtar.
func TestTokenize(t *testing.T) {
	for text := range tokenTexts(t, "read.txtar") {
		if !checkTokenize(t, text) {
			t.Errorf("%q is refused", text)
		}
	}
	for text := range tokenTexts(t, "refused.txtar") {
		if _, ok := Tokenize(text); ok {
			t.Errorf("%q is read", text)
		}
	}
}

// TestIsPrintable puts every byte and some characters in every place among eight bytes.
func TestIsPrintable(t *testing.T) {
	for c := range 256 {
		want := ' ' <= c && c <= '~' || c == '\n'
		for at := range 17 {
			text := []byte("abcdefg \n~!hijklm")
			text[at] = byte(c)
			if isPrintable(string(text)) != want {
				t.Errorf("isPrintable(%q) is %v", text, !want)
			}
		}
	}
	for char, want := range map[string]bool{"é": true, "\u0085": false, "\u00a0": true, "\u2028": false, "\u2029": false, "\ufeff": false, "\ufffd": false, "\uffff": false, "\U0001f600": true} {
		for at := range 17 {
			text := strings.Repeat("a", at) + char + strings.Repeat("\n", 16-at)
			if isPrintable(text) != want {
				t.Errorf("isPrintable(%q) is %v", text, !want)
			}
		}
	}
}

// tokenTexts yields the texts of an archive.
func tokenTexts(t testing.TB, file string) func(func(string) bool) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "tokens", file))
	if err != nil || len(archive.Files) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	marks := strings.NewReplacer("<TAB>", "\t", "<CR>", "\r", "<NEL>", "\u0085", "<LS>", "\u2028", "<BOM>", "\ufeff", "<SP>", " ", "<EOF>\n", "", "<FF>", "\xff")
	return func(yield func(string) bool) {
		for _, f := range archive.Files {
			if !yield(marks.Replace(string(f.Data))) {
				return
			}
		}
	}
}

// Tokenize must read at least four of five files of the corpus.
func TestTokenizeCorpus(t *testing.T) {
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skipf("no corpus in %q", dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	all, read := 0, 0
	for i, file := range files {
		if testing.Short() && i%8 != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all++
		if checkTokenize(t, string(data)) {
			read++
		} else {
			t.Logf("refused: %s", file)
		}
	}
	t.Logf("%d of %d files are read", read, all)
	if read < all*4/5 {
		t.Errorf("%d of %d files are read, want four of five", read, all)
	}
}

func TestTokenizeDeep(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("- ", MaxDepth+2) + "a",
		"a:\n" + nested(MaxDepth+2),
	} {
		if _, ok := Tokenize(text); ok {
			t.Errorf("%.40q is read", text)
		}
	}
	if !checkTokenize(t, "a:\n"+nested(MaxDepth-2)) {
		t.Error("what is not too deep is refused")
	}
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i+1) + "a:\n")
	}
	return b.String()
}

func FuzzTokenize(f *testing.F) {
	for _, file := range []string{"read.txtar", "refused.txtar"} {
		for text := range tokenTexts(f, file) {
			f.Add(text)
		}
	}
	fuzz.Run(f, func(t *testing.T, text string) { checkTokenize(t, text) })
}

func BenchmarkTokenize(b *testing.B) {
	for text := range tokenTexts(b, "read.txtar") {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, ok := Tokenize(text); !ok {
				b.Fatal("refused")
			}
		}
		return
	}
}
