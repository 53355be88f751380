package jsonscan_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestWatchEndsTexts: reading and writing poll in proportion to the text, and decline when
// the watch ends.
func TestWatchEndsTexts(t *testing.T) {
	const n = 3000
	list, object := []any{}, map[string]any{}
	for i := range n {
		list, object[strconv.Itoa(i)] = append(list, "a"), "a"
	}
	for _, v := range []any{list, object} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for name, do := range map[string]func(*interrupt.Watch) bool{
			"AppendUntil": func(watch *interrupt.Watch) bool {
				out, ok := jsonscan.AppendUntil(nil, v, watch)
				if ok && string(out) != string(want) {
					t.Errorf("%T: wrote %.100s", v, out)
				}
				return ok
			},
			"Value":       func(watch *interrupt.Watch) bool { _, end := jsonscan.Value(string(want), 0, watch); return end >= 0 },
			"DecodeUntil": func(watch *interrupt.Watch) bool { _, ok := jsonscan.DecodeUntil(string(want), watch); return ok },
		} {
			ctx := testkit.EndingContext(1 << 30)
			if ok := do(interrupt.New(ctx)); !ok || ctx.Polls() < n/interrupt.Interval {
				t.Errorf("%s of %T: %v after %d polls", name, v, ok, ctx.Polls())
			}
			all := ctx.Polls()
			for _, after := range []int{0, 1, all / 2, all - 1} {
				if do(interrupt.New(testkit.EndingContext(after))) {
					t.Errorf("%s of %T: not declined after %d of %d polls", name, v, after, all)
				}
			}
		}
	}
	ctx := testkit.EndingContext(1 << 30)
	if _, ok := jsonscan.AppendUntil(nil, object, interrupt.New(ctx)); !ok || ctx.Polls() < 2*n/interrupt.Interval {
		t.Errorf("keys are sorted and written with %d polls", ctx.Polls())
	}
}
