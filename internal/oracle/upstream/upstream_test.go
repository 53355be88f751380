package upstream

import (
	"flag"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

var corpusDir = flag.String("corpus", "", "directory of definitions and samples")

func corpus(t *testing.T) *testkit.Corpus {
	if *corpusDir != "" {
		t.Setenv("CRDKIT_CORPUS", *corpusDir)
	}
	return testkit.FindCorpus(t)
}

// TestCorpusRuns checks that package upstream compiles every definition of the
// corpus and creates every sample without a panic. Most samples must be valid.
func TestCorpusRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every definition of the corpus")
	}
	c := corpus(t)
	valid, refused, invalid, nameless, without, versions := 0, 0, 0, 0, 0, 0
	for _, d := range c.Definitions {
		def, err := Compile(d.CRD)
		if err != nil {
			t.Errorf("%s: %v", d.Path, err)
			continue
		}
		versions += len(def.Versions)
		for _, s := range d.Samples {
			v := def.Version(s.Version())
			if v == nil {
				without++
				continue
			}
			out := v.Create(Body{Data: testkit.Encode(s.Object), Fields: "Strict"})
			switch {
			case out.Panic != "":
				t.Errorf("%s: panic: %s", s.Path, out.Panic)
			case out.Refusal != "":
				refused++
			case onlyMetadata(out.Errors):
				nameless++
			case len(out.Errors) > 0:
				invalid++
			default:
				valid++
			}
		}
	}
	t.Logf("%d definitions, %d versions; samples: %d valid, %d with invalid metadata only, %d refused, %d invalid, %d of removed versions",
		len(c.Definitions), versions, valid, nameless, refused, invalid, without)
	if len(c.Definitions) == 394 && valid+nameless < 1300 {
		t.Errorf("%d samples of the corpus are valid apart from metadata, want at least 1300", valid+nameless)
	}
}

// onlyMetadata reports whether all errors are about metadata, such as a
// placeholder name. The corpus counts samples with such errors as valid.
func onlyMetadata(errs field.ErrorList) bool {
	for _, e := range errs {
		if !strings.HasPrefix(e.Field, "metadata.") {
			return false
		}
	}
	return len(errs) > 0
}

const widget = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, maximum: 5}
              color: {type: string, default: red}
              note: {type: string}
            x-kubernetes-validations:
            - rule: self.size != 3
              message: three is not a size
          status: {type: object, properties: {seen: {type: integer}}}
`

func widgets(t *testing.T) *Version {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/crd.yaml", []byte(widget), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := testkit.LoadTestdata(dir)
	if err != nil {
		t.Fatal(err)
	}
	def, err := Compile(c.Definitions[0].CRD)
	if err != nil {
		t.Fatal(err)
	}
	return def.Versions[0]
}

func TestCreate(t *testing.T) {
	v := widgets(t)
	const head = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},`
	const stored = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generation":1,"name":"w","namespace":"default"},`
	tests := []struct{ name, spec, object, errors, refusal, warnings string }{
		{name: "pruned, defaulted, status cleared", spec: `"spec":{"size":1,"x":2,"note":null},"status":{"seen":1}}`,
			object: stored + `"spec":{"color":"red","size":1}}`, warnings: `unknown field "spec.x"`},
		{name: "rule", spec: `"spec":{"size":3}}`, object: stored + `"spec":{"color":"red","size":3}}`,
			errors: `Invalid value spec | three is not a size | {} | Invalid value: three is not a size`},
		{name: "values", spec: `"spec":{"size":6}}`, object: stored + `"spec":{"color":"red","size":6}}`,
			errors: `Invalid value spec.size | spec.size in body should be less than or equal to 5 | 6 | Invalid value: 6: spec.size in body should be less than or equal to 5`},
		{name: "metadata", spec: `"metadata":{"name":5}}`,
			refusal: `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := v.Create(Body{Data: []byte(head + tt.spec), Fields: "Warn"})
			check := func(what, got, want string) {
				if !strings.Contains(got, want) || want == "" && got != "" {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			check("errors", strings.Join(Lines(out.Errors), "\n"), tt.errors)
			check("refusal", out.Refusal, tt.refusal)
			check("warnings", strings.Join(out.Warnings, "\n"), tt.warnings)
			if out.Refusal == "" {
				check("object", string(testkit.Encode(out.Object)), tt.object)
			}
		})
	}
}

func TestRead(t *testing.T) {
	out := widgets(t).Read([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":5},"spec":{"size":1,"x":2}}`))
	const want = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generation":1,"name":"w"},"spec":{"color":"red","size":1}}`
	if got := string(testkit.Encode(out.Object)); got != want || out.Refusal != "" {
		t.Errorf("Read: %s %s, want %s", got, out.Refusal, want)
	}
}

func TestRulesCost(t *testing.T) {
	v := widgets(t)
	out := v.Rules(map[string]any{"spec": map[string]any{"size": int64(1)}}, nil)
	if out.Cost <= 0 || out.Exhausted || len(out.Errors) > 0 {
		t.Errorf("Rules: cost %d, exhausted %v, errors %v", out.Cost, out.Exhausted, out.Errors)
	}
}

func TestCatch(t *testing.T) {
	out := Catch(func() Outcome { panic("dunno") })
	if out.Panic != "dunno" {
		t.Errorf("Catch: panic %q, want dunno", out.Panic)
	}
}

func TestSameErrors(t *testing.T) {
	path := field.NewPath("a")
	a := field.ErrorList{field.Required(path, "x selfType123.y"), field.Invalid(path, int64(1), "d")}
	b := field.ErrorList{field.Invalid(path, int64(1), "d"), field.Required(path, "x selfType77.y")}
	if !SameErrors(a, b) {
		t.Errorf("SameErrors of the same errors in another order = false:\n%s", Diff(Lines(a), Lines(b)))
	}
	for name, other := range map[string]field.ErrorList{
		"fewer":  b[:1],
		"detail": {field.Invalid(path, int64(1), "e"), b[1]},
		"value":  {field.Invalid(path, "1", "d"), b[1]},
		"twice":  {b[0], b[0]},
	} {
		if SameErrors(a, other) {
			t.Errorf("SameErrors with %s = true", name)
		}
	}
}
