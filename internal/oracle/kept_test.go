package oracle_test

import (
	"fmt"
	"testing"

	. "github.com/crdkit/crdkit/internal/oracle"
	"github.com/crdkit/crdkit/internal/testkit"
)

// minKept is how many times more memory than crdkit upstream has to keep for
// the rules of the corpus.
const minKept = 10

// TestRulesKeepLittle holds the memory of compiled rules to a fraction of what
// upstream's take.
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
