package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/internal/text/manifest"
)

// A worklog records the progress of a command, for the message after an interrupt.
type worklog struct {
	judged  atomic.Int64
	current atomic.Pointer[manifest.Object]
}

type worklogKey struct{}

func worklogOf(ctx context.Context) *worklog {
	if w, ok := ctx.Value(worklogKey{}).(*worklog); ok {
		return w
	}
	return &worklog{}
}

func (w *worklog) done() {
	w.judged.Add(1)
	w.current.Store(nil)
}

// report prints how many objects were judged before an interrupt.
func (w *worklog) report(out io.Writer) {
	rest := "the rest was not"
	if o := w.current.Load(); o != nil {
		rest = o.Location() + " and the rest were not"
	}
	n := w.judged.Load()
	objects := "objects were"
	if n == 1 {
		objects = "object was"
	}
	fmt.Fprintf(out, "error: interrupted: %d %s judged, %s\n", n, objects, rest)
}

// inOrder calls work(o) for each object o, on all processors. It calls use(r) for each result
// r, in the order of the objects. It buffers a few results per processor. Results should not
// refer to the text of the object. inOrder ends when use fails or ctx ends. It panics if
// the iterator or work panics.
func inOrder[T any](ctx context.Context, objects iter.Seq[*manifest.Object], work func(*manifest.Object) T, use func(T) error) error {
	type pending struct {
		object *manifest.Object // without its text
		result T
		crash  string        // the panic of work, "" if there was none
		done   chan struct{} // closed when there is a result
	}
	log := worklogOf(ctx)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	queue := make(chan *pending, 4*cap(slots))
	crash := ""
	running.Go(func() {
		defer close(queue)
		defer recovered(&crash)
		for o := range objects {
			next := &pending{object: withoutText(o), done: make(chan struct{})}
			select {
			case queue <- next:
			case <-ctx.Done():
				return
			}
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				defer close(next.done)
				defer recovered(&next.crash)
				next.result = work(o)
			})
		}
	})
	for next := range queue {
		log.current.Store(next.object)
		select {
		case <-ctx.Done():
		case <-next.done:
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if next.crash != "" {
			panic(next.crash)
		}
		if err := use(next.result); err != nil {
			return err
		}
		log.done()
	}
	if crash != "" {
		panic(crash)
	}
	return ctx.Err()
}

// recovered is deferred. It stores a panic and its stack in crash, for another goroutine.
func recovered(crash *string) {
	if p := recover(); p != nil {
		*crash = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
	}
}

// progress shows a long run on a terminal, after the first second.
type progress struct {
	out    io.Writer // nil if it is not a terminal
	what   string
	passed string    // the positive verdict
	next   time.Time // when to write again
	counts map[string]int
	total  int
	shown  bool
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// newProgress returns the progress of a run. noun is "objects" or "definitions".
func newProgress(out io.Writer, noun, passed string) *progress {
	p := &progress{what: noun, passed: passed, next: time.Now().Add(progressAfter), counts: map[string]int{}}
	if isTerminal(out) {
		p.out = fileBelow(out) // unlike out, the file does not escape control characters
	}
	return p
}

// isTerminal reports whether out is a character device other than the null device.
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

func (p *progress) done(verdict string) {
	p.total++
	p.counts[verdict]++
	if p.out == nil {
		return
	}
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(progressEvery)
		p.shown = true
		fmt.Fprintf(p.out, "\r\x1b[K%d %s: %d %s, %d refused, %d undecided", p.total, p.what,
			p.counts[p.passed], p.passed, p.counts[refused], p.counts[undecided])
	}
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
