package definition

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/document"
)

// checkFastParse compares the results of the fast and the reference parser. It
// returns false if the fast one declines data.
func checkFastParse(t *testing.T, data []byte) bool {
	t.Helper()
	got := document.ReadDefinition(data)
	if got == nil {
		return false
	}
	want, err := parseInFull(data, parseConfigOf(nil))
	if err != nil {
		t.Fatalf("the fast parser accepts %.1000q, but %v", data, err)
	}
	if diff := fuzz.Diff(want, got); diff != "" {
		t.Fatalf("%.1000q (-reference +fast):\n%s", data, diff)
	}
	return true
}

// TestParseFast compares the parsers on every fourth definition of the corpus. The tests of
// the oracle compare all of them.
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
		fast++
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
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
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
				if asYAML, err := yaml.JSONToYAML(text); err == nil && checkFastParse(t, asYAML) {
					fast++
				}
			}
		}
	}
	t.Logf("the fast parser accepts %d of %d texts", fast, len(wraps)*len(names)*len(values))
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
