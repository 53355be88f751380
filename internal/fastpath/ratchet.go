package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// An update may keep errors of values that did not change. A walk that ratchets
// proposes the innermost value that it would refuse as a candidate. If that is
// not forgiven, it proposes the value around it, and so on. A forgiven value
// stays as it is, so pruning, dropping nulls and defaulting must not change it.
//
// A walk does not propose an element of a list of type map as a whole: it needs
// the keys of the element on their own. It proposes the values inside and the
// list.

// A Ratchet says which wrong values an object may keep: those that are unchanged
// from the old object. It is for one call of [Plan.JSON].
type Ratchet struct {
	// Schema correlates values of the object with those of the old object.
	Schema *correlate.Schema
	// Old is the text of the old object. The status of the request, if there is
	// one, belongs to it.
	Old string
	// Document is what [Plan.Document] has read of Old, or zero. Its members need not be
	// found again.
	Document Document
	// Start is the number of steps of a path at whose end apiVersion and kind are
	// always new.
	Start int
	// All forgives every wrong value. Schema, Old and Start have no effect then.
	All bool
	// Typed: all values must be of the types that the schema declares.
	Typed bool
	// Forgiven are the forgiven values. None is inside another.
	Forgiven []Forgiven

	text      string           // of the object
	oldStatus bool             // the status is that of the old object
	closed    bool             // the ratchet forgives nothing else
	until     *interrupt.Watch // of the walk
	counterpart

	watch func(at Location) bool // of tests, see Ratchet.Watch
}

// Forgiven is a wrong value that an object keeps.
type Forgiven struct {
	At    Location
	Value any
}

// A Location is the position of a value in the text of an object.
type Location struct {
	text   string
	index  int
	status bool // the text is that of the status of the request
}

// Path returns the steps to the value from the root of the object. The members
// of an object are fields, declared or not. It reports false if it cannot tell
// the path.
func (p Location) Path() (schema.Path, bool) {
	c := cursor{text: p.text, at: jsonscan.Space(p.text, 0)}
	ok := c.to(p.index)
	path := c.appendPath(make(schema.Path, 0, len(c.open)))
	if p.status {
		path = slices.Insert(path, 0, schema.Field("status"))
	}
	return path, ok
}

// A mark is the state of a walk at one time.
type mark struct{ out, entries, seen, keys, depth, edits, notes, forgiven int }

func (w *walk) mark() mark {
	w.flush()
	return mark{
		len(w.out), len(w.entries), len(w.seen), len(w.keys), w.depth,
		len(w.edits), len(w.notes), len(w.request.Ratchet.Forgiven),
	}
}

// back undoes what was done since m. What it drops refers to no text any more, or
// release clears it.
func (w *walk) back(m mark) {
	clear(w.keys[m.keys:])
	clear(w.edits[m.edits:])
	clear(w.notes[m.notes:])
	w.out, w.entries, w.seen, w.keys, w.depth = w.out[:m.out], w.entries[:m.entries], w.seen[:m.seen], w.keys[:m.keys], m.depth
	w.edits, w.notes, w.pending = w.edits[:m.edits], w.notes[:m.notes], span{}
}

// forgiven is walkValue, but keeps a value that walkValue declines if the ratchet
// forgives it.
func (w *walk) forgiven(n *node, i int) int {
	f, before, touched := w.request.Ratchet, w.mark(), w.touched
	w.entered = i + 1
	end := w.walkValue(n, i)
	w.entered = 0
	if end >= 0 || f.closed {
		return end
	}
	w.back(before)
	w.touched = touched
	at := Location{text: w.s, index: i, status: w.inStatus}
	if !f.candidate(at) {
		return refused
	}
	v, end := jsonscan.Value(w.s, i, w.request.Watch)
	typed := f.Typed || w.plan.replicas // counting admits no other types above
	if end < 0 || jsonscan.HasIntegral(v) || !n.keeps(v, typed) || !n.check.Distinct(v) || !f.forgives(v) {
		return refused
	}
	f.Forgiven = append(f.Forgiven[:before.forgiven], Forgiven{At: at, Value: v})
	w.why = accepted
	if !w.writeValue(v) {
		return refused
	}
	return end
}

// keeps reports whether v stays as it is but for what is wrong with it. If
// typed, all of it has to be of the types that are declared.
func (n *node) keeps(v any, typed bool) bool {
	if n.decline != accepted || n.embedded || n.opaque {
		return false
	}
	if n.replicas && !isCount(v, nil) {
		return false // of which nothing is forgiven
	}
	kind := leafcheck.MaskOf(v)
	if typed && (n.accept&kind == 0 || kind&leafcheck.Float != 0 && n.accept&leafcheck.Float != leafcheck.Float) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return n.accept&leafcheck.Object != 0 && n.keepsMembers(v, typed)
	case []any:
		if n.accept&leafcheck.Array == 0 {
			return false
		}
		for _, e := range v {
			if e == nil && n.items.nullFill || !n.items.keeps(e, typed) {
				return false
			}
		}
	}
	return true
}

func (n *node) keepsMembers(m map[string]any, typed bool) bool {
	for key, e := range m {
		child := n.rest
		if i, ok := n.members.at(key); ok {
			child = n.members.list[i].node
		} else if n.others == keepOthers {
			continue
		} else if n.others != walkOthers {
			return false
		}
		if e == nil && (child.nullFill || child.nullDrop) || !child.keeps(e, typed) {
			return false
		}
	}
	for i := range n.members.list {
		if _, ok := m[n.members.list[i].name]; !ok && n.members.defaults.has(i) {
			return false
		}
	}
	return true
}
