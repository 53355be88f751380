package celcost

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// TestTotalNamesExpensiveExpressions tests which expressions an error about the total names: the
// most expensive ones, at most four, each with at least a hundredth of the limit.
func TestTotalNamesExpensiveExpressions(t *testing.T) {
	const hundredth = SchemaLimit / 100
	for _, tt := range []struct {
		name  string
		costs []uint64
		want  []int // the named expressions by index
		over  bool
	}{
		{"no expression", nil, nil, false},
		{"just the limit", []uint64{SchemaLimit}, nil, false},
		{"one unit more", []uint64{SchemaLimit, 1}, []int{0}, true},
		{"a hundredth is named, less is not", []uint64{hundredth, SchemaLimit, hundredth - 1}, []int{1, 0}, true},
		{"equal costs in their order", []uint64{SchemaLimit, hundredth, hundredth}, []int{0, 1, 2}, true},
		{"four of six", []uint64{3 * hundredth, SchemaLimit, 5 * hundredth, 2 * hundredth, 4 * hundredth, 6 * hundredth}, []int{1, 5, 2, 4}, true},
		{"more than a number holds", []uint64{math.MaxUint64, math.MaxUint64}, []int{0, 1}, true},
	} {
		var sum tally
		for i, cost := range tt.costs {
			sum.observe(pathstack.At(field.NewPath("rule").Index(i)), cost)
		}
		var got []int
		errs := sum.errors(pathstack.At(field.NewPath("schema")), nil)
		for _, err := range errs {
			var i int
			if _, scanErr := fmt.Sscanf(err.Field, "rule[%d]", &i); scanErr == nil {
				got = append(got, i)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: named expressions (-want +got):\n%s", tt.name, diff)
		}
		if over := len(errs) > 0 && errs[len(errs)-1].Field == "schema"; over != tt.over {
			t.Errorf("%s: over the limit is %v, want %v", tt.name, over, tt.over)
		}
	}
}

func TestFactorOverLimit(t *testing.T) {
	for _, tt := range []struct {
		cost, limit uint64
		want        string // "" means no error
	}{
		{0, 10, ""}, {10, 10, ""}, {11, 10, "1.100000x"}, {1499, 1000, "1.499000x"}, {15, 10, "1.5x"}, {16, 10, "1.6x"},
		{1000, 10, "100.0x"}, {1001, 10, "more than 100x"},
	} {
		err := overLimit(nil, pathstack.At(field.NewPath("rule")), "cost", tt.cost, tt.limit)
		switch {
		case err == nil && tt.want == "":
		case err == nil || tt.want == "" || !strings.Contains(err.Detail, "exceeds budget by factor of "+tt.want+" (try"):
			t.Errorf("%d of %d: %v, want %q", tt.cost, tt.limit, err, tt.want)
		}
	}
}

func checkerOf(t *testing.T, text string) *Checker {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	c, err := New(n, Options{PerCall: math.MaxInt64, Minor: celtypes.NewestMinor})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSyntaxErrorHidesRulesAbove pins that a rule is compiled only if the syntax
// of all rules below it is right, wherever these are.
func TestSyntaxErrorHidesRulesAbove(t *testing.T) {
	const wrong, blank, right = `x-kubernetes-validations: [{rule: "self.none"}]`, `x-kubernetes-validations: [{rule: " "}]`, `x-kubernetes-validations: [{rule: "true"}]`
	for _, tt := range []struct {
		name, schema string
		compiled     bool
	}{
		{"no rules below", `{type: object, ` + wrong + `}`, true},
		{"right rules below", `{type: object, properties: {a: {type: string, ` + right + `}}, ` + wrong + `}`, true},
		{"in a property", `{type: object, properties: {a: {type: string, ` + blank + `}}, ` + wrong + `}`, false},
		{"in the first of two properties", `{type: object, properties: {a: {type: string, ` + blank + `}, b: {type: string, ` + right + `}}, ` + wrong + `}`, false},
		{"in the second of two properties", `{type: object, properties: {a: {type: string, ` + right + `}, b: {type: string, ` + blank + `}}, ` + wrong + `}`, false},
		{"in items", `{type: object, properties: {l: {type: array, items: {type: string, ` + blank + `}, ` + wrong + `}}}`, false},
		{"in additionalProperties", `{type: object, properties: {m: {type: object, additionalProperties: {type: string, ` + blank + `}, ` + wrong + `}}}`, false},
		{"right items", `{type: object, properties: {l: {type: array, items: {type: string, ` + right + `}, ` + wrong + `}}}`, true},
		{"right additionalProperties", `{type: object, properties: {m: {type: object, additionalProperties: {type: string, ` + right + `}, ` + wrong + `}}}`, true},
		{"in items of items", `{type: object, properties: {l: {type: array, items: {type: array, items: {type: string, ` + blank + `}}, ` + wrong + `}}}`, false},
	} {
		c := checkerOf(t, tt.schema)
		var text strings.Builder
		for _, err := range append(c.syntax.Errors(), c.errs.Errors()...) {
			text.WriteString(err.Error() + "\n")
		}
		if got := strings.Contains(text.String(), "none"); got != tt.compiled {
			t.Errorf("%s: the rule is compiled: %v, want %v\n%s", tt.name, got, tt.compiled, text.String())
		}
		if strings.Contains(text.String(), "rule is not specified") == tt.compiled {
			t.Errorf("%s: errors of syntax are\n%s", tt.name, text.String())
		}
	}
}

// TestTrialsLeaveEstimates pins that the search for bounds does not change what an
// expression is estimated at later.
func TestTrialsLeaveEstimates(t *testing.T) {
	c := checkerOf(t, `{type: object, properties: {l: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`)
	rule := c.Ordered()[0]
	_, _, before := c.CardinalityOf(rule)
	if bounds, _ := c.Bounds(rule, false, before); len(bounds) == 0 {
		t.Fatal("the rule has no bounds")
	}
	at, ok := rule.site.location.elem()
	if !ok {
		t.Fatal("the list has no elements")
	}
	if got, want := c.sizes.max(at), newSizes().max(at); got != want {
		t.Errorf("the size of an element is %d after the trials, want %d", got, want)
	}
	if _, _, after := c.CardinalityOf(rule); after != before {
		t.Errorf("the estimate is %d after the trials, want %d", after, before)
	}
}
