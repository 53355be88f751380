package celeval

import (
	"context"

	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/cellib"
)

// A Frame is the state of one evaluation.
type Frame struct {
	Self, Old any
	vars      [maxVariables]variable

	cost, Limit uint64
	failed      bool       // the evaluation failed
	failedAt    identity   // what failed; 0 if the result is void
	evalErr     *EvalError // why, unless it is void

	Ctx   context.Context // nil if it cannot be cancelled
	steps uint64          // of loops

	// Of the innermost loop of each kind.
	decided bool       // all, exists: no more elements are of interest
	pending *EvalError // all, exists, exists_one: that of an element
	hits    int        // exists_one
	filling int        // filter, map: index of the list that is made
	made    []ref.Val  // the same, of a list of boxed values
	total   int64      // the same, of a list that is only summed up
	summed  uint64     // how many elements it would have

	entries map[ref.Val]ref.Val // innermost loop that makes a map
	sorter  sorter

	looped bool // vars are set
	rare   bool // one of the fields is set that few rules need

	formatErrors                       []string   // of the last format that did not fit
	stringLists                        [][]string // that strings were split into, like lists
	usedStringLists, filledStringLists int

	lists   [][]any // made by the rule; those from used on can be taken
	used    int
	filled  int     // how many were used since the last release
	held    any     // the value of an optional
	heldBox ref.Val // the same, boxed
	chosen  uint64  // which of two optionals it is, a bit for each choice

	texts []string // of sums that are made
	Text  string   // result of a messageExpression

	Recovered int // panics of all evaluations, which tests require to be none
}

// maxVariables is how many loops may be nested.
const maxVariables = 6

// A variable of a loop holds a raw value, a name or a boxed value.
type variable struct {
	raw   any
	name  string
	index int64
	box   ref.Val
	list  []any
	known bool // of what is bound, which is evaluated at its first use
}

// step counts a step of a loop. It reports whether the loop is to go on.
func (f *Frame) step() bool {
	f.steps++
	if f.cost > f.Limit || f.Ctx != nil && f.steps%cellib.InterruptFrequency == 0 && f.Ctx.Err() != nil {
		f.decline()
	}
	return !f.failed
}

// A Closure is what the executor makes of a rule, or of a messageExpression, whose
// result it leaves in the frame.
type Closure struct {
	cost   uint64
	id     identity
	run    func(*Frame) bool
	guards bool // run may panic on odd data, as cel-go may
}

// Compiled reports whether there is anything to run.
func (x *Closure) Compiled() bool { return x.run != nil }

// Eval evaluates the rule. It is not ok if cel-go has to. The fault is that of
// an evaluation that ends in an error.
func (x *Closure) Eval(f *Frame) (result bool, cost uint64, failed *EvalError, ok bool) {
	f.cost, f.used, f.usedStringLists = x.cost, 0, 0
	if x.guards {
		f.made = nil
		result = x.guarded(f)
	} else {
		result = x.run(f)
	}
	if f.cost > f.Limit {
		f.failed = false
		return false, 0, nil, false
	}
	if !f.failed {
		return result, f.cost, nil, true
	}
	failed = f.takeError(x.id)
	f.failed = false
	return false, f.cost, failed, failed != nil
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

// Release forgets what belongs to the object.
func (f *Frame) Release() {
	f.Self, f.Old, f.held, f.made, f.Ctx, f.evalErr, f.pending = nil, nil, nil, nil, nil, nil, nil
	if f.rare {
		f.releaseRare()
	}
	if f.looped {
		f.vars, f.looped = [maxVariables]variable{}, false
	}
	for _, list := range f.lists[:f.filled] {
		clear(list[:cap(list)])
	}
	f.filled = 0
	if len(f.lists) > maxLists {
		clear(f.lists[maxLists:])
		f.lists = f.lists[:maxLists]
	}
}

// releaseRare forgets what few rules make.
func (f *Frame) releaseRare() {
	f.rare, f.Text, f.heldBox, f.entries, f.formatErrors = false, "", nil, nil, nil
	f.texts = Emptied(f.texts[:cap(f.texts)])
	f.sorter.release()
	for i, words := range f.stringLists[:f.filledStringLists] {
		f.stringLists[i] = Emptied(words[:cap(words)])
	}
	f.filledStringLists = 0
	if len(f.stringLists) > maxLists {
		clear(f.stringLists[maxLists:])
		f.stringLists = f.stringLists[:maxLists]
	}
}

// maxLists is how many lists a frame keeps.
const maxLists = 16

// maxKept is how many steps and names a run keeps room for.
const maxKept = 1024

// Emptied returns s without its elements, of which those in use are cleared.
func Emptied[T any](s []T) []T {
	if cap(s) > maxKept {
		return nil
	}
	clear(s)
	return s[:0]
}
