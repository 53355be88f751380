package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/document"
)

// checkFastParse compares the results of the fast and the reference parser. It
// returns false if the fast one declines data.
func checkFastParse(t *testing.T, data []byte) bool {
	t.Helper()
	got, strict, identified := document.ReadDefinition(data, DefaultMaxNesting)
	if got == nil && !identified {
		return false
	}
	var wanted []string
	tolerant := Tolerant(func(err error) { wanted = append(wanted, err.Error()) })
	want, err := parseInFull(data, parseConfigOf([]ParseOption{tolerant}), false)
	if got == nil {
		same, sameErr := parseInFull(data, parseConfigOf([]ParseOption{Tolerant(nil)}), true)
		if diff := fuzz.Diff(want, same); diff != "" || fmt.Sprint(err) != fmt.Sprint(sameErr) {
			t.Fatalf("%.1000q is identified: %v, otherwise %v (-reference +identified):\n%s", data, sameErr, err, diff)
		}
		return false
	}
	if err != nil {
		t.Fatalf("the fast parser accepts %.1000q, but %v", data, err)
	}
	if diff := fuzz.Diff(want, got); diff != "" {
		t.Fatalf("%.1000q (-reference +fast):\n%s", data, diff)
	}
	var texts []string
	for _, err := range strict {
		texts = append(texts, err.Error())
	}
	if diff := cmp.Diff(wanted, texts); diff != "" {
		t.Fatalf("errors of %.1000q (-reference +fast):\n%s", data, diff)
	}
	return true
}

// TestParseFast compares the parsers on every fourth definition of the corpus
// as YAML, and on some as JSON. The tests of the oracle compare all of them.
func TestParseFast(t *testing.T) {
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skipf("no corpus in %q", dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "crds", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	all, fast := 0, 0
	for i, file := range files {
		if i%4 != 0 || testing.Short() && i%16 != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all++
		if !checkFastParse(t, data) {
			continue
		}
		if fast++; fast%8 > 0 {
			continue
		}
		asJSON, err := yaml.YAMLToJSONStrict(data)
		if err != nil {
			t.Fatal(err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, asJSON, "", "  "); err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{asJSON, indented.Bytes()} {
			if !checkFastParse(t, data) {
				t.Errorf("%s as JSON is declined", file)
			}
		}
	}
	t.Logf("the fast parser accepts %d of %d definitions", fast, all)
	if fast < all*9/10 {
		t.Errorf("the fast parser accepts %d of %d definitions, want nine of ten", fast, all)
	}
}

// keywords has every field of a schema, with valid and invalid values.
const keywords = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
"metadata": {"name": "a.b", "creationTimestamp": null}, "spec": {"group": "b", "scope": "Cluster",
"names": {"plural": "a", "kind": "A"}, "versions": [{"name": "v1", "served": true, "storage": true,
"schema": {"openAPIV3Schema": {%s "type": "object"}}}]}}`

// TestParseKeywords sets each keyword to values of each type, at the root and
// below each keyword that has schemas.
func TestParseKeywords(t *testing.T) {
	names := []string{
		"id", "$schema", "$ref", "description", "type", "format", "title", "default", "maximum", "exclusiveMaximum",
		"minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems",
		"multipleOf", "enum", "maxProperties", "minProperties", "required", "items", "allOf", "oneOf", "anyOf", "not",
		"properties", "additionalProperties", "patternProperties", "dependencies", "additionalItems", "definitions",
		"externalDocs", "example", "nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
		"x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
		"x-kubernetes-validations", "Type", "unknown", "",
	}
	values := []string{
		`null`, `true`, `false`, `0`, `-1`, `1.50`, `1e3`, `9223372036854775808`, `1e999`, `""`, `"a"`, `"<&\u00e9\n"`,
		`[]`, `["a"]`, `["a", null]`, `[1, {"b" : 2, "a": 1}]`, `{}`, `{"type": "string"}`, `{"a": {"type": "string"}}`,
		`{"a": {}, "a": {}}`, `[{}]`, `[{"type": "string"}]`, `[{"rule": "self", "reason": "FieldValueInvalid", "message": "a",
		"messageExpression": "b", "fieldPath": ".a", "optionalOldSelf": true}]`, `[{"rule": 1}]`, `[{"rule": "a", "rule": "b"}]`,
		`[{"rules": "a"}]`, `{"b": 1, "a": 2}`, `{"url": "a"}`, `{"type": "string", "type": "string"}`,
	}
	wraps := []string{`%s`, `"items": {%s "a": 1},`, `"properties": {"x": {%s "type": "string"}},`, `"additionalProperties": {%s "type": "string"},`,
		`"allOf": [{%s "type": "string"}],`, `"not": {%s "type": "string"},`, `"description": "twice", "description": "x",%s`}
	fast := 0
	for _, wrap := range wraps {
		for _, name := range names {
			for _, value := range values {
				keyword := `"` + name + `": ` + value + ","
				text := bytes.Replace([]byte(keywords), []byte("%s"), bytes.Replace([]byte(wrap), []byte("%s"), []byte(keyword), 1), 1)
				if checkFastParse(t, text) {
					fast++
				}
				if asYAML, err := yaml.JSONToYAML(text); err == nil && checkFastParse(t, asYAML) {
					fast++
				}
			}
		}
	}
	t.Logf("the fast parser accepts %d of %d texts", fast, 2*len(wraps)*len(names)*len(values))
	if fast < 1000 {
		t.Errorf("the fast parser accepts only %d texts", fast)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": {"type": "object"}}}]}}`))
	f.Add([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n" +
		"        description: |-\n          a\n          b\n        properties:\n          a:\n            type: string\n            default: \"a<\"\n            enum: [\"b\", c]\n            maximum: 5\n"))
	fuzz.Run(f, func(t *testing.T, data []byte) { checkFastParse(t, data) })
}
