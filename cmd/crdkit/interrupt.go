package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync/atomic"

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

// each calls judge for each object until one of the calls fails or the context ends. It
// records the work in the worklog of the context.
func each(ctx context.Context, r *manifest.Reader, files []string, judge func(*manifest.Object) error) error {
	log := worklogOf(ctx)
	for o := range r.Objects(ctx, files...) {
		log.at(o)
		if err := judge(o); err != nil {
			return err
		}
		if ctx.Err() != nil {
			break
		}
		log.judged.Add(1)
		log.current.Store(nil)
	}
	return ctx.Err()
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
		log.judged.Add(1)
		used++
		if err := use(result); err != nil {
			return err
		}
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
