package cellib

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/crdkit/crdkit/internal/testkit"
)

// TestCalls evaluates testdata/calls.txt, one expression a line, by the newest
// language and compares the results, what is spent and what is estimated with
// recorded ones. With -update it records them anew.
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
