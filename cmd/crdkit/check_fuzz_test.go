package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// FuzzCheckOutputs checks any text as standard input, in all output formats.
// Each output decodes, all have the same counts, and positions are in the text.
func FuzzCheckOutputs(f *testing.F) {
	paths, err := filepath.Glob("testdata/check*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if name := file.Name; name == "stdin" || filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".json" {
				f.Add(file.Data)
			}
		}
	}
	fuzz.Run(f, func(t *testing.T, text []byte) {
		c := &checker{opts: []definition.Option{definition.WithNotes()}}
		c.reader = manifest.NewReader(bytes.NewReader(text), false)
		var findings []*finding
		for o := range namedDefinitions(t.Context(), c.reader, "-") {
			findings = append(findings, c.decide(o))
		}
		checkPositions(t, text, findings)
		checkFormats(t, findings)
	})
}

func checkPositions(t *testing.T, text []byte, findings []*finding) {
	lines := bytes.Split(text, []byte("\n"))
	if !bytes.HasSuffix(text, []byte("\n")) {
		lines = append(lines, nil) // the YAML library ends the last line, and may complain about the end after it
	}
	for _, f := range findings {
		for _, i := range f.issues {
			p := i.position
			if p.IsValid() && (p.Line > len(lines) || p.Column < 1 || p.Column > len([]rune(string(lines[p.Line-1])))+1) {
				t.Errorf("%s is at %v, which is not in the text", i.message(), p)
			}
		}
	}
}

func checkFormats(t *testing.T, findings []*finding) {
	text := map[string]string{}
	for _, output := range findingOutputs() {
		var b bytes.Buffer
		p := newFindingPrinter(output, accepted, &b, false)
		for _, f := range findings {
			if err := p.print(f); err != nil {
				t.Fatalf("-o %s: %v", output, err)
			}
		}
		if err := p.end(); err != nil {
			t.Fatalf("-o %s: %v", output, err)
		}
		text[output] = b.String()
	}
	issues, failures, errs := 0, 0, 0
	for _, f := range findings {
		issues += len(f.issues)
		failures += count(f.verdict == refused)
		errs += count(f.verdict == undecided)
	}

	array, lines := []any{}, []any{}
	decodeJSON(t, text["json"], &array)
	for line := range strings.Lines(text["jsonl"]) {
		var v any
		decodeJSON(t, line, &v)
		lines = append(lines, v)
	}
	if diff := fuzz.Diff(array, lines); diff != "" {
		t.Errorf("-o json (-) differs from -o jsonl (+):\n%s", diff)
	}
	var log sarifLog
	decodeJSON(t, text["sarif"], &log)
	if got := len(log.Runs[0].Results); got != issues {
		t.Errorf("-o sarif has %d results, want %d", got, issues)
	}
	var all junitSuites
	if err := xml.Unmarshal([]byte(text["junit"]), &all); err != nil {
		t.Errorf("-o junit cannot be read: %v\n%s", err, text["junit"])
	}
	if all.Tests != len(findings) || all.Failures != failures || all.Errors != errs {
		t.Errorf("-o junit has %d tests, %d failures, %d errors, want %d, %d, %d", all.Tests, all.Failures, all.Errors, len(findings), failures, errs)
	}
	if got := strings.Count(text["github"], "\n"); got != issues {
		t.Errorf("-o github has %d lines, want %d", got, issues)
	}
}

func decodeJSON(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("output cannot be read: %v\n%s", err, text)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
