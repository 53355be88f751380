package upstream

import (
	"fmt"
	"testing"
)

func TestTies(t *testing.T) {
	rule := func(i int) string {
		return fmt.Sprintf("Forbidden | p%d | contributed to estimated rule cost total exceeding cost limit for it", i)
	}
	var s Ties
	for i, step := range []struct {
		upstream, ours []string
		want           bool
	}{
		{[]string{"a", rule(1), rule(2)}, []string{"a", rule(1), rule(3)}, false},
		{[]string{"a", rule(3)}, []string{"a", rule(1), rule(3)}, false},
		{[]string{"a", rule(3), rule(4)}, []string{"b", rule(1), rule(3)}, false},
		{[]string{"a", rule(2), rule(3)}, []string{"a", rule(1), rule(3)}, true},
		{[]string{"a", rule(2), rule(3)}, []string{"a", rule(1), rule(5)}, false},
		{nil, nil, true},
	} {
		if got := s.Possible(step.upstream, step.ours); got != step.want {
			t.Errorf("step %d: possible is %v", i, got)
		}
	}
}
