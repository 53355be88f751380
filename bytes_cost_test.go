//go:build !race

package crdkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/crdkit/crdkit"
)

// TestAllocationsOfCreateJSON checks that the fast path allocates only the request, the
// result, the output, and the option that holds a buffer. Rules use the memory of earlier
// objects for their input. The test does not run under the race detector, which makes a
// sync.Pool drop values at random.
func TestAllocationsOfCreateJSON(t *testing.T) {
	p, _ := cronTabPair(t)
	raw := []byte(`{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"default","labels":{"app":"backup"}},
		"spec":{"cronSpec":"0 3 * * */5","image":"backup:1.4","hosts":["a.example.org","b.example.org"],"env":[{"name":"TARGET","value":"/srv"},{"name":"VERBOSE"}]}}`)
	ctx, buf := context.Background(), make([]byte, 0, 8192)
	if got := testing.AllocsPerRun(100, func() {
		out, res, err := p.fast.CreateJSON(ctx, raw, crdkit.AppendTo(buf[:0]))
		if err != nil || !res.Admitted() || len(out) == 0 {
			t.Fatal(err, res.Err())
		}
	}); got > 4 {
		t.Errorf("CreateJSON: %v allocations, at most 4 are meant", got)
	}
	if got := testing.AllocsPerRun(100, func() { p.fast.ValidJSON(raw) }); got > 4 {
		t.Errorf("ValidJSON: %v allocations, at most 4 are meant", got)
	}
}

// Updates of stored objects, which have managed fields, read no metadata into maps.
func TestAllocationsOfUpdates(t *testing.T) {
	p, _ := cronTabPair(t)
	ctx, buf := context.Background(), make([]byte, 0, 8192)
	created, _, err := p.fast.CreateJSON(ctx, []byte(`{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"default"},
		"spec":{"cronSpec":"0 3 * * */5","image":"backup:1.4"}}`))
	if err != nil {
		t.Fatal(err)
	}
	stored := func(labels, status string) []byte {
		text := strings.Replace(string(created), `"generation":1,`, `"creationTimestamp":"2026-01-02T03:04:05Z","generation":1,`+labels+`"managedFields":[`+manager+`],`, 1)
		return []byte(strings.TrimSuffix(text, "}") + status + "}")
	}
	old, labelled, run := stored("", ""), stored(`"labels":{"a":"b"},`, ""), stored("", `,"status":{"replicas":1}`)
	for name, test := range map[string]struct {
		do   func() ([]byte, *crdkit.Result, error)
		most float64
	}{
		"update": {func() ([]byte, *crdkit.Result, error) {
			return p.fast.UpdateJSON(ctx, labelled, old, crdkit.AppendTo(buf[:0]))
		}, 5},
		"status": {func() ([]byte, *crdkit.Result, error) {
			return p.fast.UpdateStatusJSON(ctx, run, old, crdkit.AppendTo(buf[:0]))
		}, 6},
	} {
		if got := testing.AllocsPerRun(100, func() {
			if out, res, err := test.do(); err != nil || !res.Admitted() || len(out) == 0 {
				t.Fatal(err, res.Err())
			}
		}); got > test.most {
			t.Errorf("%s: %v allocations, at most %v are meant", name, got, test.most)
		}
	}
}
