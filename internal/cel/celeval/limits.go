package celeval

import (
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

// Evaluations end at their limits of cost, memory and time. A closure pays before it does
// work, and takes memory before it makes a value.
//
// The cost that is known when a branch is compiled is added when the branch begins. A
// failure may refund a part. So an evaluation over its limit of cost is declined: cel-go
// finds out where it ends.

// The errors of evaluations that a limit ended.
var (
	OverMemory  = &EvalError{text: "operation cancelled: memory limit exceeded"}
	Interrupted = &EvalError{text: "operation interrupted"}
)

// pollCost is the cost after which an evaluation looks at its context.
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

// pay adds the cost of a step. The evaluation fails if it is over its limit or interrupted.
func (f *Frame) pay(units uint64) {
	if f.cost += units; f.cost > f.until {
		f.check()
	}
}

// work counts work that costs hardly anything, in bytes that are read.
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

// visit counts the work of reading arguments, deep with all values in them, within the
// limits.
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

// grow is like take for a few bytes.
func (f *Frame) grow(bytes uint64) {
	if f.Memory.Taken += bytes; f.Memory.Taken > f.Memory.Limit {
		f.take(0)
	}
}

// check ends the evaluation at a limit.
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

// take counts the memory of a value before it is made. It reports whether the limit allows
// it.
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

// stop ends the evaluation with the error of a limit.
func (f *Frame) stop(why *EvalError) {
	f.decline()
	if f.stopped == nil {
		f.stopped = why
	}
}

// longText is how many bytes a text has whose search looks at the context.
const longText = 1 << 14

// match matches a text. A long search ends with the context.
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

// An interruptible is a text that ends when its frame stops.
type interruptible struct {
	*strings.Reader
	frame *Frame
}

// ReadRune implements io.RuneReader.
func (t *interruptible) ReadRune() (r rune, size int, err error) {
	if t.frame.work(readWork); t.frame.failed {
		return 0, 0, io.EOF
	}
	return t.Reader.ReadRune()
}

// readWork is the work of a step of package regexp.
const readWork = 1 << 10
