package jsonval_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestWatchEndsValues: copying and comparing poll in proportion to the value, and return the
// error of the watch.
func TestWatchEndsValues(t *testing.T) {
	const n = 1000
	list, object := []any{}, map[string]any{}
	for i := range n {
		list, object[strconv.Itoa(i)] = append(list, "a"), "a"
	}
	for name, do := range map[string]func(v any, watch *interrupt.Watch) error{
		"CloneWithin": func(v any, watch *interrupt.Watch) error {
			copied, err := jsonval.CloneWithin(v, watch)
			if diff := cmp.Diff(v, copied); err == nil && diff != "" {
				t.Error(diff)
			}
			return err
		},
		"EqualWithin": func(v any, watch *interrupt.Watch) error {
			same, err := jsonval.EqualWithin(v, jsonval.Clone(v), watch)
			if same != (err == nil) {
				t.Errorf("equal %v, %v", same, err)
			}
			return err
		},
	} {
		for _, v := range []any{list, object} {
			ctx := testkit.EndingContext(1 << 30)
			if err := do(v, interrupt.New(ctx)); err != nil || ctx.Polls() < n/interrupt.Interval {
				t.Errorf("%s of %T: %v after %d polls", name, v, err, ctx.Polls())
			}
			for _, after := range []int{0, n / interrupt.Interval / 2} {
				if err := do(v, interrupt.New(testkit.EndingContext(after))); !errors.Is(err, context.Canceled) {
					t.Errorf("%s of %T after %d polls: %v", name, v, after, err)
				}
			}
		}
	}
}
