package celcost

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// TestBoundsThatMatter tests which bounds are reported: those without which the rule would cost
// less by more than a tenth, the most effective first. If no bound alone makes the rule fit, one
// number is the limit for all of them together.
func TestBoundsThatMatter(t *testing.T) {
	const two = `{type: object, properties: {a: {type: array, maxItems: %d, items: {type: integer}}, b: {type: array, maxItems: %d, items: {type: integer}}},
		x-kubernetes-validations: [{rule: "self.a.all(x, x > 1) && self.b.all(x, x > 1)", messageExpression: "self.a.all(x, x > 1) ? 'a' : 'b'"}]}`
	const nested = `{type: array, items: {type: array, items: {type: integer}}, x-kubernetes-validations: [
		{rule: "self.all(x, x.all(y, self.all(z, z.all(w, y == w))))"}]}`
	for _, tt := range []struct {
		name, schema string
		message      bool
		want         []string // path, keyword, value and whether it is declared, the value that fits
		together     int64
	}{
		{"one of two matters", fmt.Sprintf(two, 1_900_000, 100_000), false, []string{"a maxItems 1900000 true 1899998"}, 0},
		{"both matter", fmt.Sprintf(two, 1_000_000, 900_000), false, []string{"a maxItems 1000000 true 1099998", "b maxItems 900000 true 999998"}, 0},
		{"a message reads one of them", fmt.Sprintf(two, 1_500_000, 900_000), true, []string{"a maxItems 1500000 true 1572863"}, 0},
		{"neither alone", fmt.Sprintf(`{type: object, properties: {x: %s}}`, nested), false, []string{"x[*] maxItems 1572863 false 0", "x maxItems 1048575 false 0"}, 37},
		{"a cheap rule", fmt.Sprintf(two, 10, 10), false, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var props apiextensionsv1.JSONSchemaProps
			if err := yaml.UnmarshalStrict([]byte(tt.schema), &props); err != nil {
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
			rule := c.Ordered()[0]
			_, _, total := c.CardinalityOf(rule)
			if tt.message {
				total = rule.Message.Cost
			}
			bounds, together := c.Bounds(rule, tt.message, total)
			var got []string
			for _, b := range bounds {
				got = append(got, fmt.Sprintf("%s %s %d %t %d", b.Path, b.Keyword, b.Value, b.Declared, b.Fits))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || together != tt.together {
				t.Errorf("together %d, want %d; bounds (-want +got):\n%s", together, tt.together, diff)
			}
			trial := &trial{Checker: c, rule: rule, tree: rule.Condition.Tree}
			limited := func(v int64) uint64 { return trial.total(atMost(trial.candidates(), v)) }
			if together > 0 && (limited(together) > ExpressionLimit || limited(together+1) <= ExpressionLimit) {
				t.Errorf("the total is %d with %d of each and %d with one more", limited(together), together, limited(together+1))
			}
		})
	}
}
