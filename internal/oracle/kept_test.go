package oracle_test

import (
	"fmt"
	"testing"

	. "github.com/crdkit/crdkit/internal/oracle"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// minKept is the least ratio of upstream's memory for the rules of the corpus to the
// memory of crdkit.
const minKept = 10

// TestRulesKeepLittle checks that compiled rules take only a fraction of upstream's
// memory.
func TestRulesKeepLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all rules of the corpus on both sides; skipped with -short")
	}
	k, err := KeptByRules(testkit.FindCorpus(t).Definitions)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(k)
	if k.Ratio() < minKept {
		t.Errorf("upstream keeps %.2f times as much as we do, want %d", k.Ratio(), minKept)
	}
}
