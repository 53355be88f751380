package celcost

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// TestBounds checks the bounds on which the cost of an expensive rule depends.
// With the reported value the rule is within the limit, and with the next
// larger value it is not.
func TestBounds(t *testing.T) {
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(`{type: object, properties: {l: {type: array, items: {type: string, maxLength: 10},
		x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}, {rule: "self.size() > 1"}]}}}`), &props); err != nil {
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
	rules := c.Ordered()
	_, _, total := c.CardinalityOf(rules[0])
	bounds, together := c.Bounds(rules[0], false, total)
	want := []Bound{
		{Path: "l", Keyword: "maxItems", Value: 1048575, Fits: 1053, Total: 9984548},
		{Path: "l[*]", Keyword: "maxLength", Value: 10, Declared: true, Total: 6597062426627},
	}
	if diff := cmp.Diff(want, bounds); diff != "" || together != 0 {
		t.Errorf("together %d, bounds (-want +got):\n%s", together, diff)
	}
	trial := &trial{Checker: c, rule: rules[0], tree: rules[0].Condition.Tree}
	if fits, next := trial.total(map[string]int64{"l": 1053}), trial.total(map[string]int64{"l": 1054}); fits > ExpressionLimit || next <= ExpressionLimit {
		t.Errorf("the total is %d with 1053 elements and %d with 1054", fits, next)
	}
	_, _, total = c.CardinalityOf(rules[1])
	if bounds, _ := c.Bounds(rules[1], false, total); bounds != nil {
		t.Errorf("a cheap rule has bounds: %v", bounds)
	}
}

func TestLargest(t *testing.T) {
	for top := range int64(20) {
		for limit := range int64(25) {
			if got, want := largest(top, func(v int64) bool { return v <= limit }), min(top, limit); got != want {
				t.Errorf("largest(%d) with the limit %d = %d", top, limit, got)
			}
		}
	}
}

func TestSaturation(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct{ got, want uint64 }{
		{multiply(0, most), 0}, {multiply(2, most/2), most - 1}, {multiply(3, most/2), most}, {add(1, most-1), most}, {add(2, most-1), most}, {add(1, 2), 3},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
}
