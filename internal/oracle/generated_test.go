package oracle_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestGeneratedObjects creates objects that crdtest generates with upstream, which must
// admit all of them.
func TestGeneratedObjects(t *testing.T) {
	count, versions, objects, admitted := 5, 0, 0, 0
	if testing.Short() {
		count = 2
	}
	for _, d := range testkit.FindCorpus(t).Definitions {
		theirs, err := upstream.Compile(d.CRD)
		if err != nil {
			t.Fatalf("%s: %v", d.Path, err)
		}
		ours, err := crdkit.Compile(d.CRD)
		if err != nil {
			t.Fatalf("%s: %v", d.Path, err)
		}
		v := ours.Storage()
		versions++
		n := 0
		for obj, err := range crdtest.Objects(t.Context(), v, 1) {
			if err != nil {
				t.Errorf("%s: %v", d.Path, err)
				break
			}
			text, err := json.Marshal(obj.Object)
			if err != nil {
				t.Fatal(err)
			}
			objects++
			outcome := theirs.Version(v.Name()).Create(upstream.Body{Data: text, Fields: "Warn"})
			if len(outcome.Errors) > 0 || outcome.Refusal != "" || outcome.Panic != "" {
				t.Errorf("%s: upstream refuses %s: %s%s%v", d.Path, text, outcome.Refusal, outcome.Panic, outcome.Errors.ToAggregate())
			} else {
				admitted++
			}
			if n++; n == count {
				break
			}
		}
	}
	fmt.Fprintf(os.Stdout, "oracle: upstream admits %d of %d generated objects of %d versions\n", admitted, objects, versions)
}
