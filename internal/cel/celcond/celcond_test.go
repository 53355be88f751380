package celcond

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A ruleCase is a case of testdata/rules.yaml.
type ruleCase struct {
	Rule                 string
	Schema               apiextensionsv1.JSONSchemaProps
	Holds, Fails, Errors []any
	Values               []any // on which the conditions do not decide
	Transition, Optional bool
}

// TestRules checks on which values the conditions of a rule hold, and that the rule
// itself has the same outcomes.
func TestRules(t *testing.T) {
	text, err := os.ReadFile("testdata/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []ruleCase
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		t.Run(c.Rule, func(t *testing.T) { c.check(t) })
	}
}

func (c *ruleCase) check(t *testing.T) {
	c.Schema.XValidations = apiextensionsv1.ValidationRules{{Rule: c.Rule}}
	if c.Optional {
		c.Schema.XValidations[0].OptionalOldSelf = &c.Optional
	}
	root := compiled(t, apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": c.Schema}})
	r := New(root, nil).Rule(c.Rule, root.Property("x"), nil)
	if r.Transition != c.Transition {
		t.Errorf("transition rule: %v", r.Transition)
	}
	for outcome, values := range map[string][]any{"holds": c.Holds, "fails": c.Fails, "ends with an error": c.Errors, "is opaque": c.Values} {
		for _, v := range values {
			v = decoded(t, v)
			if got := outcomeOf(&r, v); got != outcome {
				t.Errorf("%v %s, want %s", v, got, outcome)
			}
			if got := evaluated(t, root, v); outcome != "is opaque" && got != outcome {
				t.Errorf("%v: the rule %s, the table says %s", v, got, outcome)
			}
		}
	}
}

// decoded returns a value of a table as a decoder returns it.
func decoded(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if v, err = testkit.DecodeJSON(text); err != nil {
		t.Fatal(err)
	}
	return v
}

func compiled(t *testing.T, props apiextensionsv1.JSONSchemaProps) *schema.Node {
	t.Helper()
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

func solver() *search.Solver { return search.NewSolver(context.Background(), 1<<20) }

// outcomeOf returns what the conditions of a rule say about a value.
func outcomeOf(r *Rule, v any) string {
	s := solver()
	holds, fails := s.Satisfied(r.Holds, v), s.Satisfied(r.Fails, v)
	not, neither := s.Satisfied(search.Not(r.Holds), v), s.Satisfied(search.Not(r.Fails), v)
	switch {
	case holds && !fails && !not && neither:
		return "holds"
	case fails && !holds && !neither && not:
		return "fails"
	case not && neither && !holds && !fails:
		return "ends with an error"
	case !holds && !fails && !not && !neither:
		return "is opaque"
	}
	return fmt.Sprint("is inconsistent: ", holds, fails, not, neither)
}

// evaluated returns the outcome of evaluating the rule of a schema.
func evaluated(t *testing.T, root *schema.Node, v any) string {
	t.Helper()
	program, errs := cel.Compile(root)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	result := program.Eval(context.Background(), map[string]any{"x": v})
	switch {
	case len(result.Errors) == 0:
		return "holds"
	case strings.HasPrefix(result.Errors[0].Detail, "failed rule: "):
		return "fails"
	}
	return "ends with an error"
}
