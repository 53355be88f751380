package interrupt_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
)

// run is the number of elements that Sort sorts without a poll.
const run = 1024

type numbered struct{ key, number int }

func byKey(a, b numbered) int { return cmp.Compare(a.key, b.key) }

func byNumber(a, b numbered) int { return cmp.Compare(a.number, b.number) }

func byBoth(a, b numbered) int { return cmp.Or(byKey(a, b), byNumber(a, b)) }

// numbers returns n elements, of which many have equal keys.
func numbers(n int) []numbered {
	random := rand.New(rand.NewPCG(uint64(n), 0))
	list := make([]numbered, n)
	for i := range list {
		list[i] = numbered{random.IntN(n/3 + 1), i}
	}
	return list
}

func TestSortIsStable(t *testing.T) {
	for _, n := range []int{0, 1, run, run + 1, 2 * run, 5*run + 7} {
		list, want := numbers(n), numbers(n)
		slices.SortStableFunc(want, byKey)
		interrupt.Sort(interrupt.New(testkit.EndingContext(1<<30)), list, byKey)
		if !slices.Equal(list, want) {
			t.Errorf("%d elements are not sorted", n)
		}
		list = numbers(n)
		if interrupt.Sort(nil, list, byKey); !slices.Equal(list, want) {
			t.Errorf("%d elements are not sorted without a watch", n)
		}
		list = numbers(n)
		interrupt.SortFunc(nil, list, byNumber)
		if interrupt.SortFunc(interrupt.New(testkit.EndingContext(1<<30)), list, byBoth); !slices.Equal(list, want) {
			t.Errorf("SortFunc does not sort %d elements", n)
		}
	}
}

func TestSortEnds(t *testing.T) {
	const n = 20 * run
	ctx := testkit.EndingContext(1 << 30)
	interrupt.Sort(interrupt.New(ctx), numbers(n), byKey)
	all := ctx.Polls()
	if all < n/interrupt.Interval {
		t.Errorf("%d polls for %d elements, want at least %d", all, n, n/interrupt.Interval)
	}
	for _, after := range []int{0, 1, all / 2} {
		ctx := testkit.EndingContext(after)
		list := numbers(n)
		if interrupt.Sort(interrupt.New(ctx), list, byKey); ctx.Polls() != after+1 {
			t.Errorf("after %d polls: %d more", after, ctx.Polls()-after)
		}
	}
}

func TestIsSorted(t *testing.T) {
	const n = 2 * run
	sorted := numbers(n)
	slices.SortFunc(sorted, byBoth)
	wrongAtEnd := append(slices.Clone(sorted), numbered{-1, 0})
	for name, tt := range map[string]struct {
		list []numbered
		want bool
	}{"empty": {nil, true}, "one": {sorted[:1], true}, "sorted": {sorted, true}, "wrong at the end": {wrongAtEnd, false}, "wrong at the start": {wrongAtEnd[n-1:], false}} {
		ctx := testkit.EndingContext(1 << 30)
		for _, watch := range []*interrupt.Watch{nil, interrupt.New(ctx)} {
			if got := interrupt.IsSorted(watch, tt.list, byBoth); got != tt.want {
				t.Errorf("%s: %t", name, got)
			}
		}
		if ctx.Polls() < len(tt.list)/interrupt.Interval {
			t.Errorf("%s: %d polls for %d elements", name, ctx.Polls(), len(tt.list))
		}
	}
	if !interrupt.IsSorted(interrupt.New(testkit.EndingContext(1)), wrongAtEnd, byBoth) {
		t.Error("goes on after the watch has ended")
	}
}

func TestSortedKeys(t *testing.T) {
	for _, n := range []int{0, 1, 20, run, 3 * run} {
		m := map[string]any{}
		for i := range n {
			m[strconv.Itoa(i)] = i
		}
		want := slices.Sorted(maps.Keys(m))
		ctx := testkit.EndingContext(1 << 30)
		for _, watch := range []*interrupt.Watch{nil, interrupt.New(ctx)} {
			if got := interrupt.SortedKeys(watch, m); !slices.Equal(got, want) {
				t.Errorf("%d keys are not sorted", n)
			}
		}
		if n > run && ctx.Polls() < n/interrupt.Interval {
			t.Errorf("%d polls for %d keys", ctx.Polls(), n)
		}
	}
}
