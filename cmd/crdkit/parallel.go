package main

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// inOrder runs the functions, as many at a time as there are processors, and
// yields their results in order. A result that is ready before its turn delays
// the start of further functions, which limits the memory of results.
func inOrder[T any](ctx context.Context, work iter.Seq[func() T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		results := make(chan chan T, 4*cap(slots))
		running.Go(func() {
			defer close(results)
			for do := range work {
				result := make(chan T, 1)
				select {
				case results <- result:
				case <-ctx.Done():
					return
				}
				slots <- struct{}{}
				running.Go(func() {
					defer func() { <-slots }()
					result <- do()
				})
			}
		})
		for result := range results {
			select {
			case <-ctx.Done():
				return
			case r := <-result:
				if !yield(r) {
					return
				}
			}
		}
	}
}
