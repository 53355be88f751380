package coverage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/coverage"
)

// profile returns the record of some objects that are created.
func profile(t *testing.T, s coverage.Source, objects ...string) *coverage.Profile {
	t.Helper()
	r := coverage.NewRecorder()
	for _, text := range objects {
		if err := r.Observe(t.Context(), s, "v1", coverage.Request{Object: object(t, text), Rules: true}); err != nil {
			t.Fatal(err)
		}
	}
	return r.Profile()
}

// TestSeveralRequests counts the rules in several requests.
func TestSeveralRequests(t *testing.T) {
	got := counts(profile(t, source(t), `{a: 0, b: yy}`, `{a: 1}`, `{a: 0, b: x}`, `{l: [{m: 1}]}`))
	want := []string{
		"rule /rules/0/rule true 2", "rule /rules/0/rule false 1", "rule /rules/0/rule error 1",
		"term self.a > 0 true 1", "term self.a > 0 false 2", "term self.b == 'x' true 1", "term self.b == 'x' false 1",
		"rule /properties/l/items/rules/0/rule error 1",
	}
	got = slices.DeleteFunc(got, func(line string) bool { return !strings.HasPrefix(line, "rule") && !strings.HasPrefix(line, "term") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// TestText compares a summary. The definition begins at line 11 of its file. No size is
// below 0, so that minLength has no such goal.
func TestText(t *testing.T) {
	s := source(t)
	s.File, s.Line = "crds.yaml", 11
	var got bytes.Buffer
	if err := profile(t, s, `{a: 3, e: {x: ab, y: ""}}`).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	want := `as.example.org v1: 1 requests
  rule        16.7%      1 of 6 goals at 3 points
  term        25.0%      1 of 4 goals at 2 points
  branch       0.0%      0 of 9 goals at 8 points
  required    50.0%      1 of 2 goals at 1 points
  enum         0.0%      0 of 3 goals at 3 points
  bound       36.4%      4 of 11 goals at 4 points
  pattern      0.0%      0 of 2 goals at 1 points
  field       37.5%      3 of 8 goals at 8 points
  crds.yaml:27:11: rule never false: self.a > 0 || self.b == 'x'
  crds.yaml:28:11: rule never true, false: self.a >= oldSelf.a
  crds.yaml:40:97: rule never true, false: self.m / 0 == 1
`
	text, _, _ := strings.Cut(got.String(), "  crds.yaml:27:11: term")
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if strings.Contains(got.String(), "minLength") {
		t.Error("a size below 0 is wanted")
	}
	if strings.Contains(got.String(), ": field never") {
		t.Error("fields are listed")
	}
}

// TestSameBytes makes all files of two equal runs.
func TestSameBytes(t *testing.T) {
	var files [2]string
	for i := range files {
		var b bytes.Buffer
		p := profile(t, source(t), `{a: 1, b: x, c: {p: 1}, l: [{m: 1}], e: {x: ab}}`)
		for _, write := range []func() error{
			func() error { return p.WriteJSON(&b) }, func() error { return p.WriteText(&b) }, func() error { return p.WriteHTML(&b) },
		} {
			if err := write(); err != nil {
				t.Fatal(err)
			}
		}
		files[i] = b.String()
	}
	if files[0] != files[1] {
		t.Error("the files of equal runs differ")
	}
}

// TestDamagedRecord writes the page of a record whose terms are not in the text.
func TestDamagedRecord(t *testing.T) {
	p := profile(t, source(t), `{a: 1}`)
	for _, point := range p.Definitions[0].Versions[0].Points {
		if point.Kind == coverage.Term {
			point.Start, point.End = point.Start+1000, point.End+1000
		}
	}
	p.Definitions[0].Text = "a: 1\n"
	var page bytes.Buffer
	if err := p.WriteHTML(&page); err != nil || !strings.HasSuffix(page.String(), "</html>\n") {
		t.Errorf("%v, %s", err, page.String())
	}
}

// TestSave adds to a record, and waits for another process that writes it.
func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cover.html")
	other := filepath.Join(filepath.Dir(file), "cover.lock")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { os.Remove(other) })
	for want := 1; want <= 2; want++ {
		r := coverage.NewRecorder()
		if err := r.Observe(t.Context(), source(t), "v1", coverage.Request{Object: object(t, `{a: 1}`)}); err != nil {
			t.Fatal(err)
		}
		if err := r.Save(file); err != nil {
			t.Fatal(err)
		}
		p, err := coverage.Read(filepath.Join(filepath.Dir(file), "cover.json"))
		if err != nil || p.Definitions[0].Versions[0].Requests != want {
			t.Errorf("%v, %v, want %d requests", p, err, want)
		}
	}
	names, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(names) != 3 {
		t.Errorf("%v, %v, want the files .html, .json and .txt", names, err)
	}
}
