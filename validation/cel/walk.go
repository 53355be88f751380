package cel

import (
	"context"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A run is the state of one Eval: the place the walk is at, what corresponds to
// it in the old object, and what was found and spent so far.
type run struct {
	options    evalOptions
	ctx        context.Context
	cancelable bool
	remaining  int64 // cost units; negative once no more rules are run

	path    []schema.Step
	names   []string // of the entries of maps that the walk is in
	ratchet ratchet

	// What the rules of the node at hand can refer to: raw, and for cel-go once
	// bound, by what oldSelf is.
	frame           frame
	bound           bool
	plain, optional variables

	errs, ratcheted validation.ErrorList
}

// maxKept is how many steps and names a run keeps room for.
const maxKept = 1024

// release forgets everything but the room that the next run can use.
func (r *run) release() {
	r.frame.release()
	*r = run{frame: r.frame, path: emptied(r.path), names: emptied(r.names)}
}

func emptied[T any](s []T) []T {
	if cap(s) > maxKept {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// stopped reports whether no more rules are to be run.
func (r *run) stopped() bool { return r.remaining < 0 }

// stop ends the run.
func (r *run) stop() { r.remaining = -1 }

// visit runs the rules of n on value and those below on what value contains. A
// null has no rules. The old value is nil if there is none.
func (r *run) visit(n *node, value, old any) {
	if n == nil || value == nil {
		return
	}
	r.rules(n, value, present(old))
	if r.stopped() {
		return
	}
	switch v := value.(type) {
	case []any:
		r.list(n, v, old)
	case map[string]any:
		old, _ := old.(map[string]any)
		r.object(n, v, old)
	}
}

// object visits the entries of an object by increasing name; first as those of
// a map, then the declared fields.
func (r *run) object(n *node, value, old map[string]any) {
	if !n.correlates {
		old = nil
	}
	if n.values != nil {
		from := len(r.names)
		for name := range value {
			r.names = append(r.names, name)
		}
		to := len(r.names)
		slices.Sort(r.names[from:])
		for i := from; i < to; i++ {
			name := r.names[i]
			r.entry(n.values, schema.Key(name), name, value, old)
			if r.stopped() {
				return
			}
		}
		r.names = r.names[:from]
	}
	for i := range n.fields {
		f := &n.fields[i]
		if _, ok := value[f.name]; !ok {
			continue
		}
		r.entry(f.node, schema.Field(f.name), f.name, value, old)
		if r.stopped() {
			return
		}
	}
}

func (r *run) entry(n *node, step schema.Step, name string, value, old map[string]any) {
	outer := r.ratchet
	r.ratchet = outer.key(name)
	r.path = append(r.path, step)
	r.visit(n, value[name], old[name])
	r.path = r.path[:len(r.path)-1]
	r.ratchet = outer
}

// list visits the elements of a list. They have old values if the list is a map.
func (r *run) list(n *node, value []any, old any) {
	if n.items == nil {
		return
	}
	outer := r.ratchet
	elements := outer.here.Elements()
	for i, v := range value {
		here := elements.At(i)
		r.ratchet = outer.element(here)
		var before any
		if old != nil {
			before = here.Old
		}
		r.path = append(r.path, schema.Index(i))
		r.visit(n.items, v, before)
		r.path = r.path[:len(r.path)-1]
		if r.stopped() {
			break
		}
	}
	r.ratchet = outer
}

// present returns nil for a list or object that is there but nil.
func present(old any) any {
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

// A ratchet says whether the errors of a place are forgiven.
type ratchet struct {
	here  correlate.Pair // the place, if something corresponds to it
	above correlate.Pair // the nearest place above that corresponds to something
}

// key goes down to an entry of an object. The type of an object at the root is
// never forgiven.
func (r ratchet) key(name string) ratchet {
	if !r.here.Correlated() {
		return r
	}
	if !r.above.Correlated() && (name == "apiVersion" || name == "kind") {
		return ratchet{}
	}
	return ratchet{here: r.here.Key(name), above: r.here}
}

// element goes down to an element of a list.
func (r ratchet) element(here correlate.Pair) ratchet {
	if !r.here.Correlated() {
		return r
	}
	return ratchet{here: here, above: r.here}
}

func (r ratchet) unchanged() bool {
	if r.here.Correlated() {
		return r.here.Unchanged()
	}
	return r.above.Unchanged()
}

// variables resolves self and oldSelf. They are the same for all rules of a
// node.
type variables struct {
	self, oldSelf ref.Val
	hasOld        bool // oldSelf is a variable, though it may be an empty optional
}

var _ interpreter.Activation = (*variables)(nil)

// ResolveName implements interpreter.Activation.
func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case selfName:
		return v.self, true
	case oldSelfName:
		return v.oldSelf, v.hasOld
	}
	return nil, false
}

// Parent implements interpreter.Activation.
func (v *variables) Parent() interpreter.Activation { return nil }

// bind sets the variables of cel-go for the rules of n. If none of them refers
// to oldSelf, there is none.
func (r *run) bind(n *node) {
	if r.bound {
		return
	}
	r.bound = true
	old := r.frame.old
	r.plain = variables{self: n.self.value(r.frame.self)}
	r.optional = r.plain
	if !n.usesOld {
		return
	}
	r.optional.oldSelf, r.optional.hasOld = types.OptionalNone, true
	if old != nil {
		r.plain.oldSelf, r.plain.hasOld = n.self.value(old), true
		r.optional.oldSelf = types.OptionalOf(r.plain.oldSelf)
	}
}

// fieldPath returns the place of the walk as the server spells it. At the root
// it is nil.
func (r *run) fieldPath() *field.Path {
	var p *field.Path
	for _, s := range r.path {
		name, named := s.Name()
		switch i, isIndex := s.Index(); {
		case isIndex:
			p = p.Index(i)
		case named && s == schema.Field(name):
			p = p.Child(name)
		default:
			p = p.Key(name)
		}
	}
	return p
}

// schemaPointer returns the place of the schema of the place of the walk.
func (r *run) schemaPointer() string {
	var b strings.Builder
	for _, s := range r.path {
		name, named := s.Name()
		switch {
		case !named:
			b.WriteString("/items")
		case s == schema.Field(name):
			b.WriteString("/properties/")
			b.WriteString(schema.EscapePointer(name))
		default:
			b.WriteString("/additionalProperties")
		}
	}
	return b.String()
}
