package cel

import (
	"strings"
	"testing"
)

// TestReportAtTheLimit: a total that equals the limit of the schema is within it.
func TestReportAtTheLimit(t *testing.T) {
	for total, want := range map[uint64]string{
		99:  "total 99 of 100 (99.00%), 1 left\n",
		100: "total 100 of 100 (100.00%), 0 left\n",
		101: "total 101 of 100 (101.00%): over the limit of the schema\n",
	} {
		if got := (&CostReport{Total: total, Limit: 100}).String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// TestAdvice: an expression over its limit lists its bounds, and says what helps if none of
// them does alone.
func TestAdvice(t *testing.T) {
	const none, together = "no bound in the schema makes it fit", "it fits if none of them is larger than 7"
	fits, useless := Bound{Path: "a", Keyword: "maxItems", Value: 9, Declared: true, Fits: 1}, Bound{Path: "b", Keyword: "maxLength", Value: 5}
	for _, tt := range []struct {
		name   string
		cost   ExpressionCost
		texts  []string
		absent []string
	}{
		{"within the limit", ExpressionCost{Total: 10, Limit: 10, Bounds: []Bound{useless}}, nil, []string{none, "maxLength"}},
		{"a bound that fits", ExpressionCost{Total: 20, Limit: 10, Bounds: []Bound{useless, fits}},
			[]string{"a: maxItems is 9: 1 fits", "b: maxLength is not declared (taken for 5): no value alone makes it fit"}, []string{none}},
		{"no bound that fits", ExpressionCost{Total: 20, Limit: 10, Bounds: []Bound{useless}}, []string{none}, nil},
		{"all bounds together", ExpressionCost{Total: 20, Limit: 10, Bounds: []Bound{useless}, Together: 7}, []string{together}, []string{none}},
	} {
		var b strings.Builder
		tt.cost.advise(&b)
		for _, text := range tt.texts {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%s: no %q in\n%s", tt.name, text, b.String())
			}
		}
		for _, text := range tt.absent {
			if strings.Contains(b.String(), text) {
				t.Errorf("%s: %q in\n%s", tt.name, text, b.String())
			}
		}
	}
}
