package interrupt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

func TestWatchPollsOncePerInterval(t *testing.T) {
	ctx := testkit.EndingContext(1 << 30)
	w := interrupt.New(ctx)
	if w.Ended(); ctx.Polls() != 1 {
		t.Error("the first call does not poll")
	}
	for range 10*interrupt.Interval - 1 {
		if w.Ended() {
			t.Fatal("ended")
		}
	}
	if ctx.Polls() != 10 {
		t.Errorf("%d polls, want 10", ctx.Polls())
	}
}

func TestWatchStaysEnded(t *testing.T) {
	ctx := testkit.EndingContext(2)
	w := interrupt.New(ctx)
	first, second := w.Poll(), w.Poll()
	if first || second || w.Err() != nil {
		t.Fatal("ended too early")
	}
	if !w.Poll() || !errors.Is(w.Err(), context.Canceled) {
		t.Fatalf("not ended: %v", w.Err())
	}
	polls := ctx.Polls()
	for range 2 * interrupt.Interval {
		if !w.Ended() {
			t.Fatal("no longer ended")
		}
	}
	if ctx.Polls() != polls {
		t.Error("polls a context that has ended")
	}
}

func TestWatchOfContextWithoutEndIsNil(t *testing.T) {
	for name, ctx := range map[string]context.Context{"nil": nil, "background": context.Background()} {
		if w := interrupt.New(ctx); w != nil || w.Ended() || w.Poll() || w.Err() != nil || w.Context() == nil {
			t.Errorf("%s: %v", name, w)
		}
	}
}
