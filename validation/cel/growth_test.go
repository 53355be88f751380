package cel_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestRatchetComparesOnce checks that elements without an old value of their own
// share one comparison of the list around them. To compare the keys of two elements
// allocates, so that the number of allocations shows the number of comparisons.
func TestRatchetComparesOnce(t *testing.T) {
	p, errs := cel.Compile(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"l":{
		"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","m"],
		"items":{"type":"object","x-kubernetes-validations":[{"rule":"has(self.k)","message":"no key"}],
			"properties":{"k":{"type":"string"},"m":{"type":"string"}}}}}}`)))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	run := func(n int) float64 {
		var list []any
		for i := range n {
			list = append(list, map[string]any{"k": fmt.Sprint(i), "m": "m"})
		}
		for range n {
			list = append(list, map[string]any{"m": "m"}) // has no old value, and fails
		}
		obj := map[string]any{"l": list}
		return testing.AllocsPerRun(2, func() {
			if res := p.Eval(context.Background(), obj, cel.Old(obj)); len(res.Errors) != n {
				t.Fatalf("%d errors, want %d", len(res.Errors), n)
			}
		})
	}
	const small, times, most = 50, 8, 12
	if few, many := run(small), run(small*times); many > most*few {
		t.Errorf("%d elements: %v allocations; %d times that: %v", small, few, times, many)
	}
}
