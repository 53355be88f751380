package testkit

import (
	"context"
	"time"
)

// An Ending is a context that ends while the work runs: with the poll after the given
// number of polls. It is for one goroutine.
type Ending struct {
	after, polls int
	done         chan struct{}
}

var _ context.Context = (*Ending)(nil)

// EndingContext returns a context that ends after that many polls.
func EndingContext(polls int) *Ending {
	return &Ending{after: polls, done: make(chan struct{})}
}

// Polls returns how often Err was called.
func (c *Ending) Polls() int { return c.polls }

// Err counts a poll.
func (c *Ending) Err() error {
	if c.polls++; c.polls <= c.after {
		return nil
	}
	return context.Canceled
}

// Done returns a channel that is never closed, so that only polls find the end.
func (c *Ending) Done() <-chan struct{} { return c.done }

// Deadline returns none.
func (*Ending) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil.
func (*Ending) Value(any) any { return nil }
