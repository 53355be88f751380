package kubectl

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/serving/openapi"
)

// TestExplain runs testdata/explain/*.txtar. The section want is the output of
// kubectl 1.37 (k8s.io/kubectl/pkg/explain/v2 with the same document). crd.yaml
// has the definition. Each line of request has the steps of a field, separated
// by dots, and "recursive" and the depth if all fields below it are printed.
func TestExplain(t *testing.T) {
	testkit.RunTxtar(t, "testdata/explain/*.txtar", []string{"crd.yaml", "request", "want"}, func(t *testing.T, c *testkit.Case) {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict([]byte(c.Section("crd.yaml")), &crd); err != nil {
			t.Fatal(err)
		}
		document := documentOf(t, &crd)
		lines := strings.Split(strings.TrimSpace(c.Section("request")), "\n")
		r := ExplainRequest{Document: document, Group: crd.Spec.Group, Version: "v1", Kind: crd.Spec.Names.Kind}
		if lines[0] != "." {
			r.Fields = strings.Split(lines[0], ".")
		}
		if len(lines) > 1 {
			depth, err := strconv.Atoi(strings.TrimPrefix(lines[1], "recursive "))
			if err != nil {
				t.Fatal(err)
			}
			r.Recursive, r.MaxDepth = true, depth
		}
		got, err := Explain(r)
		if err != nil {
			got = "error: " + err.Error() + "\n"
		}
		if diff := cmp.Diff(c.Section("want"), got); diff != "" {
			t.Errorf("Explain (-want +got):\n%s", diff)
		}
	})
}

func documentOf(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) map[string]any {
	t.Helper()
	d, err := openapi.VersionV3(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestExplainWithoutKind(t *testing.T) {
	for _, document := range []map[string]any{nil, {}, {"components": 1}, {"components": map[string]any{"schemas": map[string]any{"a": nil}}}} {
		_, err := Explain(ExplainRequest{Document: document, Group: "g", Version: "v1", Kind: "K", Fields: []string{"a"}})
		if err == nil || err.Error() != "the document has no kind K of g/v1" {
			t.Errorf("Explain(%v) = %v", document, err)
		}
	}
}

// TestWrap pins where lines of at most eight characters break, and which white
// space stays.
func TestWrap(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" ", " "},
		{"abcd efgh", "abcd\nefgh"},
		{"abcdefgh ij", "abcdefgh\nij"},
		{"ab cdefgh", "ab\ncdefgh"},
		{"abcdefghi", "abcdefghi"},
		{"abcdefghij kl", "abcdefghij\nkl"},
		{"ab      \ncd", "ab      \ncd"},
		{"abcdefgh\ncd", "abcdefgh\ncd"},
		{"abcdefgh \ncd", "abcdefgh\ncd"},
		{"a  \n  b", "a  \n  b"},
		{"ab\n\ncd", "ab\n\ncd"},
		{"abcdefg hi", "abcdefg\nhi"},
		{"abcd   efgh", "abcd\nefgh"},
		{"abcd    ", "abcd    "},
		{"abcdefgh", "abcdefgh"},
		{"abcdefgh ", "abcdefgh"},
		{"abcdefg  ", "abcdefg"},
		{"a bcdefghi j", "a\nbcdefghi\nj"},
		{"a\u00a0b cdefg", "a\u00a0b\ncdefg"},
		{" abcdefgh", " abcdefgh"},
		{"  abcdefgh", "\nabcdefgh"},
	} {
		if got := wrap(8, tt.text); got != tt.want {
			t.Errorf("wrap(8, %q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	if got, want := wrap(1, "ab c\nd"), "ab c\nd"; got != want {
		t.Errorf("wrap(1) = %q, want %q", got, want)
	}
}

// No line is longer than the limit unless one word is, and nothing but white
// space is lost.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"", "a b", "one two three four five six", "\n\n x \n", "a\u00a0b c", "ünïcödé   spaced\tout", strings.Repeat("x", 200) + " y"} {
		f.Add(s, 10)
	}
	fuzz.Run(f, func(t *testing.T, s string, limit int) {
		if limit < 1 || limit > 1000 {
			return
		}
		s = string([]rune(s)) // kubectl does not keep invalid UTF-8, either
		got := wrap(limit, s)
		if diff := cmp.Diff(strings.Fields(s), strings.Fields(got)); diff != "" {
			t.Errorf("wrap(%d, %q) = %q changes words (-want +got):\n%s", limit, s, got, diff)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if word := strings.TrimSpace(line); utf8.RuneCountInString(line) > limit && len(strings.Fields(word)) > 1 && !hasLongWord(word, limit) {
				t.Errorf("wrap(%d, %q) has the line %q", limit, s, line)
			}
		}
		if strings.Count(got, "\n") < strings.Count(s, "\n") {
			t.Errorf("wrap(%d, %q) = %q loses lines", limit, s, got)
		}
	})
}

// hasLongWord reports whether a line has a word that is longer than the limit.
func hasLongWord(line string, limit int) bool {
	for _, word := range strings.Fields(line) {
		if utf8.RuneCountInString(word) >= limit {
			return true
		}
	}
	return strings.ContainsRune(line, noBreakSpace)
}
