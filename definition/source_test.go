package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

func TestSourcePosition(t *testing.T) {
	for _, tt := range []struct {
		name, text, pointer string
		start               Position
		want                string
	}{
		{name: "yaml", text: "a:\n  b: 1\n", pointer: "/a/b", want: "2:3"},
		{name: "json", text: `{"a": {"b": 1}}`, pointer: "/a/b", want: "1:8"},
		{name: "within a file", text: "a:\n  b: 1\n", pointer: "/a/b", start: Position{Line: 10, Column: 1}, want: "11:3"},
		{name: "within a line", text: "{\"a\":\n{\"b\": 1}}", pointer: "/a", start: Position{Line: 10, Column: 5}, want: "10:6"},
		{name: "below a line", text: "{\"a\":\n{\"b\": 1}}", pointer: "/a/b", start: Position{Line: 10, Column: 5}, want: "11:2"},
		{name: "missing", text: "a:\n  b: 1\n", pointer: "/a/c/d", want: "1:1"},
		{name: "unreadable", text: "a: [", pointer: "/a", want: "-"},
		{name: "empty", pointer: "", want: "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSource([]byte(tt.text), tt.start)
			for range 2 {
				if got := s.Position(tt.pointer).String(); got != tt.want {
					t.Errorf("Position(%q) = %s, want %s", tt.pointer, got, tt.want)
				}
			}
		})
	}
}

func TestSourceFieldPointer(t *testing.T) {
	s := NewSource([]byte("spec:\n  list:\n  - {a.b: {c: 1}, a: {b: {d: 1}}, 'e[f]': 1, g/h: 1}\n"), Position{})
	for path, want := range map[string]string{
		"":                    "",
		"spec":                "/spec",
		"spec.list[0].a.b":    "/spec/list/0/a.b",
		"spec.list[0].a.b.c":  "/spec/list/0/a.b/c",
		"spec.list[0][a][b]":  "/spec/list/0/a/b",
		"spec.list[0].e[f]":   "/spec/list/0/e[f]",
		"spec.list[0].g/h":    "/spec/list/0/g~1h",
		"spec.list[1].a":      "/spec/list",
		"spec.list[0].nope":   "/spec/list/0",
		"spec.list[0].a.b.d":  "/spec/list/0/a.b", // a.b is longer than a
		"spec.list[x].a.b[0]": "/spec/list",
	} {
		if got := s.FieldPointer(path); got != want {
			t.Errorf("FieldPointer(%q) = %q, want %q", path, got, want)
		}
	}
	if got := NewSource(nil, Position{}).FieldPointer("spec"); got != "" {
		t.Errorf("FieldPointer in an empty text = %q", got)
	}
}

// TestSourceV1beta1 checks that positions are found for fields that v1beta1 has
// elsewhere.
func TestSourceV1beta1(t *testing.T) {
	const text = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  version: v1
  names: {plural: jobs, kind: Job}
  subresources: {scale: {specReplicasPath: .spec}}
  additionalPrinterColumns:
  - {name: a, type: string, JSONPath: b}
  conversion:
    strategy: Webhook
    webhookClientConfig: {url: nope}
    conversionReviewVersions: [nope]
  versions:
  - {name: v1, served: true, storage: true}
  - name: v2
    additionalPrinterColumns: [{name: a, type: string, JSONPath: b}]
  validation: {openAPIV3Schema: {type: object, properties: {a: {type: foo}, JSONPath: {type: string}}}}
`
	for _, tt := range []struct{ pointer, want, position string }{
		{"/spec/versions/0/schema/openAPIV3Schema/properties/a/type", "/spec/validation/openAPIV3Schema/properties/a/type", "19:65"},
		{"/spec/versions/1/schema/openAPIV3Schema/properties/b", "/spec/validation/openAPIV3Schema/properties/b", "19:48"},
		{"/spec/versions/0/subresources/scale/statusReplicasPath", "/spec/subresources/scale/statusReplicasPath", "8:18"},
		{"/spec/versions/0/additionalPrinterColumns/0/jsonPath", "/spec/additionalPrinterColumns/0/JSONPath", "10:29"},
		{"/spec/versions/1/additionalPrinterColumns/0/jsonPath", "/spec/versions/1/additionalPrinterColumns/0/JSONPath", "18:56"},
		{"/spec/validation/openAPIV3Schema/properties/jsonPath", "/spec/validation/openAPIV3Schema/properties/jsonPath", "19:48"},
		{"/spec/nothing", "/spec/nothing", "4:1"},
		{"/spec/versions/0/selectableFields/0", "/spec/versions/0/selectableFields/0", "16:5"},
		{"/spec/versions/0/name", "/spec/versions/0/name", "16:6"},
		{"/spec/conversion/webhook/clientConfig/url", "/spec/conversion/webhookClientConfig/url", "13:27"},
		{"/spec/conversion/webhook/conversionReviewVersions", "/spec/conversion/conversionReviewVersions", "14:5"},
		{"/spec/versions", "/spec/versions", "15:3"},
	} {
		s := NewSource([]byte(text), Position{})
		if got := s.Pointer(tt.pointer); got != tt.want {
			t.Errorf("Pointer(%s) = %s, want %s", tt.pointer, got, tt.want)
		}
		if got := s.Position(tt.pointer).String(); got != tt.position {
			t.Errorf("Position(%s) = %s, want %s", tt.pointer, got, tt.position)
		}
	}
}

// TestReportPointers checks that each pointer of a report leads to a value of
// the definition, or to a missing member of one.
func TestReportPointers(t *testing.T) {
	for _, tt := range checkTests {
		t.Run(tt.name, func(t *testing.T) {
			text := []byte(fmt.Sprintf(checkCRD, tt.version, tt.schema))
			checkPointers(t, text, Check(decodeCRD(t, string(text)), WithNotes()))
		})
	}
}

func pointersOf(r *Report) []string {
	var out []string
	for _, e := range r.Errors {
		out = append(out, e.Pointer)
	}
	for _, w := range r.Warnings {
		out = append(out, w.Pointer)
	}
	for _, n := range r.Notes {
		out = append(out, n.Pointer)
	}
	return out
}

// checkPointers checks that each pointer of a report leads to a value or to a
// missing member of one, and that its position is in the text.
func checkPointers(t *testing.T, text []byte, r *Report) {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	source := NewSource(text, Position{})
	lines := bytes.Split(text, []byte("\n"))
	for _, pointer := range pointersOf(r) {
		if err := resolve(doc, pointer); err != nil {
			t.Errorf("pointer %s: %v", pointer, err)
		}
		p := source.Position(pointer)
		if !p.IsValid() || p.Line > len(lines) || p.Column < 1 || p.Column > utf8.RuneCount(lines[p.Line-1])+1 {
			t.Errorf("position of %s is %v, which is not in the text", pointer, p)
		}
	}
}

// resolve returns an error if a step of a pointer other than the last leads to
// no value.
func resolve(v any, pointer string) error {
	steps := strings.Split(pointer, "/")[1:]
	for i, step := range steps {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		var next any
		switch v := v.(type) {
		case map[string]any:
			next = v[step]
		case []any:
			var n int
			if _, err := fmt.Sscan(step, &n); err == nil && n < len(v) {
				next = v[n]
			}
		}
		if next == nil {
			if i < len(steps)-1 {
				return errors.New("nothing at " + strings.Join(steps[:i+1], "/"))
			}
			return nil
		}
		v = next
	}
	return nil
}

// FuzzCheckText checks any text: the report does not depend on the spelling of
// the definition, and its pointers lead into the text. An accepted definition
// compiles.
func FuzzCheckText(f *testing.F) {
	for _, tt := range checkTests {
		text := fmt.Sprintf(checkCRD, tt.version, tt.schema)
		f.Add([]byte(text))
		if asYAML, err := yaml.JSONToYAML([]byte(text)); err == nil {
			f.Add(asYAML)
		}
	}
	fuzz.Run(f, func(t *testing.T, text []byte) {
		crd, err := Parse(text)
		if err != nil {
			return
		}
		report := Check(crd, WithNotes())
		lines := bytes.Split(text, []byte("\n"))
		source := NewSource(text, Position{})
		for _, pointer := range pointersOf(report) {
			p := source.Position(pointer)
			if p.IsValid() && (p.Line > len(lines) || p.Column < 1 || p.Column > utf8.RuneCount(lines[p.Line-1])+1) {
				t.Errorf("position of %s is %v, which is not in the text", pointer, p)
			}
		}
		if strings.Contains(string(text), apiVersionV1beta1) {
			return // the second text has defaults that the first omits
		}
		if report.Accepted() {
			if _, err := crdkit.Compile(crd); err != nil {
				t.Errorf("Check accepts what Compile does not: %v", err)
			}
		}
		again, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := Parse(again)
		if err != nil {
			t.Fatalf("Parse refuses %s, which it made of %s: %v", again, text, err)
		}
		second := Check(parsed, WithNotes())
		if diff := cmp.Diff(everything(report), everything(second)); diff != "" {
			t.Errorf("Check of the same definition, written anew:\n%s", diff)
		}
	})
}

func everything(r *Report) []string {
	out := append(reportLines(r), warningLines(r)...)
	for _, n := range r.Notes {
		out = append(out, fmt.Sprintf("%s: %s: %s", n.Pointer, n.Code, n.Text))
	}
	return out
}
