package generate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

const keywords = `
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [text, number, pattern]
    properties:
      text: {type: string, minLength: 3, maxLength: 8}
      pattern: {type: string, pattern: '^[a-z]+-[0-9]{2}$', maxLength: 20}
      enum: {type: string, enum: [one, two]}
      number: {type: integer, minimum: -3, maximum: 12, multipleOf: 3}
      above: {type: integer, minimum: 5, exclusiveMinimum: true}
      fraction: {type: number, minimum: 0.5, maximum: 2.5}
      flag: {type: boolean, nullable: true}
      set: {type: array, minItems: 1, maxItems: 4, x-kubernetes-list-type: set, items: {type: string, enum: [a, b, c, d]}}
      map: {type: array, maxItems: 3, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, enum: [a, b, c, d]}, v: {type: integer, default: 7}}}}
      entries: {type: object, minProperties: 1, maxProperties: 3, additionalProperties: {type: integer, minimum: 1}}
      either: {x-kubernetes-int-or-string: true}
      address: {type: string, format: uuid}
      resource: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      choice:
        type: object
        properties: {left: {type: string}, right: {type: string}, never: {type: string}, common: {type: string}}
        oneOf: [{required: [common, left]}, {required: [common, right]}]
        not: {required: [never]}
      many: {type: array, maxItems: 40, items: {type: boolean}}
      both: {type: integer, allOf: [{minimum: 4}, {maximum: 6}]}
`

func target(t *testing.T) (generate.Target, *crdkit.Version) {
	t.Helper()
	indented := strings.ReplaceAll(keywords, "\n", "\n        ")
	crd, err := definition.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:` + indented))
	if err != nil {
		t.Fatal(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := def.Version("v1")
	return generate.Target{Group: "example.com", Version: "v1", Kind: "Thing", Namespaced: true, Schema: crd.Spec.Versions[0].Schema.OpenAPIV3Schema}, v
}

func objects(target generate.Target, class generate.Class, n int, samples ...map[string]any) []map[string]any {
	g, rng := generate.New(target, samples...), rand.New(rand.NewPCG(7, 9))
	var out []map[string]any
	for range n {
		out = append(out, g.Object(rng, class))
	}
	return out
}

// judge returns how many objects are refused, and which kinds of errors they have. An
// unknown field is an error here.
func judge(t *testing.T, v *crdkit.Version, list []map[string]any) (refused int, kinds map[string]int) {
	t.Helper()
	kinds = map[string]int{}
	for _, obj := range list {
		result, err := v.Create(context.Background(), &unstructured.Unstructured{Object: testkit.Clone(obj)}, crdkit.ReportChanges())
		if err != nil {
			t.Fatal(err)
		}
		before := len(kinds)
		for _, e := range result.Errors {
			kinds[string(e.Type)]++
		}
		unknown := slices.ContainsFunc(result.Changes, func(c crdkit.Change) bool { return c.Op == crdkit.Pruned })
		if unknown {
			kinds["unknown field"]++
		}
		if !result.Admitted() || unknown || len(kinds) > before {
			refused++
		}
	}
	return refused, kinds
}

func TestClasses(t *testing.T) {
	target, v := target(t)
	for class, want := range map[generate.Class]struct{ least, most int }{
		generate.Valid: {0, 40}, generate.Boundary: {0, 40}, generate.Fault: {270, 400}, generate.Hostile: {380, 400},
	} {
		refused, kinds := judge(t, v, objects(target, class, 400))
		if refused < want.least || refused > want.most {
			t.Errorf("%s: %d of 400 objects are refused, want %d to %d; %v", class, refused, want.least, want.most, kinds)
		}
		if class != generate.Fault {
			continue
		}
		for _, kind := range []string{"FieldValueRequired", "FieldValueInvalid", "FieldValueNotSupported", "FieldValueTooLong", "FieldValueTooMany", "FieldValueDuplicate", "FieldValueTypeInvalid", "unknown field"} {
			if kinds[kind] < 2 {
				t.Errorf("%s: %d errors %s; %v", class, kinds[kind], kind, kinds)
			}
		}
	}
}

// TestFaults checks for faults that other faults hide in the counts of errors.
func TestFaults(t *testing.T) {
	target, _ := target(t)
	seen := map[string]int{}
	for _, obj := range objects(target, generate.Fault, 600) {
		spec, _ := obj["spec"].(map[string]any)
		for name, v := range spec {
			seen[name+" "+described(v)]++
			if name == "enum" {
				seen[fmt.Sprint(name, " ", v)]++
			}
		}
		if _, ok := spec["many"].([]any); !ok && spec["many"] != nil {
			seen["many of another type"]++
		}
		if _, ok := spec["text"]; !ok && spec != nil {
			seen["no text"]++
		}
		if _, ok := obj["spec"]; !ok {
			seen["no spec"]++
		}
	}
	for _, text := range []string{"text <nil>", "both <nil>", "many <nil>", "many 41 elements", "enum not-in-the-enum", "text 9 runes", "text 2 runes", "no text", "many of another type"} {
		if seen[text] == 0 {
			t.Errorf("no object has %s", text)
		}
	}
}

// TestValues checks which values the fields of valid objects have, and that those at
// limits have both limits.
func TestValues(t *testing.T) {
	target, _ := target(t)
	seen := map[generate.Class]map[string]int{}
	for _, class := range []generate.Class{generate.Valid, generate.Boundary} {
		seen[class] = map[string]int{}
		for _, obj := range objects(target, class, 600) {
			spec, _ := obj["spec"].(map[string]any)
			for name, v := range spec {
				seen[class][name+" "+described(v)]++
			}
		}
	}
	for class, want := range map[generate.Class][]string{
		generate.Valid: {
			"text 3 runes", "number -3", "enum one", "enum two", "flag <nil>", "flag true", "flag false", "both 4", "both 5", "both 6",
			"set 1 elements", "set 2 elements", "map 0 elements", "map 3 elements", "entries 1 members", "entries 3 members", "fraction 0.5", "fraction 2.5", "fraction 1.5",
			"either 3 runes", "choice 2 members", "resource 2 members", "resource 3 members",
		},
		generate.Boundary: {"text 8 runes", "text 3 runes", "number -3", "above 6", "fraction 0.5", "fraction 2.5", "set 1 elements", "set 4 elements", "map 0 elements", "map 3 elements", "entries 1 members", "both 4", "both 6"},
	} {
		for _, text := range want {
			if seen[class][text] == 0 {
				t.Errorf("%s: no object has %s", class, text)
			}
		}
	}
	for text := range seen[generate.Boundary] {
		if name, _, _ := strings.Cut(text, " "); name == "fraction" && text != "fraction 0.5" && text != "fraction 2.5" {
			t.Errorf("an object at limits has %s", text)
		}
	}
	for text := range seen[generate.Valid] {
		if slices.Contains([]string{"text 2 runes", "text 9 runes", "set 0 elements", "map 4 elements", "entries 0 members", "entries 4 members", "choice 1 members", "choice 3 members", "above 5", "both 3", "both 7"}, text) {
			t.Errorf("a valid object has %s", text)
		}
	}
}

func described(v any) string {
	switch v := v.(type) {
	case string:
		if v == "one" || v == "two" {
			return v
		}
		return fmt.Sprint(utf8.RuneCountInString(v), " runes")
	case []any:
		return fmt.Sprint(len(v), " elements")
	case map[string]any:
		return fmt.Sprint(len(v), " members")
	}
	return fmt.Sprint(v)
}

func TestSameSeedSameObjects(t *testing.T) {
	target, _ := target(t)
	for _, class := range []generate.Class{generate.Valid, generate.Boundary, generate.Fault, generate.Hostile} {
		if diff := cmp.Diff(fmt.Sprint(objects(target, class, 50)), fmt.Sprint(objects(target, class, 50))); diff != "" {
			t.Errorf("%s: %s", class, diff)
		}
	}
}

func TestSamples(t *testing.T) {
	target, _ := target(t)
	sample := func() map[string]any {
		return map[string]any{
			"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "sample"},
			"spec": map[string]any{
				"text": "sampled", "entries": map[string]any{"some": int64(77)},
				"map": []any{map[string]any{"k": "a", "v": int64(88)}}, "flag": nil,
			},
		}
	}
	mine, other := sample(), sample()
	other["apiVersion"] = "example.com/v2"
	other["spec"].(map[string]any)["text"] = "foreign"
	texts := map[string]int{}
	count := func(list []map[string]any, wanted ...string) {
		for _, obj := range list {
			all := fmt.Sprint(obj)
			for _, text := range wanted {
				if strings.Contains(all, text) {
					texts[text]++
				}
			}
		}
	}
	count(objects(target, generate.Valid, 200, mine, other), "sampled", ":77", "v:88", "foreign")
	count(objects(target, generate.Hostile, 100, mine, other), "name:sample", "foreign")
	count(objects(target, generate.Fault, 100, mine, other), "foreign")
	for _, text := range []string{"sampled", ":77", "v:88", "name:sample"} {
		if texts[text] < 5 {
			t.Errorf("%d objects have %s of the sample", texts[text], text)
		}
	}
	if texts["foreign"] > 0 {
		t.Error("an object has a value of a sample of another version")
	}
	if diff := cmp.Diff(sample(), mine); diff != "" {
		t.Errorf("the sample changed:\n%s", diff)
	}
}

func TestMutate(t *testing.T) {
	target, _ := target(t)
	rng := rand.New(rand.NewPCG(5, 5))
	changed, renamed := 0, 0
	for _, obj := range objects(target, generate.Valid, 400) {
		before := testkit.Clone(obj)
		got := testkit.Mutate(rng, obj)
		if diff := cmp.Diff(before, obj); diff != "" {
			t.Fatalf("the object changed:\n%s", diff)
		}
		if got["apiVersion"] != obj["apiVersion"] || got["kind"] != obj["kind"] {
			t.Fatalf("%v %v", got["apiVersion"], got["kind"])
		}
		if !cmp.Equal(got["spec"], obj["spec"]) {
			changed++
		}
		if !cmp.Equal(got["metadata"], obj["metadata"]) {
			renamed++
		}
	}
	if changed < 300 || renamed < 30 || renamed > 130 {
		t.Errorf("%d specs and %d metadata changed, of 400", changed, renamed)
	}
}
