package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/crdkit/crdkit/internal/text/manifest"
)

// wanted returns the expected standard output of a case in testdata. The args
// of the case must contain arg.
func wanted(t *testing.T, name, arg string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	var args, stdout string
	for _, f := range archive.Files {
		switch f.Name {
		case "args":
			args = string(f.Data)
		case "stdout":
			stdout = string(f.Data)
		}
	}
	if !strings.Contains(args, arg) {
		t.Fatalf("%s does not have %s", name, arg)
	}
	return stdout
}

// TestSARIF checks the output against the requirements of SARIF 2.1.0 for the
// properties that it has: required properties and permitted values.
func TestSARIF(t *testing.T) {
	for _, name := range []string{"check_sarif", "check_accepted"} {
		var log map[string]any
		if err := json.Unmarshal([]byte(wanted(t, name, "-o sarif")), &log); err != nil {
			t.Fatal(err)
		}
		if log["version"] != "2.1.0" {
			t.Errorf("%s: version is %v", name, log["version"])
		}
		run := log["runs"].([]any)[0].(map[string]any)
		driver := run["tool"].(map[string]any)["driver"].(map[string]any)
		if driver["name"] == "" {
			t.Errorf("%s: the driver has no name", name)
		}
		for _, i := range run["invocations"].([]any) {
			if _, ok := i.(map[string]any)["executionSuccessful"].(bool); !ok {
				t.Errorf("%s: invocation %v does not say whether it was successful", name, i)
			}
		}
		if !slices.Contains([]any{"utf16CodeUnits", "unicodeCodePoints"}, run["columnKind"]) {
			t.Errorf("%s: columnKind is %v", name, run["columnKind"])
		}
		rules := driver["rules"].([]any)
		for _, r := range run["results"].([]any) {
			checkResult(t, r.(map[string]any), rules)
		}
	}
}

func checkResult(t *testing.T, r map[string]any, rules []any) {
	t.Helper()
	if text, _ := r["message"].(map[string]any)["text"].(string); text == "" {
		t.Errorf("result %v has no message", r)
	}
	if !slices.Contains([]any{"none", "note", "warning", "error"}, r["level"]) {
		t.Errorf("result %v has the level %v", r, r["level"])
	}
	rule := rules[int(r["ruleIndex"].(float64))].(map[string]any)
	if rule["id"] != r["ruleId"] {
		t.Errorf("result %v refers to the rule %v", r, rule)
	}
	if text, _ := rule["shortDescription"].(map[string]any)["text"].(string); text == "" {
		t.Errorf("rule %v has no description", rule)
	}
	for _, l := range r["locations"].([]any) {
		physical := l.(map[string]any)["physicalLocation"].(map[string]any)
		uri := physical["artifactLocation"].(map[string]any)["uri"].(string)
		if u, err := url.Parse(uri); err != nil || u.String() != uri {
			t.Errorf("%q is no reference: %v", uri, err)
		}
		if region, ok := physical["region"].(map[string]any); ok && (region["startLine"].(float64) < 1 || region["startColumn"].(float64) < 1) {
			t.Errorf("result %v has the region %v", r, region)
		}
	}
}

func TestFileURI(t *testing.T) {
	for name, want := range map[string]string{
		"a/b c.yaml":  "a/b%20c.yaml",
		"a:b.yaml":    "./a:b.yaml",
		"/a/ü%1.yaml": "file:///a/%C3%BC%251.yaml",
		"-":           "-",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestJUnit decodes the output and checks its counts.
func TestJUnit(t *testing.T) {
	var all junitSuites
	if err := xml.Unmarshal([]byte(wanted(t, "check_junit", "-o junit")), &all); err != nil {
		t.Fatal(err)
	}
	tests, failures, errs := 0, 0, 0
	for _, s := range all.Suites {
		if s.Tests != len(s.Cases) {
			t.Errorf("suite %s has %d tests, and %d cases", s.Name, s.Tests, len(s.Cases))
		}
		for _, c := range s.Cases {
			tests++
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				errs++
			}
			if c.Name == "" || c.ClassName == "" {
				t.Errorf("case %+v has no name", c)
			}
		}
	}
	if all.Tests != tests || all.Failures != failures || all.Errors != errs || failures == 0 || errs == 0 || failures+errs == tests {
		t.Errorf("%d tests, %d failures, %d errors, but counted %d, %d, %d", all.Tests, all.Failures, all.Errors, tests, failures, errs)
	}
}

// TestInOrder checks that findings have the order of files, even if one file
// takes longer than the next.
func TestInOrder(t *testing.T) {
	const n = 50
	items := func(yield func(*manifest.Object) bool) {
		for i := range n {
			if !yield(&manifest.Object{Document: &manifest.Document{Number: i}}) {
				return
			}
		}
	}
	work := func(o *manifest.Object) int {
		time.Sleep(time.Duration((n-o.Number)%7) * time.Millisecond)
		return o.Number
	}
	next := 0
	err := inOrder(context.Background(), items, work, func(got int) error {
		if got != next {
			t.Fatalf("the result of item %d comes as number %d", got, next)
		}
		next++
		return nil
	})
	if err != nil || next != n {
		t.Errorf("inOrder uses %d results, want %d: %v", next, n, err)
	}
	full := errors.New("full")
	if err := inOrder(context.Background(), items, work, func(got int) error { return full }); err != full {
		t.Errorf("inOrder returns %v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = inOrder(ctx, items, work, func(got int) error {
		t.Errorf("inOrder uses %d though the context is done", got)
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("inOrder returns %v, want that the context is done", err)
	}
}

// TestCheckManyFiles checks many files in parallel. The output is the same each
// time.
func TestCheckManyFiles(t *testing.T) {
	dir := t.TempDir()
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x%d}\n"
	for i := range 60 {
		text := strings.Repeat(fmt.Sprintf(crd+"---\n", i), i%5+1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.yaml", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, output := range findingOutputs() {
		var first string
		for range 3 {
			var out bytes.Buffer
			if code := run(context.Background(), []string{"check", "-o", output, dir}, nil, &out, io.Discard); code != exitRefused {
				t.Fatalf("exit code %d, want %d", code, exitRefused)
			}
			if first == "" {
				first = out.String()
			}
			if out.String() != first {
				t.Fatalf("-o %s prints something else the second time", output)
			}
		}
	}
}

// TestProgress checks that a run of more than a second prints its progress on a
// terminal.
func TestProgress(t *testing.T) {
	if p := newProgress(&bytes.Buffer{}, "definitions", accepted); p.out != nil {
		t.Error("a buffer is treated as a terminal")
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Errorf("%s is treated as a terminal", os.DevNull)
	}
	var out bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		p := newProgress(io.Discard, "definitions", accepted)
		p.out = &out
		for range 3 {
			p.done(accepted)
			p.done(refused)
			p.done(undecided)
			time.Sleep(600 * time.Millisecond)
		}
		p.clear()
		p.clear()
	})
	const want = "\r\x1b[K7 definitions: 3 accepted, 2 refused, 2 undecided\r\x1b[K"
	if got := out.String(); got != want {
		t.Errorf("progress is %q, want %q", got, want)
	}
}

// TestColors checks the colours of words on a terminal.
func TestColors(t *testing.T) {
	const red, yellow, green = "\x1b[31m%s\x1b[0m", "\x1b[33m%s\x1b[0m", "\x1b[32m%s\x1b[0m"
	for word, want := range map[string]string{
		refused: red, levelError: red, "incompatible": red, undecided: yellow, levelWarning: yellow, "unknown": yellow,
		accepted: green, admitted: green, "compatible": green, levelNote: "%s",
	} {
		if got := (&textPrinter{colors: true}).paint(word); got != fmt.Sprintf(want, word) {
			t.Errorf("%s is printed as %q", word, got)
		}
		if got := (&textPrinter{}).paint(word); got != word {
			t.Errorf("without colours, %s is printed as %q", word, got)
		}
	}
}

// TestPanics checks that a panic of a goroutine is one of the loop over the results, and
// that a command that panics says so.
func TestPanics(t *testing.T) {
	for name, items := range map[string]iter.Seq[*manifest.Object]{
		"work":  func(yield func(*manifest.Object) bool) { yield(unusable("a.yaml", nil)) },
		"items": func(func(*manifest.Object) bool) { panic("oops") },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "oops\n") {
					t.Errorf("%s panics: inOrder panics with %q", name, text)
				}
			}()
			err := inOrder(context.Background(), items, func(*manifest.Object) int { panic("oops") }, func(int) error { return nil })
			t.Errorf("%s panics: inOrder returns %v", name, err)
		}()
	}
	var all strings.Builder
	if code := run(t.Context(), []string{"check", "-"}, panicking{}, &all, &all); code != exitUndecided || !strings.Contains(all.String(), "internal error: oops") {
		t.Errorf("the reader panics: exit code %d, output %q", code, all.String())
	}
	all.Reset()
	if code := run(t.Context(), []string{"check", "-"}, strings.NewReader("a: 1"), panicking{}, &all); code != exitUndecided || !strings.Contains(all.String(), "internal error: oops") {
		t.Errorf("the writer panics: exit code %d, output %q", code, all.String())
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error)  { panic("oops") }
func (panicking) Write([]byte) (int, error) { panic("oops") }
