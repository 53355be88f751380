package cel_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

func compile(t testing.TB, text string, opts ...cel.Option) *cel.Program {
	t.Helper()
	p, errs := cel.Compile(compileSchema(t, text), opts...)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return p
}

func TestNoRules(t *testing.T) {
	for name, n := range map[string]*schema.Node{"nil": nil, "no rules": compileSchema(t, "{type: object}")} {
		p, errs := cel.Compile(n)
		if p != nil || errs != nil {
			t.Errorf("%s: Compile = %v, %v", name, p, errs)
		}
		obj := map[string]any{"a": int64(1)}
		allocs := testing.AllocsPerRun(100, func() { p.Eval(context.Background(), obj) })
		if allocs != 0 {
			t.Errorf("%s: Eval without rules allocates %v times", name, allocs)
		}
		if res := p.Eval(context.Background(), obj, cel.Old(obj), cel.Budget(0)); len(res.Errors)+len(res.Ratcheted) > 0 || res.Cost != 0 {
			t.Errorf("%s: Eval without rules = %+v", name, res)
		}
	}
}

func TestAtPath(t *testing.T) {
	n := compileSchema(t, "{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: self > 1}]}}}")
	_, errs := cel.Compile(n, cel.AtPath(field.NewPath("spec", "schema")))
	if len(errs) != 1 || errs[0].Field != "spec.schema.properties[a].x-kubernetes-validations[0].rule" {
		t.Errorf("Compile errors = %v", errs)
	}
}

func TestFragment(t *testing.T) {
	const text = "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: has(self.kind)}]}"
	if _, errs := cel.Compile(compileSchema(t, text), celcost.Given{Fragment: true}); len(errs) != 1 {
		t.Errorf("a fragment has a kind: %v", errs)
	}
	compile(t, text)
}

// TestEvalOfDefault: a default is its own old value, and its errors are not ratcheted.
func TestEvalOfDefault(t *testing.T) {
	p := compile(t, `
type: object
properties:
  s: {type: string, x-kubernetes-validations: [{rule: self == 'a', message: a}, {rule: self != oldSelf, message: changes}]}
`)
	res := p.Eval(context.Background(), map[string]any{"s": "b"}, celcost.Default{})
	if got, want := lines(res.Errors), "Invalid value | s | a | \"b\" | /s | /properties/s | 0\nInvalid value | s | changes | \"b\" | /s | /properties/s | 1\n"; got != want || len(res.Ratcheted) > 0 {
		t.Errorf("Eval: got\n%swant\n%s", got, want)
	}
	if res := p.Eval(context.Background(), nil, celcost.Default{}); len(res.Errors) > 0 {
		t.Errorf("Eval(nil) = %v", res.Errors)
	}
}

func TestCancel(t *testing.T) {
	p := compile(t, `
type: object
properties: {l: {type: array, items: {type: integer}}}
x-kubernetes-validations: [{rule: "self.l.all(x, self.l.all(y, x + y >= 0))"}, {rule: "self.l.size() == 0", message: next}]
`)
	list := make([]any, 40)
	for i := range list {
		list[i] = int64(i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := lines(p.Eval(ctx, map[string]any{"l": list}).Errors)
	want := "Invalid value | <nil> | operation interrupted: context canceled | \"object\" |  |  | -1\n"
	if got != want {
		t.Errorf("Eval with a cancelled context: got\n%swant\n%s", got, want)
	}
	var none context.Context
	if got := lines(p.Eval(none, map[string]any{"l": list}).Errors); strings.Contains(got, "interrupted") {
		t.Errorf("Eval without a context: %s", got)
	}
}

// TestConcurrent compiles and evaluates in several goroutines. Programs share
// an environment, which the race detector watches.
func TestConcurrent(t *testing.T) {
	groups := expressionGroups(t)
	var wg sync.WaitGroup
	for range 2 {
		for _, g := range groups {
			wg.Add(1)
			go func() {
				defer wg.Done()
				obj, _ := testkit.Decode(g.Object)
				for _, r := range g.Rules[:min(6, len(g.Rules))] {
					n := ruleSchema(t, g.Schema, r.Rule)
					if got, cost := outcome(n, r.Rule, obj); got != r.Want || cost != r.Cost {
						t.Errorf("%s: %q at cost %d, want %q at %d", r.Rule, got, cost, r.Want, r.Cost)
					}
				}
			}()
		}
	}
	wg.Wait()

	p := compile(t, benchmarks[0].schema)
	obj := decode(t, benchmarks[0].object)
	want := p.Eval(context.Background(), obj)
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got := p.Eval(context.Background(), obj, cel.Old(obj))
			if lines(got.Errors) != lines(want.Errors) {
				t.Errorf("concurrent Eval: %s", lines(got.Errors))
			}
		}()
	}
	wg.Wait()
}

// TestShared evaluates a program whose schema has shared nodes.
func TestShared(t *testing.T) {
	const text = `
type: object
properties:
  a: {type: object, properties: {x: {type: string, x-kubernetes-validations: [{rule: self == 'x'}]}, z: {type: string}}, x-kubernetes-validations: [{rule: self.x != self.z}]}
  b: {type: object, properties: {x: {type: string, x-kubernetes-validations: [{rule: self == 'x'}]}, z: {type: string}}, x-kubernetes-validations: [{rule: self.x != self.z}]}
`
	n := compileSchema(t, text)
	if n.Property("a") != n.Property("b") {
		t.Fatal("the nodes are not shared")
	}
	p, _ := cel.Compile(n)
	got := p.Eval(context.Background(), decode(t, "{a: {x: v, z: v}, b: {x: x, z: x}}"))
	want := `Invalid value | a | failed rule: self.x != self.z | omitted | /a | /properties/a | 0
Invalid value | a.x | failed rule: self == 'x' | "v" | /a/x | /properties/a/properties/x | 0
Invalid value | b | failed rule: self.x != self.z | omitted | /b | /properties/b | 0
`
	if lines(got.Errors) != want {
		t.Errorf("Eval: got\n%swant\n%s", lines(got.Errors), want)
	}

	// Equal schemas at different locations have different types.
	bad := strings.Replace(text, "type: object\n", "type: object\nx-kubernetes-validations: [{rule: self.a == self.b}]\n", 1)
	_, errs := cel.Compile(compileSchema(t, bad))
	if len(errs) != 1 || !strings.Contains(errs[0].Detail, "(selfType.a, selfType.b)") {
		t.Errorf("Compile errors = %v", errs)
	}
}

func TestCorpusCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all rules of the corpus")
	}
	c := testkit.FindCorpus(t)
	for _, d := range c.Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			n, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
			if len(errs) > 0 {
				continue
			}
			if _, errs := cel.Compile(n); len(errs) > 0 {
				t.Errorf("%s %s: %v", d.Path, v.Name, errs.ToAggregate())
			}
		}
	}
}

// TestWrongVersion checks that an unknown version of Kubernetes is an error,
// with rules and without.
func TestWrongVersion(t *testing.T) {
	for version, ok := range map[string]bool{"": true, "1.29": true, "v1.37.1": true, "1.28": false, "1.38": false, "latest": false} {
		for _, text := range []string{`{type: object}`, `{type: object, x-kubernetes-validations: [{rule: self == self}]}`} {
			n, opt := compileSchema(t, text), cel.KubernetesVersion(version)
			p, errs := cel.Compile(n, opt, celcost.Given{AtFirstUse: true})
			if (len(errs) == 0) != ok || p != nil && !ok {
				t.Errorf("Compile at %q: %v, %v", version, p, errs)
			}
			if errs := cel.Check(n, opt, cel.AtPath(field.NewPath("spec"))); (len(errs) == 0) != ok || !ok && errs[0].Field != "spec" {
				t.Errorf("Check at %q: %v", version, errs)
			}
			if r := cel.Estimate(n, opt); (r.Problem == "") != ok {
				t.Errorf("Estimate at %q: %q", version, r.Problem)
			}
		}
	}
}

// TestMapsAsKeys checks that a map as a key is not a duplicate of a key of the result.
func TestMapsAsKeys(t *testing.T) {
	p := compile(t, `
type: object
x-kubernetes-validations: [{rule: "{dyn('a'): 1, dyn({dyn('a'): 1, dyn({'x': 1, 'y': 2}): 2}): 2}.transformMap(k, v, v).size() == 2"}]
`)
	if errs := p.Eval(t.Context(), map[string]any{}).Errors; len(errs) > 0 {
		t.Error(errs)
	}
}

// TestTextsOfValues checks that errors that print a value are the same in each run.
func TestTextsOfValues(t *testing.T) {
	repeat := func(key string) string {
		return "[" + key + "].all(k, [1, 2].transformMapEntry(i, v, {k: v}) == {})"
	}
	for rule, want := range map[string]string{
		repeat("self"):             "key part of the object already",
		repeat("{'b': 2, 'a': 1}"): "key {a: 1, b: 2} already",
		repeat("[[self]]"):         "key [[part of the object]] already",
		repeat("'a'"):              "key a already",
		repeat("[[1]]"):            "key [[1]] already",
		"[dyn({'y': [2]}), dyn([1])].all(k, [dyn({'b': 2}), dyn([0])].all(l, [1, 2].transformMapEntry(i, v, {k: v, l: v}) == {}))": "key {b: 2} already",
		"'%s'.format([{?'a': dyn({'d': 2, 'c': 1})}]) == ''":                                                                       "entry 'a' from non-optional value {c: 1, d: 2} evaluating",
		"'%s'.format([[?dyn({'d': 2, 'c': 1})]]) == ''":                                                                            "element from non-optional value {c: 1, d: 2} evaluating",
		"google.protobuf.Int64Value{?value: dyn({'d': 2, 'c': 1})} == 1":                                                           "entry 'value' from non-optional value {c: 1, d: 2} evaluating",
		"[dyn(optional.of(3)), dyn({'d': dyn(2), 'c': dyn(self)})].unwrapOpt() == [0]":                                             "value {c: part of the object, d: 2} is not optional evaluating",
		"optional.unwrap([dyn(optional.of(3)), dyn({self: timestamp(0)})]) == [0]":                                                 "value {part of the object: 1970-01-01 00:00:00 +0000 UTC} is not optional evaluating",
		"(dyn(self.l) + dyn([{'d': dyn(2), 'c': dyn(self)}])).join() == ''":                                                        "join: invalid input: {c: part of the object, d: 2} evaluating",
	} {
		p := compile(t, `
type: object
properties: {l: {type: array, items: {type: string}}}
x-kubernetes-validations: [{rule: "`+rule+`"}]
`)
		for range 20 {
			errs := lines(p.Eval(t.Context(), map[string]any{"l": []any{"a"}}).Errors)
			if !strings.Contains(errs, want) {
				t.Errorf("%s: errors are %s, want %q", rule, errs, want)
				break
			}
		}
	}
}
