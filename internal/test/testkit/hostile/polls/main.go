//go:build linux

// Polls measures how soon operations notice that their context ends: the processor time
// between two polls of it.
//
//	go run ./internal/test/testkit/hostile/polls BYTES [PATTERN]
//
// It runs each case of package hostile whose name matches the pattern, with an input of
// about BYTES, and prints a line: the name, the size of the input, the processor time of
// the operation, the number of polls, the longest time without a poll, the time after the
// last poll, in which an operation often makes the text of its errors, and the verdict. A
// line follows for each two functions that polled more than 10 ms apart.
//
// The thread also works for the garbage collector while it allocates. With GOGC=off it
// does not.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

// promised is the longest time that may pass between two polls.
const promised = 10 * time.Millisecond

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail(fmt.Errorf("usage: polls BYTES [PATTERN]"))
	}
	size, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail(err)
	}
	pattern := regexp.MustCompile(strings.Join(os.Args[2:], ""))
	runtime.LockOSThread()
	fmt.Printf("%-55s %9s %9s %8s %9s %9s  %s\n", "case", "KB", "ms", "polls", "longest", "after", "verdict")
	for _, c := range hostile.Cases() {
		if !pattern.MatchString(c.Name) {
			continue
		}
		if err := measure(c, size); err != nil {
			fmt.Printf("%-55s %v\n", c.Name, err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func measure(c hostile.Case, size int) error {
	in := c.Input(c.Larger(max(1, size/max(1, c.Input(c.N).Size()))))
	run, err := c.Op(in)
	if err != nil {
		return err
	}
	run(context.Background()) // fills pools and tables
	if run, err = c.Op(in); err != nil {
		return err
	}
	runtime.GC()
	w := &watched{done: make(chan struct{}), last: processorTime(), from: "start", long: map[string]time.Duration{}}
	start := w.last
	verdict := run(w)
	end := processorTime()
	fmt.Printf("%-55s %9d %9.1f %8d %9.1f %9.1f  %s\n", c.Name, in.Size()>>10, ms(end-start), w.polls, ms(w.longest), ms(end-w.last), verdict)
	for _, between := range slices.Sorted(maps.Keys(w.long)) {
		fmt.Printf("%9.1f ms  %s\n", ms(w.long[between]), between)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// A watched context records the time between two polls.
type watched struct {
	done          chan struct{}
	polls         int
	last, longest time.Duration
	from          string
	long          map[string]time.Duration // by the functions that polled before and after
}

func (w *watched) poll(at string) {
	now := processorTime()
	d := now - w.last
	w.longest = max(w.longest, d)
	if d > promised {
		between := w.from + " - " + at
		w.long[between] = max(w.long[between], d)
	}
	w.last, w.from = processorTime(), at
}

func (w *watched) Err() error {
	w.polls++
	w.poll(caller())
	return nil
}

func (w *watched) Done() <-chan struct{}       { return w.done }
func (w *watched) Deadline() (time.Time, bool) { return time.Time{}, false }
func (w *watched) Value(any) any               { return nil }

// caller returns the function that polls, without those of package interrupt.
func caller() string {
	var pcs [12]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		if !strings.HasPrefix(name, "interrupt.") || !more {
			return fmt.Sprintf("%s:%d", name, f.Line)
		}
	}
}

// processorTime returns the processor time of this thread.
func processorTime() time.Duration {
	const threadClock = 3
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		fail(errno)
	}
	return time.Duration(t.Nano())
}
