package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/validation"
)

// A server judges requests on the objects of one version and counts them.
type server struct {
	version  *crdkit.Version
	requests int
}

func (s *server) judge(ctx context.Context, c search.Case) (validation.ErrorList, bool, error) {
	s.requests++
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	obj := &unstructured.Unstructured{Object: c.Object}
	do := func() (*crdkit.Result, error) { return s.version.Create(ctx, obj) }
	if c.Old != nil {
		update := s.version.Update
		if c.Status {
			update = s.version.UpdateStatus
		}
		do = func() (*crdkit.Result, error) { return update(ctx, obj, &unstructured.Unstructured{Object: c.Old}) }
	}
	result, err := do()
	if err != nil {
		return nil, false, err
	}
	return result.Errors, result.Refusal != nil, nil
}

// spaceOf returns the space of objects whose spec and status have schemas, with the
// server that judges them.
func spaceOf(t *testing.T, spec, status string) (*search.Space, *server) {
	t.Helper()
	text := "metadata: {name: as.example.org}\nspec: {group: example.org, scope: Cluster, names: {plural: as, singular: a, kind: A, listKind: AList}, " +
		"versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: " +
		"{type: object, required: [spec], properties: {spec: {type: object, " + spec + "}, status: {type: object, " + status + "}}}}}]}\n"
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{version: d.Storage()}
	return search.New(s.version.Schema(), search.Head{APIVersion: "example.org/v1", Kind: "A", HasStatus: true}, s.judge), s
}

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 0)) }

// TestBreak breaks each target of schemas. The record has the request without its head
// and the errors, or the cause.
func TestBreak(t *testing.T) {
	var got strings.Builder
	for _, tt := range []struct{ name, spec, status string }{
		{"keywords", `properties: {a: {type: integer, minimum: 2, multipleOf: 4}, b: {type: string, pattern: ^a+$, maxLength: 3}, c: {type: array, maxItems: 2, items: {type: string, enum: [x]}}, d: {type: object, minProperties: 1, additionalProperties: {type: integer, maximum: 1}}}, required: [a]`, ""},
		{"rules", `properties: {a: {type: integer}, b: {type: string, maxLength: 9}}, required: [a], x-kubernetes-validations: [{rule: self.a != 7}, {rule: self.a >= oldSelf.a}, {rule: "has(self.b)", optionalOldSelf: true}]`, ""},
		{"status", "", `properties: {a: {type: integer, maximum: 3}}, x-kubernetes-validations: [{rule: self.a != 2}]`},
		{"anyOf", `properties: {p: {type: string}, q: {type: string}}, anyOf: [{required: [p]}, {required: [q], properties: {q: {enum: [x]}}}]`, ""},
		{"oneOf", `properties: {p: {type: string}, q: {type: string}}, oneOf: [{required: [p]}, {required: [q], properties: {q: {maxLength: 2}}}]`, ""},
		{"allOf", `properties: {p: {type: integer}}, required: [p], allOf: [{properties: {p: {minimum: 3}}}, {properties: {p: {maximum: 5}}}, {anyOf: [{properties: {p: {multipleOf: 2}}}]}]`, ""},
		{"not", `properties: {p: {type: string}}, not: {required: [p], properties: {p: {enum: [x]}}}`, ""},
		{"branches of elements", `properties: {l: {type: array, maxItems: 3, items: {type: object, properties: {p: {type: string}}, anyOf: [{properties: {p: {pattern: ^a}}}]}}, m: {type: object, additionalProperties: {type: string, anyOf: [{minLength: 2}]}}}`, ""},
		{"a branch that the server never reports", `properties: {p: {type: integer}}, required: [p], anyOf: [{properties: {p: {maximum: 3}}}, {properties: {p: {maximum: 3}}}]`, ""},
	} {
		space, server := spaceOf(t, tt.spec, tt.status)
		fmt.Fprintf(&got, "%s\n", tt.name)
		for _, target := range search.Targets(server.version.Schema()) {
			fmt.Fprintf(&got, "  %s\n    %s\n", describe(target), broken(t, space, server, target))
		}
	}
	testkit.Recorded(t, "testdata/break.txt", got.String())
}

func describe(t search.Target) string {
	if t.Keyword == "" {
		return fmt.Sprintf("%s rule %d", t.SchemaPointer, t.Rule)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", t.SchemaPointer, t.Keyword, t.Name))
}

// broken returns the request that breaks a target with its errors, or the cause.
func broken(t *testing.T, space *search.Space, s *server, target search.Target) string {
	t.Helper()
	c, err := space.Break(t.Context(), seeded(1), target)
	if _, ok := errors.AsType[*search.Unreachable](err); ok {
		return err.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	text := bodyText(t, c.Object)
	if c.Old != nil {
		text = bodyText(t, c.Old) + " -> " + text
	}
	if c.Status {
		text = "status " + text
	}
	errs, _, err := s.judge(t.Context(), *c)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errs {
		text += "\n    " + e.Error()
	}
	return text
}

// bodyText returns the JSON of spec and status.
func bodyText(t *testing.T, obj map[string]any) string {
	t.Helper()
	body := map[string]any{}
	for _, name := range []string{"spec", "status"} {
		if v, ok := obj[name]; ok {
			body[name] = v
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBreakUnreachable says why nothing breaks a rule.
func TestBreakUnreachable(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		target     search.Target
		want       string
	}{
		{"always true", `x-kubernetes-validations: [{rule: " true "}]`, search.Target{SchemaPointer: "/properties/spec"}, "the rule is always true"},
		{"implied by the schema", `properties: {a: {type: integer, maximum: 3}}, required: [a], x-kubernetes-validations: [{rule: self.a < 5}]`,
			search.Target{SchemaPointer: "/properties/spec"}, "it breaks only with others: spec.a: Invalid value: "},
		{"a value that cannot be", `properties: {a: {type: object, maxProperties: 0, required: [b], properties: {b: {type: integer}}}}`,
			search.Target{SchemaPointer: "/properties/spec/properties/a", Rule: -1, Keyword: "required", Name: "b"}, "no admitted object has the value"},
		{"no such schema", ``, search.Target{SchemaPointer: "/properties/spec/properties/a", Rule: -1, Keyword: "enum"}, "the version has no such rule or keyword"},
		{"a pointer that ends early", ``, search.Target{SchemaPointer: "/properties", Rule: -1, Keyword: "enum"}, "the version has no such rule or keyword"},
		{"no such rule", `x-kubernetes-validations: [{rule: self == self}]`, search.Target{SchemaPointer: "/properties/spec", Rule: 1}, "the version has no such rule or keyword"},
		{"within not", `properties: {p: {type: string}}, not: {required: [p]}`,
			search.Target{SchemaPointer: "/properties/spec/not", Rule: -1, Keyword: "required", Name: "p"}, "it is within not, of which the server reports no keyword"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			space, _ := spaceOf(t, tt.spec, "")
			_, err := space.Break(t.Context(), seeded(1), tt.target)
			if _, ok := errors.AsType[*search.Unreachable](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestAdmitted generates objects that are admitted although most are refused at first.
func TestAdmitted(t *testing.T) {
	space, server := spaceOf(t, `properties: {a: {type: integer, minimum: 3}, b: {type: string}, c: {type: integer}}, required: [a], x-kubernetes-validations: [{rule: self.a % 5 == 2}, {rule: "!has(self.b) || self.b.startsWith('x-')"}, {rule: "has(self.c) && self.c > self.a"}]`, "")
	var texts [2][]string
	for i := range texts {
		rng := seeded(3)
		for range 10 {
			obj, err := space.Admitted(t.Context(), rng)
			if err != nil {
				t.Fatal(err)
			}
			if errs, refused, err := server.judge(t.Context(), search.Case{Object: obj}); err != nil || refused || len(errs) > 0 {
				t.Errorf("%v: %v, refused %v, %v", obj, errs, refused, err)
			}
			texts[i] = append(texts[i], bodyText(t, obj))
		}
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("the same seed gives other objects:\n%s", diff)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(texts[0])))); n < 5 {
		t.Errorf("%d different objects of 10", n)
	}
	space, server = spaceOf(t, `properties: {a: {type: integer}}, required: [a], x-kubernetes-validations: [{rule: self.a > 1 && self.a < 0}]`, "")
	if _, err := space.Admitted(t.Context(), seeded(1)); err == nil || err.Error() != "no admitted object was found" {
		t.Errorf("got %v, want an error", err)
	}
	if server.requests > 40_000 {
		t.Errorf("the search made %d requests", server.requests)
	}
}

// TestContext ends searches with the error of the judge.
func TestContext(t *testing.T) {
	space, server := spaceOf(t, `properties: {a: {type: integer, maximum: 3}}`, "")
	target := search.Targets(server.version.Schema())[1]
	if _, err := space.Break(testkit.EndingContext(20), seeded(1), target); err == nil {
		t.Error("Break does not end with the context")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := space.Admitted(ctx, seeded(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Admitted: %v", err)
	}
}

// TestWorkIsBounded searches in schemas with so many alternatives that a search finds
// nothing. It ends at its limit, and no object that it asks about is larger than the
// limit of objects.
func TestWorkIsBounded(t *testing.T) {
	var oneOf, required, names, lists []string
	for i := range 20 {
		oneOf = append(oneOf, fmt.Sprintf("{oneOf: [{required: [a%d, b%d]}, {required: [b%[1]d, c%[1]d]}, {required: [a%[1]d, c%[1]d]}]}", i, i))
		required = append(required, fmt.Sprintf("{required: [a%d]}, {required: [b%[1]d]}, {required: [c%[1]d]}", i))
		names = append(names, fmt.Sprintf("a%d: {type: string}, b%[1]d: {type: string}, c%[1]d: {type: string}", i))
		lists = append(lists, fmt.Sprintf("l%d", i))
	}
	nested := "{type: string, minLength: 4000}"
	for range 4 {
		nested = "{type: array, minItems: 1000000, items: " + nested + "}"
	}
	for _, tt := range []struct{ name, spec, want string }{
		{"conditions that exclude each other", "allOf: [" + strings.Join(oneOf, ", ") + ", {not: {required: [a1]}}, {not: {required: [b1]}}], properties: {" + strings.Join(names, ", ") + "}", "limit"},
		{"one of many", "oneOf: [" + strings.Join(required, ", ") + "], required: [a1, b2], properties: {" + strings.Join(names, ", ") + "}", "limit"},
		{"large lists", "required: [" + strings.Join(lists, ", ") + "], additionalProperties: " + nested, "limit"},
		{"texts that double", `required: [s], properties: {s: {type: string}}, x-kubernetes-validations: [{rule: "self.s.size() > 100000000"}]`, "no admitted object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, s := spaceOf(t, tt.spec, "")
			largest := 0
			space := search.New(s.version.Schema(), search.Head{APIVersion: "example.org/v1", Kind: "A"}, func(ctx context.Context, c search.Case) (validation.ErrorList, bool, error) {
				largest = max(largest, len(testkit.Encode(c.Object)))
				return s.judge(ctx, c)
			})
			_, err := space.Admitted(t.Context(), rand.New(rand.NewPCG(1, 1)))
			if unreachable, ok := errors.AsType[*search.Unreachable](err); !ok || !strings.Contains(unreachable.Cause, tt.want) {
				t.Errorf("got %v, want an error about %q", err, tt.want)
			}
			t.Logf("%d requests, the largest object has %d bytes", s.requests, largest)
			if s.requests > 200_000 || largest > 1<<20 {
				t.Errorf("%d requests, and an object of %d bytes", s.requests, largest)
			}
		})
	}
}
