package cel

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// TestPanicsOfCompiling checks expressions on which cel-go panics before it evaluates
// them: they are errors of the rule, however the rule is compiled. They are also used as
// texts of a messageExpression.
func TestPanicsOfCompiling(t *testing.T) {
	for expression, want := range map[string]string{
		"[?dyn(optional.of(1)), 2].size()":     "compilation failed: internal error: runtime error: index out of range [0] with length 0",
		"[?dyn(self.a)].size()":                "compilation failed: internal error: runtime error: index out of range [0] with length 0",
		"{?'a': dyn(optional.of(1))}.size()":   "compilation failed: internal error: runtime error: index out of range [0] with length 0",
		"{dyn(b'a'): 1}.size()":                "instantiation failed: internal error: runtime error: hash of unhashable type types.Bytes",
		"{'a': {bytes('a'): b''}}.size()":      "instantiation failed: internal error: runtime error: hash of unhashable type types.Bytes",
		"[1].map(x, {dyn(b'a'): 1}).size()":    "instantiation failed: internal error: runtime error: hash of unhashable type types.Bytes",
		"(true ? 1 : {dyn(b'a'): 1}.size())":   "instantiation failed: internal error: runtime error: hash of unhashable type types.Bytes",
		"self.l.map(x, [?dyn(self.a)]).size()": "compilation failed: internal error: runtime error: index out of range [0] with length 0",
	} {
		for _, rule := range []apiextensionsv1.ValidationRule{
			{Rule: expression + " == 1"},
			{Rule: "false", MessageExpression: "string(" + expression + ")"},
		} {
			n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", XValidations: apiextensionsv1.ValidationRules{rule},
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "integer"}, "l": {Type: "array", MaxItems: new(int64(2)),
					Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}}}})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			_, compileErrs := Compile(n)
			report := Estimate(n)
			problem := report.Expressions[len(report.Expressions)-1].Problem
			for caller, got := range map[string]string{"Check": texts(Check(n)), "Compile": texts(compileErrs), "Estimate": problem} {
				if !strings.HasSuffix(got, want) {
					t.Errorf("%+v: %s: got %q, want %q", rule, caller, got, want)
				}
			}
			for _, opts := range [][]Option{{celcost.Given{Stored: true}}, {celcost.Given{Stored: true}, celcost.Given{AtFirstUse: true}}, {celcost.Given{Stored: true}, testopt.Reference{}}} {
				p, errs := Compile(n, opts...)
				if len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				if res := p.Eval(context.Background(), map[string]any{"a": int64(1)}); len(res.Errors) != 1 {
					t.Errorf("%+v: %d errors of an object, want 1", rule, len(res.Errors))
				}
			}
		}
	}
}

func texts(errs field.ErrorList) string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Detail)
	}
	return strings.Join(all, "; ")
}

// TestNoPanics checks that no rule of the table panics on a valid object. The
// recover in package celeval is for invalid objects, as is the recover in
// cel-go.
func TestNoPanics(t *testing.T) {
	data, err := os.ReadFile("testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Schema, Object json.RawMessage
		Rules          []struct{ Rule string }
	}
	if err := yaml.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		obj, err := testkit.Decode(g.Object)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range g.Rules {
			var props apiextensionsv1.JSONSchemaProps
			if err := json.Unmarshal(g.Schema, &props); err != nil {
				t.Fatal(err)
			}
			props.Type, props.XValidations = "object", apiextensionsv1.ValidationRules{{Rule: r.Rule}}
			n, errs := schema.Compile(&props)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if validation.New(n).Validate(obj).BlocksRules() {
				continue
			}
			p, _ := Compile(n)
			p.Eval(context.Background(), obj, watchOption(func(e evaluation) {
				if e.recovered > 0 {
					t.Errorf("%s panicked", r.Rule)
				}
			}))
		}
	}
}
