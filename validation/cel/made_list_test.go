package cel

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// A list that a loop makes contains no element that does not fit its type. Other lists are
// asked in vain, and the rule ends with an error.
func TestMadeListContainsNoError(t *testing.T) {
	const properties = `{"type":"object","properties":{
		"k":{"type":"array","items":{"type":"integer"}},
		"q":{"type":"array","items":{"type":"object","properties":{"v":{"type":"integer"}}}}}}`
	const unfit = "invalid data, expected int, got string evaluating rule: "
	for _, tt := range []struct{ rule, want string }{
		{"sets.contains(self.q.map(x, x.v), self.k.reverse())", "failed rule: "},
		{"sets.intersects(self.q.map(x, x.v), self.k.reverse())", "failed rule: "},
		{"sets.contains(self.k.filter(x, false), self.k.reverse())", "failed rule: "},
		{"sets.contains(self.k, self.k.reverse())", unfit},
	} {
		n := nodeOf(t, properties, apiextensionsv1.ValidationRule{Rule: tt.rule})
		for _, elements := range [][]any{{}, {map[string]any{"v": int64(1)}}} {
			obj := map[string]any{"k": []any{"a"}, "q": elements}
			for name, opts := range map[string][]Option{"fast": nil, "reference": {testopt.Reference{}}} {
				p, errs := Compile(n, opts...)
				if len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				if diff := cmp.Diff(tt.want+tt.rule, detailOf(p.Eval(context.Background(), obj))); diff != "" {
					t.Errorf("%s of %d elements, %s (-want +got):\n%s", tt.rule, len(elements), name, diff)
				}
			}
		}
	}
}
