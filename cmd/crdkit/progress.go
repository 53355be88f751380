package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows on a terminal how far a long run is. Nothing is shown of a run
// that takes no second, nor anywhere but on a terminal.
type progress struct {
	out    io.Writer // nil if nothing is to be shown
	what   string
	now    func() time.Time
	next   time.Time // when to write again
	counts map[string]int
	total  int
	shown  bool
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// newProgress returns the progress of what, a plural.
func newProgress(out io.Writer, what string) *progress {
	if !isTerminal(out) {
		out = nil
	}
	p := &progress{out: out, what: what, now: time.Now, counts: map[string]int{}}
	p.next = p.now().Add(progressAfter)
	return p
}

// isTerminal reports whether somebody may be looking at what is written: out is a
// device for characters, but not the one that swallows them.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// done counts one more that ended in a verdict.
func (p *progress) done(verdict string) {
	p.total++
	p.counts[verdict]++
	if p.out == nil {
		return
	}
	if now := p.now(); now.After(p.next) {
		p.next = now.Add(progressEvery)
		p.shown = true
		fmt.Fprintf(p.out, "\r\x1b[K%d %s: %d accepted, %d refused, %d undecided", p.total, p.what,
			p.counts[accepted], p.counts[refused], p.counts[undecided])
	}
}

// clear takes the line away that is shown, so that something else can be
// written.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
