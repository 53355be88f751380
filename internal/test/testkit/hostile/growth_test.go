package hostile_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

const (
	factor = 8  // by which the input grows
	limit  = 12 // by which the work may grow
)

func TestVerdictsOfCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range hostile.Cases() {
		if seen[c.Name] {
			t.Errorf("%s: two cases have this name", c.Name)
		}
		seen[c.Name] = true
		run, err := c.Op(c.Input(c.N))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if got := run(t.Context()); got != c.Want && c.Want != "" {
			t.Errorf("%s: %s, want %s", c.Name, got, c.Want)
		}
	}
}

// larger are the limits of cases whose work grows faster, but not with the square.
var larger = map[string]int{
	"plan/versions":                  14,  // names are sorted, and those of more versions are longer
	"parse/depth":                    15,  // the fast reader reads the small text, the library the large one
	"create yaml/depth":              100, // as above
	"notes/nodes with rules, nested": 30,  // the path of a rule in the report is as long as the rule is deep
}

// most returns by how much the work of a case may grow.
func most(c hostile.Case) int { return max(limit, larger[c.Name]) }
