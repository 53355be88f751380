package main

import (
	"cmp"
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

	"github.com/crdkit/crdkit/internal/manifest"
)

// A worklog says how far a command has come, for the message of an interrupt.
type worklog struct {
	judged  atomic.Int64
	current atomic.Pointer[manifest.Object] // that is being judged
}

type worklogKey struct{}

// withWorklog returns a context whose commands record their work.
func withWorklog(ctx context.Context) (context.Context, *worklog) {
	w := &worklog{}
	return context.WithValue(ctx, worklogKey{}, w), w
}

// worklogOf returns the worklog of a context.
func worklogOf(ctx context.Context) *worklog {
	if w, ok := ctx.Value(worklogKey{}).(*worklog); ok {
		return w
	}
	return &worklog{}
}

// at records that an object is being judged.
func (w *worklog) at(o *manifest.Object) { w.current.Store(o) }

// each is eachInOrder for work that one goroutine does.
func each(ctx context.Context, r *manifest.Reader, files []string, use func(*manifest.Object) error) error {
	return eachInOrder(ctx, r, files, func(o *manifest.Object) *manifest.Object { return o }, use)
}

// eachInOrder works on the objects of files on all processors, and calls use for each
// result in the order of the objects. A result should not hold the text of its object: it
// may wait for its turn. eachInOrder ends when use returns an error or the context ends.
func eachInOrder[T any](ctx context.Context, r *manifest.Reader, files []string, work func(*manifest.Object) T, use func(T) error) error {
	log := worklogOf(ctx)
	read, used := 0, 0
	all := func(yield func(*manifest.Object, func() T) bool) {
		for o := range r.Objects(ctx, files...) {
			read++
			if !yield(o, func() T { return work(o) }) {
				return
			}
		}
	}
	for result := range inOrder(ctx, all) {
		if ctx.Err() != nil {
			break
		}
		used++
		if err := use(result); err != nil {
			return err
		}
		log.judged.Add(1)
	}
	return cmp.Or(ctx.Err(), allUsed(read, used))
}

// allUsed returns an error unless all objects that were read have a result. A command must
// not succeed if it has lost one.
func allUsed(read, used int) error {
	if read != used {
		return fmt.Errorf("internal error: %d objects were read, and %d have a result", read, used)
	}
	return nil
}

// report prints what an interrupt left undone.
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

// A pendingResult is the result of the work on an object, which may be under way.
type pendingResult[T any] struct {
	object *manifest.Object // without its text, nil for none
	result chan T
}

// A crash carries the panic of a goroutine, as text, to the goroutine that waits for it.
type crash chan string

// catch is deferred by the goroutine.
func (c crash) catch() {
	if p := recover(); p != nil {
		select {
		case c <- fmt.Sprintf("%v\n\n%s", p, debug.Stack()):
		default: // there is one already
		}
	}
}

// inOrder runs the functions, as many at a time as there are processors, and
// yields their results in order. A result that is ready before its turn delays
// the start of further functions, which limits the memory of objects and results. The
// worklog of the context names the object whose result comes next. If work or one of the
// functions panics, the loop over the results does.
func inOrder[T any](ctx context.Context, work iter.Seq2[*manifest.Object, func() T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		log := worklogOf(ctx)
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		results := make(chan pendingResult[T], 4*cap(slots))
		crashed := make(crash, 1)
		running.Go(func() {
			defer close(results)
			defer crashed.catch()
			for object, do := range work {
				next := pendingResult[T]{result: make(chan T, 1)}
				if object != nil {
					next.object = withoutText(object)
				}
				select {
				case results <- next:
				case <-ctx.Done():
					return
				}
				slots <- struct{}{}
				running.Go(func() {
					defer func() { <-slots }()
					defer crashed.catch()
					next.result <- do()
				})
			}
		})
		for next := range results {
			log.at(next.object)
			select {
			case <-ctx.Done():
				return
			case text := <-crashed:
				panic(text)
			case r := <-next.result:
				if !yield(r) {
					return
				}
			}
		}
		if len(crashed) > 0 {
			panic(<-crashed)
		}
		log.at(nil)
	}
}

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
