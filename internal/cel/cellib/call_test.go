package cellib

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestCalls evaluates the expressions of testdata/calls.txt, one on each line,
// in the newest language. It compares results, actual costs and estimated costs
// with recorded ones; with -update it records them again.
func TestCalls(t *testing.T) {
	env := environment(t, newest)
	text, err := os.ReadFile("testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		expr := strings.TrimSuffix(line, "\n")
		checked, issues := env.Compile(expr)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		estimate, err := env.EstimateCost(checked, &Costs{})
		if err != nil {
			t.Fatal(err)
		}
		program, err := env.Program(checked, cel.CostTracking(&Costs{}))
		if err != nil {
			fmt.Fprintf(&b, "%s\n  %v\n", expr, err)
			continue
		}
		result, details, err := program.Eval(cel.NoVars())
		shown := fmt.Sprint(err)
		if err == nil {
			shown = fmt.Sprint(result.Value())
		}
		fmt.Fprintf(&b, "%s\n  %s, spent %d, estimated %d to %d\n", expr, shown, *details.ActualCost(), estimate.Min, estimate.Max)
	}
	testkit.Recorded(t, "testdata/calls.recorded", b.String())
}
