// Package interrupt ends long work early when a context ends.
//
// The work makes one [Watch] and passes it down. Each loop whose length depends on input calls
// [Watch.Ended] in every turn, and stops if it returns true. The caller at the top then returns
// [Watch.Err].
package interrupt

import (
	"context"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// Interval is how many calls of [Watch.Ended] share one poll. A turn of a loop takes microseconds.
const Interval = 64

// A Watch polls a context. It belongs to one goroutine. A nil Watch never ends. A Watch is also an
// option of package schema and of the engines.
type Watch struct {
	ctx   context.Context
	turns uint
	err   error
}

// New returns a Watch of ctx. It returns nil if ctx is nil or cannot end.
func New(ctx context.Context) *Watch {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return &Watch{ctx: ctx}
}

// Ended reports whether the context has ended. Once it has returned true, it always does. It polls
// the context in the first call, and then once in [Interval] calls.
func (w *Watch) Ended() bool { return w != nil && w.turn() }

func (w *Watch) turn() bool {
	if w.turns++; w.turns%Interval != 1 {
		return w.err != nil
	}
	return w.Poll()
}

// Poll is like Ended, for loops with long turns. It polls the context in every call.
func (w *Watch) Poll() bool {
	if w == nil {
		return false
	}
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

// Err returns the error of the context if a poll found that it had ended. Err does not poll.
func (w *Watch) Err() error {
	if w == nil {
		return nil
	}
	return w.err
}

// Context returns the context, or the background context if there is none.
func (w *Watch) Context() context.Context {
	if w == nil {
		return context.Background()
	}
	return w.ctx
}

func (*Watch) CELOption(testopt.Sealed) {}
