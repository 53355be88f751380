// Package interrupt ends long work early, when a context ends.
//
// The work makes one [Watch] and hands it down. Each loop that depends on input calls
// [Watch.Ended] in every turn and leaves when it reports true. The caller at the top then
// returns [Watch.Err].
package interrupt

import (
	"context"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// Interval is how many calls of [Watch.Ended] share a poll. Turns take some microseconds.
const Interval = 64

// A Watch polls a context for one goroutine. Nil never ends. It is an option of schema and
// the engines.
type Watch struct {
	ctx   context.Context
	turns uint
	err   error
}

// New returns a Watch of ctx, nil if ctx is nil or cannot end.
func New(ctx context.Context) *Watch {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return &Watch{ctx: ctx}
}

// Ended reports whether the context has ended, from then on always. It polls at first and
// after each [Interval] calls.
func (w *Watch) Ended() bool { return w != nil && w.turn() }

func (w *Watch) turn() bool {
	if w.turns++; w.turns%Interval != 1 {
		return w.err != nil
	}
	return w.Poll()
}

// Poll is Ended for turns that take long: it polls the context in every call.
func (w *Watch) Poll() bool {
	if w == nil {
		return false
	}
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

// Err returns the error of the context if a poll found that it ended. It does not look.
func (w *Watch) Err() error {
	if w == nil {
		return nil
	}
	return w.err
}

// Context returns the context, the background if there is none.
func (w *Watch) Context() context.Context {
	if w == nil {
		return context.Background()
	}
	return w.ctx
}

// CELOption makes a Watch an option of package validation/cel.
func (*Watch) CELOption(testopt.Sealed) {}
