package cel

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestContextEndsWork: Compile, Check and Estimate poll the context at least once for each
// rule, and say that it ended wherever it ends.
func TestContextEndsWork(t *testing.T) {
	var b strings.Builder
	b.WriteString("{type: object, properties: {")
	for i := range 200 {
		fmt.Fprintf(&b, "f%d: {type: string, x-kubernetes-validations: [{rule: self != 'a%d'}]},\n", i, i)
	}
	n := nodeOf(t, b.String()+"}}")
	for name, work := range map[string]func(o Option) string{
		"Compile": func(o Option) string {
			p, errs := Compile(n, o)
			if p != nil && len(errs) > 0 {
				t.Error("a program and errors")
			}
			return internal(t, errs)
		},
		"Check":    func(o Option) string { return internal(t, Check(n, o)) },
		"Estimate": func(o Option) string { return Estimate(n, o).Problem },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := testkit.EndingContext(1 << 30)
			if got := work(WithContext(ctx)); got != "" {
				t.Fatal(got)
			}
			all := ctx.Polls()
			if all < 200 {
				t.Errorf("%d polls, want at least 200", all)
			}
			for _, after := range []int{0, 1, all / 2, all - 1} {
				if got := work(WithContext(testkit.EndingContext(after))); got != "context canceled" {
					t.Errorf("after %d of %d polls: %q", after, all, got)
				}
			}
		})
	}
}

// internal returns the detail of the only error, which is internal, and "" without errors.
func internal(t *testing.T, errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	if len(errs) > 1 || errs[0].Type != field.ErrorTypeInternal {
		t.Errorf("got %v", errs.ToAggregate())
	}
	return errs[0].Detail
}
