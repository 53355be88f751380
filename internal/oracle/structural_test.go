package oracle_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/schema"
)

// The tests of this file compare structural errors. schema.Compile must return the errors
// of the server with the same type, field, value, detail and order. The schemas are the
// cases of package schema, those of the corpus, every keyword in every kind of location,
// and parts of the corpus with random changes.

const structuralCases = "../../schema/testdata/structural/*.txtar"

var structuralSections = []string{"schema.yaml", "path", "errors", "unsupported"}

// TestStructuralCases checks that the expected errors of package schema are those of the
// server.
func TestStructuralCases(t *testing.T) {
	testkit.RunTxtar(t, structuralCases, structuralSections, func(t *testing.T, c *testkit.Case) {
		props := decodeProps(t, testkit.Encode(c.Object(t, "schema.yaml")))
		path := field.NewPath("schema")
		if strings.TrimSpace(c.Section("path")) == "<nil>" {
			path = nil
		}
		compareStructural(t, props, path)
		if c.Has("unsupported") {
			want := strings.TrimSpace(c.Section("unsupported"))
			if !upstreamReports(props, want) {
				t.Errorf("unsupported: want %q, which upstream never says", want)
			}
			return
		}
		var texts strings.Builder
		for _, err := range upstream.StructuralErrors(props, path) {
			texts.WriteString(err.Error() + "\n")
		}
		if diff := cmp.Diff(texts.String(), c.Section("errors")); diff != "" {
			t.Errorf("errors of the case are not those of upstream (-upstream +case):\n%s", diff)
		}
	})
}

func TestStructuralCorpus(t *testing.T) {
	for _, props := range corpusSchemas(t) {
		compareStructural(t, props, field.NewPath("spec", "validation", "openAPIV3Schema"))
	}
}

// TestStructuralKeywords compares every value of every keyword in every kind of location.
func TestStructuralKeywords(t *testing.T) {
	count := 0
	for _, location := range structuralLocations {
		for _, keyword := range structuralKeywords {
			for _, value := range keyword.values {
				root := decodeTree(t, location.schema)
				member(t, root, location.at)[keyword.name] = decodeAny(t, value)
				compareStructural(t, decodeProps(t, encode(t, root)), nil)
				count++
			}
		}
	}
	t.Logf("%d schemas", count)
}

func TestStructuralMutants(t *testing.T) {
	mutants := 20000
	if testing.Short() {
		mutants = 2000
	}
	var parts []map[string]any
	nodes := 0
	for _, props := range corpusSchemas(t) {
		eachSchema(decodeTree(t, string(encode(t, props))), func(n map[string]any) {
			if nodes++; nodes%20 > 0 {
				return // parts enough without it
			}
			if size := len(encode(t, n)); 60 < size && size < 1500 {
				parts = append(parts, n)
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for i := range mutants {
		m := mutator{t: t, rng: rng, root: decodeTree(t, string(encode(t, parts[rng.IntN(len(parts))])))}
		props := decodeProps(t, encode(t, m.mutant()))
		path := field.NewPath("schema")
		if i%5 == 0 {
			path = nil
		}
		if compareStructural(t, props, path) > 0 {
			refused++
		}
		if t.Failed() {
			t.Fatalf("mutant %d: %s", i, encode(t, props))
		}
	}
	t.Logf("%d mutants of %d parts, %d of them refused", mutants, len(parts), refused)
}

func FuzzStructural(f *testing.F) {
	for _, location := range structuralLocations {
		f.Add([]byte(location.schema))
	}
	for _, keyword := range structuralKeywords {
		f.Add(fmt.Appendf(nil, `{"type":"object","properties":{"a":{%q:%s}},"not":{%q:%s}}`, keyword.name, keyword.values[0], keyword.name, keyword.values[0]))
	}
	fuzz.Run(f, func(t *testing.T, data []byte) {
		props := &apiextensionsv1.JSONSchemaProps{}
		if len(data) < 1<<13 && json.Unmarshal(data, props) == nil {
			compareStructural(t, props, field.NewPath("schema"))
		}
	})
}

// compareStructural compares the errors for props and returns their number.
func compareStructural(t *testing.T, props *apiextensionsv1.JSONSchemaProps, path *field.Path) int {
	t.Helper()
	want := upstream.StructuralErrors(props, path)
	node, got := schema.Compile(props, schema.AtPath(path))
	if (node == nil) != (len(got) > 0) {
		t.Errorf("Compile returned node %v and %d errors", node, len(got))
	}
	if len(want) == 1 && len(got) == 1 && want[0].Type == field.ErrorTypeInvalid && want[0].Detail != got[0].Detail &&
		upstreamReports(props, got[0].Detail) {
		return 1 // upstream met another unsupported keyword first
	}
	if diff := cmp.Diff(errorLines(want), errorLines(got)); diff != "" {
		t.Errorf("errors differ (-upstream +ours):\n%s%s", diff, encode(t, props))
	}
	return len(want)
}

// upstreamReports reports whether a run of upstream has the text as the detail of its first
// error.
func upstreamReports(props *apiextensionsv1.JSONSchemaProps, text string) bool {
	for range 10 * Patience {
		if errs := upstream.StructuralErrors(props, nil); len(errs) > 0 && errs[0].Detail == text {
			return true
		}
	}
	return false
}

func errorLines(errs field.ErrorList) []string {
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = fmt.Sprintf("%s | %s | %T %v | %s", e.Type, e.Field, e.BadValue, e.BadValue, e.Error())
	}
	return lines
}

func corpusSchemas(t *testing.T) []*apiextensionsv1.JSONSchemaProps {
	t.Helper()
	var schemas []*apiextensionsv1.JSONSchemaProps
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
				schemas = append(schemas, v.Schema.OpenAPIV3Schema)
			}
		}
	}
	return schemas
}

func decodeProps(t testing.TB, data []byte) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(data, props); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return props
}

func decodeTree(t testing.TB, text string) map[string]any {
	t.Helper()
	return decodeAny(t, text).(map[string]any)
}

func decodeAny(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
