package search

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
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
	g := &generator{rng: rand.New(rand.NewPCG(1, 2))}
	for _, pattern := range patternTests {
		hits := 0
		for range 100 {
			if matchesPattern(pattern, g.matching(pattern, 1, 63)) {
				hits++
			}
		}
		if hits < 95 {
			t.Errorf("%s: %d of 100 texts match", pattern, hits)
		}
	}
	if n := utf8.RuneCountInString(g.matching(`^[a-z]{20,}$`, 40, 50)); n < 40 || n > 50 {
		t.Errorf("text of %d runes, want 40 to 50", n)
	}
}

// TestValueAddsNoMoreThanWanted checks that a value without optional parts has only
// required ones, and that one with a few has not all.
func TestValueAddsNoMoreThanWanted(t *testing.T) {
	few := enginetest.MustCompileYAML(t, `{type: object, required: [a], properties: {a: {type: boolean}, b: {type: boolean}, c: {type: array, items: {type: string}}}}`)
	wide := enginetest.MustCompileYAML(t, `{type: object, properties: {p0: {type: boolean}, p1: {type: boolean}, p2: {type: boolean}, p3: {type: boolean}, p4: {type: boolean}, p5: {type: boolean}, p6: {type: boolean}, p7: {type: boolean}, p8: {type: boolean}}}`)
	s := &search{rng: rand.New(rand.NewPCG(1, 1))}
	more := 0
	for range 50 {
		if v, _ := s.generated(wide, 4, false).(map[string]any); len(v) > 3 {
			t.Fatalf("%v, want at most 3 members beside the object itself", v)
		}
		v, _ := s.generated(few, 0, false).(map[string]any)
		if _, ok := v["a"].(bool); !ok || len(v) != 1 {
			t.Fatalf("%v, want only a", v)
		}
		if many, _ := s.generated(few, 100, false).(map[string]any); len(many) > 1 {
			more++
		}
	}
	if more < 25 {
		t.Errorf("%d of 50 values have optional parts", more)
	}
}
