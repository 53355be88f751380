package fastpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testkit/fuzz"
)

// agreeOnMap runs plan and engines on the decoded object, and reports whether the
// plan accepts it. The plan must not change an object that it declines.
func agreeOnMap(t *testing.T, plan *fastpath.Plan, e *engines, raw string) bool {
	t.Helper()
	var obj map[string]any
	if kjson.UnmarshalCaseSensitivePreserveInts([]byte(raw), &obj) != nil || obj == nil {
		return false
	}
	before := string(testkit.Encode(obj))
	unknown, ok := plan.Map(obj, fastpath.MapRequest{Report: true})
	if !ok {
		if after := string(testkit.Encode(obj)); after != before {
			t.Errorf("declined, but changed\nfrom %s\nto   %s", before, after)
		}
		return false
	}
	silent := testkit.Clone(e.decoded(raw))
	if paths, ok := plan.Map(silent, fastpath.MapRequest{}); !ok || paths != nil {
		t.Errorf("%s: without report: %v, %t", raw, paths, ok)
	}
	strict := testkit.Clone(e.decoded(raw))
	if _, ok := plan.Map(strict, fastpath.MapRequest{Strict: true}); ok != (len(unknown) == 0) {
		t.Errorf("%s: strict: %t, with unknown fields %v", raw, ok, unknown)
	}
	if e.cfg.DropStatus {
		delete(obj, "status") // as callers do
		delete(silent, "status")
	}
	reconciled := plan.Admits(obj)
	reference := e.decoded(raw)
	wantUnknown, err := e.judge(reference)
	if (err == nil) != reconciled {
		t.Errorf("%s\nengines: %v\nplan: Admits is %t", raw, err, reconciled)
		return false
	}
	if err != nil {
		return false
	}
	if diff := cmp.Diff(wantUnknown, unknown); diff != "" {
		t.Errorf("%s\nunknown fields (-engines +plan):\n%s", raw, diff)
	}
	want := string(testkit.Encode(reference))
	if got := string(testkit.Encode(obj)); got != want || string(testkit.Encode(silent)) != want {
		t.Errorf("%s\nengines:     %s\nplan:           %s\nwithout report: %s", raw, want, got, testkit.Encode(silent))
	}
	return true
}

func (e *engines) decoded(raw string) map[string]any {
	var obj map[string]any
	_ = kjson.UnmarshalCaseSensitivePreserveInts([]byte(raw), &obj)
	return obj
}

// Objects that are accepted as text are accepted as maps, with the same result.
func TestMap(t *testing.T) {
	list, accepted := []string{}, 0
	all := targets(t, func(i int, raw string) { list = append(list, string(rune(i))+raw) })
	for _, s := range list {
		i := strings.IndexByte(s, '{')
		x := all[[]rune(s[:i])[0]]
		_, text := agree(t, x.plan, x.engines, s[i:])
		if ok := agreeOnMap(t, x.plan, x.engines, s[i:]); ok {
			accepted++
		} else if text {
			t.Errorf("%s is accepted as text, but not as a map", s[i:])
		}
	}
	if accepted < 100 {
		t.Errorf("%d of %d objects are accepted", accepted, len(list))
	}
}

// FuzzMap compares plans with the engines.
func FuzzMap(f *testing.F) {
	list := targets(f, func(i int, raw string) { f.Add(uint8(i), raw) })
	fuzz.Run(f, func(t *testing.T, i uint8, raw string) {
		x := list[int(i)%len(list)]
		agreeOnMap(t, x.plan, x.engines, raw)
	})
}

// An object that needs no change costs no allocation, except for what unusual
// formats of strings allocate.
func TestMapAllocations(t *testing.T) {
	type input struct {
		i   int
		raw string
	}
	var inputs []input
	all := targets(t, func(i int, raw string) { inputs = append(inputs, input{i, raw}) })
	n := 0
	for _, in := range inputs {
		x := all[in.i]
		text, _, err := x.engines.run(in.raw)
		if err != nil || x.engines.cfg.DropStatus {
			continue
		}
		obj := x.engines.decoded(text)
		request := fastpath.MapRequest{Report: true}
		if _, ok := x.plan.Map(obj, request); !ok {
			continue
		}
		n++
		formats := testing.AllocsPerRun(10, func() { x.engines.fast.Valid(obj) })
		if allocs := testing.AllocsPerRun(10, func() { x.plan.Map(obj, request) }); allocs > formats+poolAllocations() {
			t.Errorf("%v allocations, of which formats take %v: %s", allocs, formats, text)
		}
	}
	if n < 100 {
		t.Errorf("only %d objects", n)
	}
}
