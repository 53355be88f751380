package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows the progress of a long run on a terminal. It shows nothing
// during the first second and if the output is not a terminal.
type progress struct {
	out    io.Writer // nil if nothing is to be shown
	what   string
	passed string // the word for a positive verdict
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

// newProgress returns the progress of a run over what, a plural noun. passed is the word
// for a positive verdict.
func newProgress(out io.Writer, what, passed string) *progress {
	var terminal io.Writer
	if isTerminal(out) {
		terminal = fileBelow(out) // as it is: the line has control characters
	}
	p := &progress{out: terminal, what: what, passed: passed, now: time.Now, counts: map[string]int{}}
	p.next = p.now().Add(progressAfter)
	return p
}

// isTerminal reports whether out is a character device other than the null
// device.
func isTerminal(out io.Writer) bool {
	f := fileBelow(out)
	if f == nil {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// done counts one more item with its verdict.
func (p *progress) done(verdict string) {
	p.total++
	p.counts[verdict]++
	if p.out == nil {
		return
	}
	if now := p.now(); now.After(p.next) {
		p.next = now.Add(progressEvery)
		p.shown = true
		fmt.Fprintf(p.out, "\r\x1b[K%d %s: %d %s, %d refused, %d undecided", p.total, p.what,
			p.counts[p.passed], p.passed, p.counts[refused], p.counts[undecided])
	}
}

// clear removes the progress line before other output.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
