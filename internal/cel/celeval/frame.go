package celeval

import (
	"context"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/value/pattern"
)

// A Frame is the state of one evaluation. It belongs to one goroutine. The zero Frame is ready to
// use. The caller sets Self, Old, Limit, Ctx and Memory.Limit. A Frame keeps memory for reuse.
type Frame struct {
	Self, Old any
	vars      [maxVariables]variable

	cost, Limit uint64
	failed      bool       // the evaluation failed
	evalErr     *EvalError // nil if the evaluation is declined

	Ctx    context.Context // nil if it cannot be cancelled
	Memory cellib.Meter    // the caller sets its Limit

	until   uint64     // cost at which the limits are checked next
	stopped *EvalError // the limit that ended the evaluation, else nil

	// State of the innermost loop of each kind.
	decided  bool       // all, exists: an element decided
	pending  *EvalError // all, exists, exists_one: error of an element
	hits     int        // exists_one
	filling  int        // filter, map: index in lists of the result
	madeList []ref.Val  // filter, map: the result, if it is boxed

	entries map[ref.Val]ref.Val // of the innermost loop that makes a map

	names []string // keys of the maps of the open loops

	lists   [][]any // made by the rule; lists[used:] are free
	used    int
	filled  int     // most lists in use since the last release
	held    any     // the value of an optional
	heldBox ref.Val // the same, boxed
	chosen  uint64  // one bit for each choice between two optionals

	texts []string  // terms of open sums
	args  []ref.Val // arguments of open calls
	Text  string    // result of a messageExpression

	Recovered int // panics that Eval recovered from, for tests
}

// frame returns a frame to evaluate a constant. Each call reuses the same frame.
func (x *compiler) frame() *Frame {
	if x.constants == nil {
		x.constants = new(Frame)
	}
	*x.constants = Frame{Limit: math.MaxUint64, Memory: cellib.Meter{Limit: cellib.DefaultMemory}}
	x.constants.begin(&Closure{})
	return x.constants
}

// maxVariables limits the depth of nested loops.
const maxVariables = 6

// A variable of a loop holds a raw value, the name of a map entry, or a boxed value.
type variable struct {
	raw   any
	name  string
	index int64
	key   ref.Val
	box   ref.Val
	known bool       // the value of a bind has been evaluated
	err   *EvalError // error of the value of a bind, or nil
}

// step ends a step of a loop. It reports whether the loop continues.
func (f *Frame) step() bool {
	if f.cost >= f.until {
		f.check()
	} else {
		f.until--
	}
	return !f.failed
}

// A Closure is a compiled expression. It is immutable and safe for concurrent use.
type Closure struct {
	cost   uint64
	run    func(*Frame) bool
	guards bool // Eval recovers from panics
}

func (x *Closure) Compiled() bool { return x.run != nil }

// Eval returns the result and cost of x, or the error that ended it, such as [OverMemory] or
// [Interrupted]. ok is false if the closure declined; cel-go must then evaluate the expression.
func (x *Closure) Eval(f *Frame) (result bool, cost uint64, failed *EvalError, ok bool) {
	f.begin(x)
	switch {
	case f.failed:
	case x.guards:
		f.madeList = nil
		result = x.guarded(f)
	default:
		result = x.run(f)
	}
	return x.outcome(f, result)
}

func (x *Closure) outcome(f *Frame, result bool) (_ bool, cost uint64, failed *EvalError, ok bool) {
	switch {
	case f.stopped != nil:
		f.failed = false
		return false, f.cost, f.stopped, true
	case f.failed:
		failed = f.takeError()
		f.failed = false
		if failed == nil {
			return false, 0, nil, false
		}
	}
	if f.cost > f.Limit {
		return false, 0, nil, false
	}
	return result && failed == nil, f.cost, failed, true
}

func (x *Closure) guarded(f *Frame) bool {
	defer func() {
		if recover() != nil {
			f.Recovered++
			f.decline()
		}
	}()
	return x.run(f)
}

// Release drops all references to the object, and most memory.
func (f *Frame) Release() {
	f.Self, f.Old, f.Ctx, f.Text = nil, nil, nil, ""
	f.held, f.heldBox, f.madeList, f.entries = nil, nil, nil, nil
	f.evalErr, f.pending = nil, nil
	f.vars = [maxVariables]variable{}
	f.names, f.texts, f.args = Emptied(f.names[:cap(f.names)]), Emptied(f.texts[:cap(f.texts)]), Emptied(f.args[:cap(f.args)])
	for i, list := range f.lists[:f.filled] {
		if clear(list[:cap(list)]); cap(list) > maxKeptList {
			f.lists[i] = nil
		}
	}
	f.filled = 0
	if len(f.lists) > maxLists {
		clear(f.lists[maxLists:])
		f.lists = f.lists[:maxLists]
	}
}

const maxLists = 16

// Largest capacities of slices that are kept. maxKeptList is for lists of raw values.
const (
	maxKept     = 1024
	maxKeptList = 1 << 16
)

// Emptied clears s and returns it without elements. If s is large, it returns nil.
func Emptied[T any](s []T) []T {
	if cap(s) > maxKept {
		return nil
	}
	clear(s)
	return s[:0]
}

// Evaluations end at their limits of cost, memory and time. A closure pays before it does work, and
// counts memory before it makes a value.
//
// The cost that is known when a branch is compiled is added when the branch begins. A failure may
// refund a part later. So if the cost is over the limit, the evaluation is declined, and cel-go
// finds the final cost.

// Errors of evaluations that a limit ended.
var (
	OverMemory  = &EvalError{text: "operation cancelled: memory limit exceeded"}
	Interrupted = &EvalError{text: "operation interrupted"}
)

// pollCost is the cost after which an evaluation checks its context.
const pollCost = 500

// begin prepares the limits of an evaluation.
func (f *Frame) begin(x *Closure) {
	f.cost, f.used, f.names, f.args = x.cost, 0, f.names[:0], f.args[:0]
	f.stopped = nil
	f.Memory.Begin()
	if f.cost > f.Limit {
		f.decline()
		return
	}
	f.until = f.cost + min(pollCost, f.Limit-f.cost)
}

// pay adds the cost of a step. If the cost is over the limit or ctx ended, the evaluation fails.
func (f *Frame) pay(units uint64) {
	if f.cost += units; f.cost > f.until {
		f.check()
	}
}

// work brings the next check of the context nearer: reading bytes costs little, but takes time.
func (f *Frame) work(bytes int) {
	units := uint64(bytes) >> 7
	switch {
	case units == 0:
	case f.until <= units || f.cost >= f.until-units:
		f.check()
	default:
		f.until -= units
	}
}

// visit counts the work of reading arguments, and ends the evaluation at a limit. If deep is true,
// it also counts the values within them.
func (f *Frame) visit(deep bool, args []ref.Val) bool {
	for _, v := range args {
		switch v := v.(type) {
		case types.String:
			f.work(len(v))
		case traits.Lister, traits.Mapper, *types.Optional:
			if deep && cellib.Nodes(v, cellib.MaxNodes) >= cellib.MaxNodes && !f.failed {
				f.Memory.Exceeded = true
				f.stop(OverMemory)
			}
		}
	}
	return !f.failed
}

// grow counts small values faster than take.
func (f *Frame) grow(bytes uint64) {
	if f.Memory.Taken += bytes; f.Memory.Taken > f.Memory.Limit {
		f.take(0)
	}
}

func (f *Frame) check() {
	switch {
	case f.failed:
	case f.cost > f.Limit:
		f.decline()
	case f.Ctx != nil && f.Ctx.Err() != nil:
		f.stop(Interrupted)
	default:
		f.until = f.cost + min(pollCost, f.Limit-f.cost)
	}
}

// take counts memory before a value is made. It reports whether the limit allows the value.
func (f *Frame) take(bytes uint64) bool {
	if f.failed {
		return false
	}
	if !f.Memory.Take(bytes) {
		f.stop(OverMemory)
		return false
	}
	f.work(int(min(bytes, math.MaxInt32)))
	return !f.failed
}

func (f *Frame) stop(why *EvalError) {
	f.decline()
	if f.stopped == nil {
		f.stopped = why
	}
}

// longText is the size in bytes of the shortest text whose search checks the context.
const longText = 1 << 14

// match matches a text. A long search ends when the context ends.
func (f *Frame) match(p *pattern.Pattern, text string) bool {
	if len(text) < longText || f.Ctx == nil || p.Fast() {
		f.work(len(text))
		return p.Match(text)
	}
	re, err := regexp.Compile(p.String())
	if err != nil {
		return p.Match(text)
	}
	return re.MatchReader(&interruptible{Reader: strings.NewReader(text), frame: f})
}

// An interruptible reads a text. The text ends when the frame stops.
type interruptible struct {
	*strings.Reader
	frame *Frame
}

func (t *interruptible) ReadRune() (r rune, size int, err error) {
	if t.frame.work(readWork); t.frame.failed {
		return 0, 0, io.EOF
	}
	return t.Reader.ReadRune()
}

// readWork is how many bytes a character counts if package regexp reads it.
const readWork = 1 << 10
