package validation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A valueTest is one object of testdata/values.json. Want has a line per error,
// see describe. The flag -update rewrites it.
type valueTest struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Object json.RawMessage `json:"object"`
	Want   []string        `json:"want,omitempty"`
}

const valuesFile = "testdata/values.json"

func valueTests(t testing.TB) []valueTest {
	t.Helper()
	data, err := os.ReadFile(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	var tests []valueTest
	if err := json.Unmarshal(data, &tests); err != nil {
		t.Fatal(err)
	}
	return tests
}

func writeValueTests(t testing.TB, tests []valueTest) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, test := range tests {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "{\"name\": %s,\n \"schema\": %s,\n \"object\": %s", text(t, test.Name), test.Schema, test.Object)
		for j, line := range test.Want {
			sep := ","
			if j == 0 {
				sep = ",\n \"want\": ["
			}
			fmt.Fprintf(&b, "%s\n  %s", sep, text(t, line))
		}
		if len(test.Want) > 0 {
			b.WriteString("]")
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	if err := os.WriteFile(valuesFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func text(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// describe returns a line per error: the type, the text of the server, the Go
// type of the bad value, and the two pointers.
func describe(errs validation.ErrorList) []string {
	var out []string
	for _, e := range errs {
		out = append(out, fmt.Sprintf("%s: %v (%T) at %s by %s #%s",
			e.FieldError().Type, e, e.BadValue, orRoot(e.Pointer), e.Step, e.SchemaPointer))
	}
	return out
}

func orRoot(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}

// compile compiles a schema in YAML or JSON.
func compile(t testing.TB, text string) *schema.Node {
	t.Helper()
	n, errs := schema.Compile(properties(t, text))
	if len(errs) > 0 {
		t.Fatalf("schema: %v", errs.ToAggregate())
	}
	return n
}

// decode decodes an object in JSON.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := testkit.DecodeJSON([]byte(text)) // YAML takes 1.0 for 1
	if err != nil {
		t.Fatalf("object: %v", err)
	}
	obj, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return obj
}

func properties(t testing.TB, text string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), props); err != nil {
		t.Fatalf("schema: %v", err)
	}
	return props
}
