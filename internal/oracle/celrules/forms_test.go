package celrules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdkit/crdkit/validation/cel"
)

// formGroups are the groups of rules that few definitions have.
var formGroups = []string{"forms: ", "libraries: ", "messageExpression: "}

// TestFormBounds compares all sides on rules of unusual forms, on functions of
// libraries and on messageExpressions. The budget, or the limit of a call, is
// the cost of the rule or of its message, one unit less, and one unit more.
func TestFormBounds(t *testing.T) {
	list := slices.DeleteFunc(synthetics(t), func(s *synthetic) bool {
		return !slices.ContainsFunc(formGroups, func(g string) bool { return strings.HasPrefix(s.name, g) })
	})
	if len(list) == 0 {
		t.Fatal("no rules")
	}
	c := newTally(t, "forms", "three sides")
	nth, inputs := 4, 2
	if testing.Short() {
		nth, inputs = 20, 1
	}
	if *full {
		nth, inputs = 1, 6
	}
	parallel(len(list), func(i int) {
		if i%nth == 0 {
			list[i].tight(t, c, inputs)
		}
	})
	c.report()
}

// tight tries bounds on the objects of s. It skips objects with the cost of an
// earlier object.
func (s *synthetic) tight(t *testing.T, c *tally, inputs int) {
	n, in := bothSchemas(t, s.name, s.props)
	sub := subjectOf(t, s.name, n, in, celconfig.PerCallLimit)
	if sub == nil {
		return
	}
	c.rules.Add(1)
	rng := source("forms", s.name)
	seen := map[uint64]bool{}
	for _, from := range s.inputs {
		obj := &input{obj: from.obj, old: from.old, budget: budget}
		count := evaluations(sub.node, obj.obj, oldOf(obj))
		cost := sub.fast.Eval(obj.context(), obj.obj, cel.Old(obj.old)).Cost
		if count == 0 || cost == 0 || seen[cost] || len(seen) == inputs {
			continue
		}
		seen[cost] = true
		sub.bounds(c, rng, obj, count)
		rule := sub.firstCall(obj, cost)
		for _, call := range []uint64{rule, cost - rule} { // the second is the cost of the message
			for limit := max(call, 1) - 1; limit <= call+1; limit++ {
				limited := subjectOf(t, fmt.Sprintf("%s, at most %d a call", s.name, limit), n, in, limit)
				c.three(limited, obj, "limited", count)
			}
		}
	}
}
