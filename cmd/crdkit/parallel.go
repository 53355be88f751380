package main

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/crdkit/crdkit/internal/manifest"
)

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
