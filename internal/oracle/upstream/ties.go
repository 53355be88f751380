package upstream

import (
	"slices"
	"strings"
)

// Ties tells whether a list of errors is a possible answer of upstream, although upstream
// has not given it: if the rules of a definition cost too much, upstream names four of the
// most expensive ones, and which ones of several equally expensive rules depends on the
// order of a map.
type Ties struct{ named map[string]bool }

// Possible reports whether upstream's errors are ours but for the rules that they name,
// and upstream has named each of our rules in one of the answers so far.
func (s *Ties) Possible(upstream, ours []string) bool {
	theirRules, theirRest := expensiveRules(upstream)
	ourRules, ourRest := expensiveRules(ours)
	if len(theirRules) != len(ourRules) || !slices.Equal(theirRest, ourRest) {
		return false
	}
	if s.named == nil {
		s.named = map[string]bool{}
	}
	for _, line := range theirRules {
		s.named[line] = true
	}
	return !slices.ContainsFunc(ourRules, func(line string) bool { return !s.named[line] })
}

// expensiveRules separates the errors that name an expensive rule from the rest.
func expensiveRules(lines []string) (rules, rest []string) {
	for _, line := range lines {
		if strings.Contains(line, "contributed to estimated rule cost total exceeding cost limit") {
			rules = append(rules, line)
		} else {
			rest = append(rest, line)
		}
	}
	return rules, rest
}
