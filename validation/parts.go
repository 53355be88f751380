package validation

import (
	"iter"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A Part is a value in an object.
type Part struct {
	// Path leads from the root of the object to the value. Its steps to map entries
	// may be fields or keys.
	Path  schema.Path
	Value any
	// Equal: the value is a list of type set or map. Its errors are those of equal
	// elements, and no others. Elements need no members but the keys of the list.
	Equal bool
}

// ValidateParts returns the errors that [Validator.Validate] reports of parts of an
// object, sorted: for each part those of [Validator.ValidateAt], or those of equal elements.
// The cost depends on the parts, not on the rest of the object. It keeps neither paths nor
// lists with Equal.
//
// It reports false if only Validate can tell the errors of all parts together: if a part
// has no error, if errors of two parts are reported as one, or if there are more errors
// than [MaxErrors] allows. The errors are then of no use.
func (v *Validator) ValidateParts(parts iter.Seq[Part], opts ...CallOption) (ErrorList, bool) {
	return v.validateParts(v.root, pathstack.Stack{}, parts, opts)
}

// ValidateStatusParts is like [Validator.ValidateParts], but returns the errors that
// [Validator.ValidateStatus] reports. The paths start with the status field. It reports
// false for a part with Equal: ValidateStatus checks the lists of the whole object.
func (v *Validator) ValidateStatusParts(parts iter.Seq[Part], opts ...CallOption) (ErrorList, bool) {
	below := true // all parts are
	errs, ok := v.validateParts(v.status, statusStack(), func(yield func(Part) bool) {
		for p := range parts {
			if below = len(p.Path) > 0; !below {
				return
			}
			if p.Path = p.Path[1:]; !yield(p) {
				return
			}
		}
	}, opts)
	return errs, ok && below
}

func (v *Validator) validateParts(root *leafcheck.Node, stack pathstack.Stack, parts iter.Seq[Part], opts []CallOption) (ErrorList, bool) {
	if v.wrong != nil {
		return ErrorList{v.wrong}, true
	}
	w := newPartsRun(v, root, stack, callOf(opts))
	for p := range parts {
		if !w.part(&p) {
			return nil, false
		}
	}
	errs := append(w.errs, w.lists.errs...)
	if w.bounds.maxErrors > 0 && len(errs) > w.bounds.maxErrors {
		return nil, false
	}
	errs.sort(w.bounds.watch)
	return errs, true
}

// A partsRun is the state of one walk over parts of an object.
type partsRun struct {
	run
	lists listRun
	root  *leafcheck.Node
	nodes []*leafcheck.Node // that the steps of the stack lead to
	errs  ErrorList
	texts map[string]int // the number of the part with this text of an error
	parts int
}

func newPartsRun(v *Validator, root *leafcheck.Node, stack pathstack.Stack, bounds call) *partsRun {
	w := &partsRun{
		run:   run{checkAll: v.collectOnly, stack: stack, bounds: bounds},
		lists: listRun{checkAll: v.collectOnly, bounds: bounds},
		root:  root, texts: map[string]int{},
	}
	w.stack.Steps, w.buf = w.steps[:0], w.bytes[:0]
	return w
}

// part adds the errors of a part. It reports false if there are none, or if the errors
// of an earlier part have the text of one.
func (w *partsRun) part(p *Part) bool {
	w.parts++
	n := w.enter(p.Path)
	if n == nil || w.bounds.watch.Ended() {
		return false
	}
	switch {
	case p.Equal && w.stack.Start.Field != "":
		return false
	case p.Equal:
		return w.equal(n, p.Value)
	}
	w.found = w.first[:0]
	w.check(n, p.Value, correlate.Pair{})
	for _, f := range w.found {
		switch number, ok := w.texts[f.text]; {
		case !ok:
			w.texts[f.text] = w.parts
			w.errs = append(w.errs, f.err)
		case number != w.parts:
			return false
		}
	}
	return len(w.found) > 0 && w.omitted.n == 0
}

// equal adds the errors of a list with equal elements. It reports false if there are none.
func (w *partsRun) equal(n *leafcheck.Node, v any) bool {
	before := len(w.lists.errs)
	w.lists.stack = w.stack
	if list, ok := v.([]any); ok {
		w.lists.elements(n, list)
	}
	return len(w.lists.errs) > before && w.lists.omitted.n == 0
}

// enter moves the stack to a path. It returns the node of the value there, nil if none is
// declared. Consecutive parts mostly share the first steps.
func (w *partsRun) enter(path schema.Path) *leafcheck.Node {
	same := 0
	for same < min(len(path), len(w.nodes)) && w.isStep(same, path[same]) {
		same++
	}
	w.stack.Steps, w.nodes = w.stack.Steps[:same], w.nodes[:same]
	n := w.root
	if same > 0 {
		n = w.nodes[same-1]
	}
	for _, step := range path[same:] {
		if n == nil {
			return nil
		}
		n = enter(&w.stack, n, step)
		w.nodes = append(w.nodes, n)
	}
	return n
}

// isStep reports whether a step of the stack is the given one.
func (w *partsRun) isStep(i int, step schema.Step) bool {
	s := &w.stack.Steps[i]
	if index, ok := step.Index(); ok {
		return s.Kind == pathstack.Item && s.Index == index
	}
	name, _ := step.Name()
	return s.Kind != pathstack.Item && s.Name == name
}
