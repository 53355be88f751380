package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/crdkit/crdkit/internal/oracle/processor"
)

// A yardstick is a simpler operation for comparison.
type yardstick struct {
	name string
	run  func(input any)
}

// A pair is an operation on a case: two functions that do the same.
type pair struct {
	upstream, ours func(input any)
	// fresh returns an input that the functions may change. It is nil if the functions
	// change nothing; they get nil then.
	fresh func() any
	// size is the approximate memory size of an input.
	size int
	idle bool // there is nothing to do
	// yardstick runs a simpler operation for comparison, nil for none.
	yardstick     func(input any)
	yardstickName string
	more          []yardstick
	note          string // printed in the place of a yardstick
}

type measurement struct {
	upstream, ours float64 // ns of one operation
	allocs, bytes  float64 // of one operation of ours
	yardstick      string
}

func (m measurement) ratio() float64 { return m.upstream / m.ours }

const (
	turn = 12 * time.Millisecond // processor time of one turn, about
	// chunk is the number of bytes of inputs that are made at once. A chunk fits into
	// the second-level cache, where an object is after it is decoded. To prune the
	// small objects right after decoding each took 220 to 3295 ns; in a chunk of 256
	// KiB it took 190 to 3365 ns, and in one of 4 MiB 390 to 8062 ns.
	chunk    = 256 << 10
	maxCount = 200_000
)

// measure runs both sides in turns.
func measure(p *pair, rounds int) measurement {
	nUp, nOurs := calibrate(p, p.upstream), calibrate(p, p.ours)
	var up, ours []float64
	for range rounds {
		up = append(up, timed(p, p.upstream, nUp))
		ours = append(ours, timed(p, p.ours, nOurs))
	}
	m := measurement{upstream: median(up), ours: median(ours), yardstick: p.note}
	m.allocs, m.bytes = allocations(p, nOurs)
	all := p.more
	if p.yardstick != nil {
		all = append([]yardstick{{p.yardstickName, p.yardstick}}, all...)
	}
	for _, y := range all {
		spent := measureYardstick(p, y.run, rounds)
		if m.yardstick != "" {
			m.yardstick += ", "
		}
		m.yardstick += fmt.Sprintf("%s %.0f ns", y.name, spent)
	}
	return m
}

// measureYardstick returns the processor time of one run, in ns.
func measureYardstick(p *pair, run func(any), rounds int) float64 {
	n := calibrate(p, run)
	var times []float64
	for range rounds {
		times = append(times, timed(p, run, n))
	}
	return median(times)
}

// calibrate returns the number of runs of f in one turn.
func calibrate(p *pair, f func(any)) int {
	for n := 1; ; n *= 2 {
		spent := spend(p, f, n) * float64(n)
		if n >= maxCount || spent >= float64(turn)/2 {
			return max(1, min(maxCount, int(float64(n)*float64(turn)/max(spent, 1))))
		}
	}
}

// timed returns the mean processor time of n runs of f. It excludes the collection of
// garbage that making the inputs leaves.
func timed(p *pair, f func(any), n int) float64 {
	runtime.GC()
	return spend(p, f, n)
}

// spend is like timed, but the time may include the collection of older garbage.
func spend(p *pair, f func(any), n int) float64 {
	var spent time.Duration
	for left := n; left > 0; {
		inputs, k := p.inputs(left)
		start := processor.Time()
		for i := range k {
			f(inputs[i%len(inputs)])
		}
		spent += processor.Time() - start
		left -= k
	}
	return float64(spent) / float64(n)
}

// inputs returns inputs for up to n runs, and the number of runs.
func (p *pair) inputs(n int) ([]any, int) {
	if p.fresh == nil {
		return []any{nil}, n
	}
	n = max(1, min(n, chunk/max(p.size, 1)))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	inputs := make([]any, n)
	for i := range inputs {
		inputs[i] = p.fresh()
	}
	return inputs, n
}

func allocations(p *pair, n int) (count, bytes float64) {
	inputs, n := p.inputs(min(n, 200))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		p.ours(inputs[i%len(inputs)])
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return (values[n/2-1] + values[n/2]) / 2
}
