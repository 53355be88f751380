package celrules

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/validation/cel"
)

// reruns is the number of times that the other side runs before its answer counts as
// different.
const reruns = 50_000

// A tally counts comparisons.
type tally struct {
	t     testing.TB
	name  string
	sides string // the sides on which every input ran

	rules                                 atomic.Int64
	evaluations, third                    atomic.Int64 // third: those that also ran on upstream
	chance, byUs, differences, inputs, ok atomic.Int64
	interrupted                           atomic.Int64 // runs that are the difference cel/interrupt

	runs  int // of the other side, reruns if it is 0
	mu    sync.Mutex
	shown int
}

func newTally(t testing.TB, name, sides string) *tally {
	return &tally{t: t, name: name, sides: sides}
}

// three compares all sides. It returns the answer of the fast one.
func (c *tally) three(s *subject, in *input, what string, count int) answer {
	fast := c.two(s, in, what, count)
	c.third.Add(int64(count))
	if in.cancel && fast.isInterrupted() && fast.spent == in.budget && len(fast.warnings) == 0 {
		c.interrupted.Add(1) // cel/interrupt
		return fast
	}
	if s.upstream(in).equal(fast) {
		return fast
	}
	for range c.patience() {
		in := &input{obj: upstream.Inserted(in.obj), old: upstream.Inserted(in.old), budget: in.budget, cancel: in.cancel}
		if s.upstream(in).equal(fast) || s.inOrder(in).equal(fast) {
			c.chance.Add(1)
			return fast
		}
	}
	c.differ(s, in, what+", upstream (-) and the executor (+)", fast.diff(s.inOrder(in)))
	return fast
}

// isInterrupted reports whether a run ended because of its context, which is the
// difference cel/interrupt.
func (a answer) isInterrupted() bool {
	return len(a.errors) == 1 && strings.Contains(a.errors[0], "operation interrupted: context canceled")
}

// two compares the executor with cel-go.
func (c *tally) two(s *subject, in *input, what string, count int) answer {
	c.evaluations.Add(int64(count))
	if n := c.inputs.Add(1); n%16 == 0 {
		c.keeps(s, in, what, uint64(n))
	}
	fast := ours(s.fast, in)
	reference := ours(s.reference, in)
	if len(fast.errors) == 0 {
		c.ok.Add(1)
	}
	if reference.equal(fast) {
		return fast
	}
	for range c.patience() {
		if ours(s.reference, in).equal(fast) {
			c.byUs.Add(1)
			return fast
		}
	}
	c.differ(s, in, what+", cel-go (-) and the executor (+)", fast.diff(ours(s.reference, in)))
	return fast
}

// keeps runs the executor on another object before it checks an answer. An answer may refer
// to its own object, but not to memory that later runs use. The executor changes no object.
func (c *tally) keeps(s *subject, in *input, what string, seed uint64) {
	before := string(testkit.Encode(in.obj)) + string(testkit.Encode(in.old))
	res := s.fast.Eval(in.context(), in.obj, cel.Old(in.old), cel.Budget(uint64(in.budget)))
	first := answerOf(&res)
	rng := rand.New(rand.NewPCG(seed, 16))
	for range 2 {
		s.fast.Eval(in.context(), harm(rng, in.obj), cel.Old(in.obj))
	}
	if second := answerOf(&res); !second.equal(first) {
		c.differ(s, in, what+", the answer before (-) and after another run (+)", second.diff(first))
	}
	if string(testkit.Encode(in.obj))+string(testkit.Encode(in.old)) != before {
		c.differ(s, in, what, "  the object is changed")
	}
}

// patience returns the number of runs. Many differences reduce it, to save time.
func (c *tally) patience() int {
	if c.runs > 0 {
		return c.runs
	}
	if c.differences.Load() > 3 {
		return reruns / 1000
	}
	return reruns
}

func (c *tally) differ(s *subject, in *input, what, diff string) {
	c.differences.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown++; c.shown <= 8 {
		c.t.Errorf("%s: %s: budget %d\n%s  object %s\n  old    %s", s.name, what, in.budget, diff, text(in.obj), text(in.old))
	}
}

// report prints the line of a test.
func (c *tally) report() {
	var b strings.Builder
	fmt.Fprintf(&b, "cel %s: %d rules, %d evaluations on %s", c.name, c.rules.Load(), c.evaluations.Load(), c.sides)
	if third := c.third.Load(); third != c.evaluations.Load() {
		fmt.Fprintf(&b, ", %d of them on upstream too", third)
	}
	fmt.Fprintf(&b, ", %d differences (%d inputs, %d without errors; %d answers found in another run of upstream, %d of cel-go; %d ended by cel/interrupt)",
		c.differences.Load(), c.inputs.Load(), c.ok.Load(), c.chance.Load(), c.byUs.Load(), c.interrupted.Load())
	fmt.Println(b.String())
	if n := c.differences.Load(); n > 0 {
		c.t.Errorf("%d differences", n)
	}
}

// parallel calls work with all numbers below n, on all processors.
func parallel(n int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	group.Wait()
}
