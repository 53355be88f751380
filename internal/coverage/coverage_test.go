package coverage_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

const text = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: as, kind: A}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [a]
        x-kubernetes-validations:
        - rule: self.a > 0 || self.b == 'x'
        - rule: self.a >= oldSelf.a
        properties:
          a: {type: integer, minimum: -1, maximum: 10}
          b: {type: string, enum: [x, y], pattern: ^.$}
          c:
            anyOf: [{type: integer, maximum: 3}, {type: string}]
            oneOf: [{required: [p]}, {required: [q]}, {not: {type: object}}]
            not: {enum: [7]}
            x-kubernetes-preserve-unknown-fields: true
          l:
            type: array
            maxItems: 2
            items: {type: object, properties: {m: {type: integer}}, x-kubernetes-validations: [{rule: self.m / 0 == 1}]}
          e: {type: object, additionalProperties: {type: string, minLength: 0}}
`

func source(t *testing.T) coverage.Source {
	t.Helper()
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return coverage.Source{CRD: crd, Text: []byte(text)}
}

// counts returns the goals with a count, in the form "rule /pointer true 1".
func counts(p *coverage.Profile) []string {
	var out []string
	for _, d := range p.Definitions {
		for _, v := range d.Versions {
			for _, point := range v.Points {
				for _, g := range point.Goals {
					if g.Count > 0 && point.Kind != coverage.Field {
						name := strings.ReplaceAll(point.Pointer, "x-kubernetes-validations", "rules")
						if point.Kind == coverage.Term {
							name = point.Text
						}
						out = append(out, fmt.Sprint(point.Kind, " ", name, " ", g.Name, " ", g.Count))
					}
				}
			}
		}
	}
	return out
}

func TestObserve(t *testing.T) {
	for _, tt := range []struct {
		name, object, old string
		rules             bool
		want              string
	}{
		{"rules that are not evaluated", `{a: 0, b: x}`, ``, false, `required /required/0 present 1
bound /properties/a/minimum above 1
bound /properties/a/maximum below 1
enum /properties/b/enum/0 given 1
pattern /properties/b/pattern matched 1`},
		{"rules", `{a: 10}`, `{a: 10}`, true, `rule /rules/0/rule true 1
term self.a > 0 true 1
rule /rules/1/rule true 1
required /required/0 present 1
bound /properties/a/minimum above 1
bound /properties/a/maximum at 1`},
		{"a rule that is false", `{a: -1, b: yy}`, `{a: 1}`, true, `rule /rules/0/rule false 1
term self.a > 0 false 1
term self.b == 'x' false 1
rule /rules/1/rule false 1
required /required/0 present 1
bound /properties/a/minimum at 1
bound /properties/a/maximum below 1
enum /properties/b/enum another value 1
pattern /properties/b/pattern not matched 1`},
		{"a rule that ends with an error", `{a: 1, l: [{m: 1}, {m: 2}]}`, ``, true, `rule /rules/0/rule true 1
term self.a > 0 true 1
rule /properties/l/items/rules/0/rule error 2
required /required/0 present 1
bound /properties/a/minimum above 1
bound /properties/a/maximum below 1
bound /properties/l/maxItems at 1`},
		{"branches", `{c: {p: 1}}`, ``, false, `required /required/0 missing 1
branch /properties/c/anyOf refused 1
branch /properties/c/oneOf/0 satisfied 1
branch /properties/c/not not satisfied 1`},
		{"several branches", `{c: {p: 1, q: 1}}`, ``, false, `required /required/0 missing 1
branch /properties/c/anyOf refused 1
branch /properties/c/oneOf/0 satisfied 1
branch /properties/c/oneOf/1 satisfied 1
branch /properties/c/oneOf refused 1
branch /properties/c/not not satisfied 1`},
		{"not", `{c: 7, e: {x: ""}}`, ``, false, `required /required/0 missing 1
branch /properties/c/anyOf refused 1
branch /properties/c/oneOf/0 satisfied 1
branch /properties/c/oneOf/1 satisfied 1
branch /properties/c/oneOf/2 satisfied 1
branch /properties/c/oneOf refused 1
branch /properties/c/not satisfied 1
bound /properties/e/additionalProperties/minLength at 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := coverage.NewRecorder()
			req := coverage.Request{Object: object(t, tt.object), Rules: tt.rules}
			if tt.old != "" {
				req.Old = object(t, tt.old)
			}
			if err := r.Observe(t.Context(), source(t), "v1", req); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.Join(counts(r.Profile()), "\n")); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	obj, err := testkit.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// TestMerge writes, reads and merges records.
func TestMerge(t *testing.T) {
	r := coverage.NewRecorder()
	first, second := source(t), source(t) // loaded by two tests
	for _, s := range []coverage.Source{first, second} {
		if err := r.Observe(t.Context(), s, "v1", coverage.Request{Object: object(t, `{a: 1}`), Rules: true}); err != nil {
			t.Fatal(err)
		}
	}
	p := r.Profile()
	if got := p.Definitions[0].Versions[0].Requests; len(p.Definitions) != 1 || got != 2 {
		t.Fatalf("%d definitions, %d requests, want 1 and 2", len(p.Definitions), got)
	}
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "cover.json")
	write(t, name, b.Bytes())
	again, err := coverage.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	again.Merge(p)
	if got := again.Definitions[0].Versions[0].Requests; got != 4 {
		t.Errorf("%d requests after a merge, want 4", got)
	}
	if got := counts(again)[0]; got != "rule /rules/0/rule true 4" {
		t.Errorf("after a merge %s, want 4", got)
	}
	changed := r.Profile()
	changed.Definitions[0].Text += "# changed\n"
	again.Merge(changed)
	if got := again.Definitions[0].Versions[0].Requests; len(again.Definitions) != 1 || got != 2 {
		t.Errorf("%d definitions, %d requests of a changed text, want 1 and 2", len(again.Definitions), got)
	}
}

func TestObserveFails(t *testing.T) {
	r := coverage.NewRecorder()
	if err := r.Observe(t.Context(), source(t), "v2", coverage.Request{}); err == nil {
		t.Error("there is no error for a version that does not exist")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Observe(ctx, source(t), "v1", coverage.Request{Object: object(t, `{a: 1}`), Rules: true}); err == nil {
		t.Error("there is no error after the end of the context")
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
