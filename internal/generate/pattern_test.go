package generate

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

var patternTests = []string{
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`,
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
	`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
	`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`,
	`^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$`,
	`^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?)$`,
	`^\d{3}-\d{2,4}$`,
	`^(?i)abc$`,
	`^https?://[^/]+(/.*)?$`,
	`^.{3,9}$`,
}

func TestPatternText(t *testing.T) {
	r := &run{Generator: New(Target{}), rng: rand.New(rand.NewPCG(1, 2))}
	for _, pattern := range patternTests {
		hits := 0
		for range 100 {
			if matches(pattern, r.matching(pattern, 1, 63)) {
				hits++
			}
		}
		if hits < 95 {
			t.Errorf("%s: %d of 100 texts match", pattern, hits)
		}
	}
	if n := utf8.RuneCountInString(r.matching(`^[a-z]{20,}$`, 40, 50)); n < 40 || n > 50 {
		t.Errorf("text of %d runes, want 40 to 50", n)
	}
}
