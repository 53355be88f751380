package cel

import (
	"context"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/crdkit/crdkit/internal/cel/celeval"
	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/validation"
)

// A run is the state of one Eval.
type run struct {
	options    evalOptions
	program    *Program
	ctx        context.Context
	cancelable bool
	visits     int   // number of visited values with rules
	remaining  int64 // cost units; negative if the run has ended

	path     pathstack.Stack
	place    place    // of the current rules; zero until a rule fails
	names    []string // keys of the maps that are being visited
	object   any      // the object at the root
	levels   []level  // along the path
	known    int      // the number of valid levels
	ratchets bool     // there is an old object

	// Closures read self and oldSelf in frame. cel-go reads them in r.optional
	// for rules with optionalOldSelf, and in r.required for others.
	frame              celeval.Frame
	bound              bool // required and optional are set
	required, optional variables

	errors, ratcheted validation.ErrorList
	failed, forgiven  int // number of errors and ratcheted errors, including omitted ones
}

// release drops all references, and keeps memory for the next run.
func (r *run) release() {
	r.frame.Release()
	r.options, r.program, r.ctx, r.object = evalOptions{}, nil, nil, nil
	if r.bound {
		r.bound, r.required, r.optional = false, variables{}, variables{}
	}
	r.place, r.errors, r.ratcheted, r.failed, r.forgiven = place{}, nil, nil, 0, 0
	r.path.Steps, r.names = celeval.Emptied(r.path.Steps[:cap(r.path.Steps)]), celeval.Emptied(r.names)
	if r.known > 0 {
		r.levels, r.known = celeval.Emptied(r.levels[:cap(r.levels)]), 0
	}
}

// ended reports whether the context ended. One in pollVisits calls checks it.
func (r *run) ended() bool {
	r.visits++
	return r.visits%pollVisits == 1 && r.ctx.Err() != nil
}

const pollVisits = 16

func (r *run) stopped() bool { return r.remaining < 0 }

func (r *run) stop() { r.remaining = -1 }

// visit runs the rules of n and below on value, which is not null. old is the old value, nil
// if there is none or no rule needs it.
func (r *run) visit(n *node, value, old any) {
	if n.hasRules {
		r.rules(n, value, withoutTypedNil(old))
		if r.stopped() {
			return
		}
	}
	switch v := value.(type) {
	case []any:
		if n.items != nil {
			r.list(n.items, v, old)
		}
	case map[string]any:
		r.members(n, v, old)
	}
}

func (r *run) members(n *node, value map[string]any, old any) {
	before, _ := old.(map[string]any)
	if !n.correlates {
		before = nil
	}
	if n.values != nil {
		r.entries(n.values, value, before)
	}
	r.fields(n.fields, value, before)
}

func (r *run) entries(n *node, value map[string]any, old map[string]any) {
	from := len(r.names)
	for name := range value {
		r.names = append(r.names, name)
	}
	to := len(r.names)
	slices.Sort(r.names[from:])
	for i := from; i < to && !r.stopped(); i++ {
		name := r.names[i]
		if v := value[name]; v != nil {
			r.entry(n, pathstack.Entry, name, v, old)
		}
	}
	clear(r.names[from:to])
	r.names = r.names[:from]
}

func (r *run) fields(fields []childField, value map[string]any, old map[string]any) {
	for i := range fields {
		f := &fields[i]
		v := value[f.name]
		if v == nil {
			continue
		}
		r.entry(f.node, pathstack.Property, f.name, v, old)
		if r.stopped() {
			return
		}
	}
}

func (r *run) entry(n *node, kind pathstack.Kind, name string, v any, old map[string]any) {
	var before any
	if n.needsOld && old != nil {
		before = old[name]
	}
	r.path.Push(kind, name, 0)
	r.visit(n, v, before)
	r.leave()
}

// list visits the elements of a list. Only elements of a list of type map have old values.
func (r *run) list(n *node, value []any, old any) {
	for i, v := range value {
		if v == nil {
			continue
		}
		r.path.Push(pathstack.Item, "", i)
		var before any
		if n.needsOld && old != nil {
			before = r.ratchet().here.Old
		}
		r.visit(n, v, before)
		r.leave()
		if r.stopped() {
			return
		}
	}
}

func (r *run) leave() {
	r.path.Pop()
	if r.known > len(r.path.Steps)+1 {
		r.known--
		r.levels[r.known] = level{}
	}
}

// withoutTypedNil returns nil for a nil list or object.
func withoutTypedNil(old any) any {
	switch v := old.(type) {
	case map[string]any:
		if v == nil {
			return nil
		}
	case []any:
		if v == nil {
			return nil
		}
	}
	return old
}

// A level is for one value on the path. It is computed when a rule fails or needs an old value.
type level struct {
	ratchet     ratchet
	elements    correlate.Elements
	hasElements bool // elements is set

	compared, same bool // ratchet.here was compared; its values are the same
}

func (r *run) ratchet() ratchet {
	if !r.ratchets {
		return ratchet{}
	}
	if r.known == 0 {
		r.levels = append(r.levels[:0], level{ratchet: ratchet{here: r.program.correlate.Pair(r.object, r.options.old)}})
		r.known = 1
	}
	for r.known <= len(r.path.Steps) {
		r.levels = append(r.levels[:r.known], level{ratchet: r.levels[r.known-1].below(r.path.Steps[r.known-1], r.known-1)})
		r.known++
	}
	return r.levels[r.known-1].ratchet
}

// below returns the ratchet of the value at step s. index is the index of l in run.levels.
func (l *level) below(s pathstack.Step, index int) ratchet {
	if s.Kind != pathstack.Item {
		return l.ratchet.key(s.Name, index)
	}
	if !l.hasElements {
		l.elements, l.hasElements = l.ratchet.here.Elements(), true
	}
	return l.ratchet.element(l.elements.At(s.Index), index)
}

// unchanged reports whether the current value is unchanged. If it has no old value, the
// nearest enclosing value with an old value counts. Each value is compared once.
func (r *run) unchanged() bool {
	t := r.ratchet()
	pair, index := t.here, r.known-1
	if !pair.Correlated() {
		pair, index = t.above, t.aboveIndex
	}
	if !pair.Correlated() {
		return false
	}
	l := &r.levels[index]
	if !l.compared {
		l.compared, l.same = true, pair.Unchanged()
	}
	return l.same
}

// A ratchet has the values that decide whether errors of a value are ratcheted.
type ratchet struct {
	here       correlate.Pair // the value and its old value, zero if it has none
	above      correlate.Pair // the nearest enclosing value with an old value
	aboveIndex int            // index of above in run.levels
}

// key returns the ratchet of a map entry or field. Errors of apiVersion and kind at the root
// are never ratcheted.
func (r ratchet) key(name string, index int) ratchet {
	if !r.here.Correlated() {
		return r
	}
	if !r.above.Correlated() && (name == "apiVersion" || name == "kind") {
		return ratchet{}
	}
	return ratchet{here: r.here.Key(name), above: r.here, aboveIndex: index}
}

func (r ratchet) element(here correlate.Pair, index int) ratchet {
	if !r.here.Correlated() {
		return r
	}
	return ratchet{here: here, above: r.here, aboveIndex: index}
}

// variables resolves self and oldSelf for cel-go, for all rules of a node.
type variables struct {
	self, oldSelf ref.Val
	hasOld        bool // oldSelf is defined, maybe as an empty optional
	memory        *cellib.Meter
}

var _ interpreter.Activation = (*variables)(nil)

func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case celtypes.Self:
		return v.self, true
	case celtypes.OldSelf:
		return v.oldSelf, v.hasOld
	case celtypes.Memory:
		return v.memory, true
	}
	return nil, false
}

func (v *variables) Parent() interpreter.Activation { return nil }

// bind sets the variables of cel-go for the rules of n. It sets oldSelf only if a rule
// refers to it.
func (r *run) bind(n *node) {
	if r.bound {
		return
	}
	r.bound = true
	old := r.frame.Old
	r.required = variables{self: n.self.Value(r.frame.Self)}
	r.optional = r.required
	if !n.usesOld {
		return
	}
	r.optional.oldSelf, r.optional.hasOld = types.OptionalNone, true
	if old != nil {
		r.required.oldSelf, r.required.hasOld = n.self.Value(old), true
		r.optional.oldSelf = types.OptionalOf(r.required.oldSelf)
	}
}
