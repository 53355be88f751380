package cel_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// An expressionGroup is an entry of testdata/expressions.yaml: rules for the
// root of one schema, with the server's result of each rule on one object. Want
// is "true", "false", or the text of the error.
type expressionGroup struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Object json.RawMessage `json:"object"`
	Rules  []struct {
		Rule string `json:"rule"`
		Want string `json:"want"`
		Cost uint64 `json:"cost"`
	} `json:"rules"`
}

func expressionGroups(t testing.TB) []expressionGroup {
	t.Helper()
	data, err := os.ReadFile("testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var groups []expressionGroup
	if err := yaml.UnmarshalStrict(data, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// ruleSchema returns the schema with one rule at its root.
func ruleSchema(t testing.TB, text []byte, rule string, opts ...schema.Option) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &props); err != nil {
		t.Fatal(err)
	}
	props.Type = "object"
	props.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
	n, errs := schema.Compile(&props, opts...)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

func TestExpressions(t *testing.T) {
	for _, g := range expressionGroups(t) {
		obj := decode(t, string(g.Object))
		for _, r := range g.Rules {
			t.Run(g.Name+"/"+r.Rule, func(t *testing.T) {
				for path, opts := range paths {
					got, cost := outcome(ruleSchema(t, g.Schema, r.Rule), r.Rule, obj, opts...)
					if got != r.Want || cost != r.Cost {
						t.Errorf("%s: Eval = %q at cost %d, want %q at %d", path, got, cost, r.Want, r.Cost)
					}
				}
				got, cost := outcome(ruleSchema(t, g.Schema, r.Rule), r.Rule, obj, celcost.Given{AtFirstUse: true})
				if got = strings.TrimPrefix(got, "rule compile error: "); got != r.Want || cost != r.Cost {
					t.Errorf("lazy: Eval = %q at cost %d, want %q at %d", got, cost, r.Want, r.Cost)
				}
			})
		}
	}
}

// paths are the options that select each implementation.
var paths = map[string][]cel.Option{"fast": nil, "reference": {testopt.Reference{}}}

// outcome compiles the only rule of n and runs it.
func outcome(n *schema.Node, rule string, obj map[string]any, opts ...cel.Option) (string, uint64) {
	p, errs := cel.Compile(n, opts...)
	if len(errs) > 0 {
		return errs[0].Detail, 0
	}
	res := p.Eval(context.Background(), obj)
	switch {
	case len(res.Errors) == 0:
		return "true", res.Cost
	case res.Errors[0].Detail == "failed rule: "+strings.TrimSpace(rule):
		return "false", res.Cost
	}
	return res.Errors[0].Detail, res.Cost
}

// FuzzEval runs the rules of the table on other objects. Nothing may panic. The
// fast and the reference implementation must have the same outcome and cost.
// The reference has a schema without shared nodes, a context that can be
// canceled, and an old object that shares no memory. The test also tries limits
// at the cost of the first run, a little less and a little more.
func FuzzEval(f *testing.F) {
	groups := expressionGroups(f)
	for i, g := range groups {
		for k := range g.Rules {
			f.Add(i, k, []byte(g.Object))
		}
	}
	fuzz.Run(f, func(t *testing.T, group, rule int, data []byte) {
		obj, err := testkit.Decode(data)
		if err != nil || obj == nil || group < 0 || group >= len(groups) {
			return
		}
		g := groups[group]
		if rule < 0 || rule >= len(g.Rules) {
			return
		}
		text := g.Rules[rule].Rule
		p, errs := cel.Compile(ruleSchema(t, g.Schema, text))
		if p == nil {
			if len(errs) == 0 {
				t.Fatal("neither a program nor errors")
			}
			return
		}
		first := p.Eval(context.Background(), obj, cel.Old(obj))
		unshared, _ := cel.Compile(ruleSchema(t, g.Schema, text, testopt.Unshared{}), testopt.Reference{})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		second := unshared.Eval(ctx, obj, cel.Old(testkit.Clone(obj)))
		if hasMaps(obj) {
			return // iteration within a rule is in the order of the Go map
		}
		if a, b := lines(first.Errors), lines(second.Errors); a != b || first.Cost != second.Cost {
			t.Errorf("two runs differ: cost %d and %d\n%s\n%s", first.Cost, second.Cost, a, b)
		}
		for units := max(first.Cost, 1) - 1; units <= first.Cost+1; units++ {
			a := p.Eval(context.Background(), obj, cel.Budget(units))
			b := unshared.Eval(ctx, obj, cel.Budget(units))
			if lines(a.Errors) != lines(b.Errors) || a.Cost != b.Cost {
				t.Errorf("two runs with a budget of %d differ: cost %d and %d\n%s\n%s", units, a.Cost, b.Cost, lines(a.Errors), lines(b.Errors))
			}
		}
	})
}

// hasMaps reports whether an object has maps with several entries below the
// root.
func hasMaps(obj map[string]any) bool {
	var found func(v any) bool
	found = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			if len(v) > 1 {
				return true
			}
			for _, e := range v {
				if found(e) {
					return true
				}
			}
		case []any:
			for _, e := range v {
				if found(e) {
					return true
				}
			}
		}
		return false
	}
	for _, v := range obj {
		if found(v) {
			return true
		}
	}
	return false
}
