package fastpath

import (
	"unsafe"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A sink takes what a walk over a text makes of it. It either writes the
// canonical text to out, or notes in edits what has to change in the input. All
// that depends on which of them it does is in this file and in splice.go.
//
// It is a struct with a mode, and not an interface, so that a walk makes no
// dynamic call for a member.
type sink struct {
	splices bool // edits instead of out
	out     []byte
	edits   []textEdit // in the order of the input
	touched bool       // the output means something else than the input
	scratch []byte
}

// write puts out a text that the input has at the same position, apart from its
// spelling.
func (k *sink) write(text string) {
	if !k.splices {
		k.out = append(k.out, text...)
	}
}

// writeString is write for a string.
func (k *sink) writeString(s string) (ok bool) {
	if k.splices {
		return true
	}
	k.out, ok = jsonscan.AppendString(k.out, s)
	return ok
}

// writeFloat is write for a float64.
func (k *sink) writeFloat(f float64) {
	if !k.splices {
		k.out = jsonscan.AppendFloat(k.out, f)
	}
}

// writeValue is write for any value.
func (k *sink) writeValue(v any) (ok bool) {
	if k.splices {
		return true
	}
	k.out, ok = jsonscan.Append(k.out, v)
	return ok
}

// edit notes an edit if the sink splices.
func (k *sink) edit(e textEdit) {
	if k.splices {
		k.edits = append(k.edits, e)
	}
}

// replace puts out text instead of the input from start to end.
func (k *sink) replace(start, end int, text string) {
	k.touched = true
	if k.splices {
		k.edits = append(k.edits, textEdit{span: span{start, end}, text: text})
		return
	}
	k.out = append(k.out, text...)
}

// begin begins a member that stays and that is at s[i] in the input.
func (w *walk) begin(o *objectWalk, i int) {
	switch {
	case w.splices:
		w.cutBefore(o, i)
	case o.kept > 0:
		w.out = append(w.out, ',')
	}
}

// name puts out the name of a member and a colon.
func (w *walk) name(o *objectWalk, key string, index int, text jsonscan.Text) {
	switch {
	case w.splices:
	case index >= 0:
		w.out = append(w.out, o.node.members.list[index].text...)
	case text == 0:
		w.out = append(w.out, '"')
		w.out = append(w.out, key...)
		w.out = append(w.out, '"', ':')
	default:
		w.out, _ = jsonscan.AppendString(w.out, key)
		w.out = append(w.out, ':')
	}
}

// stays notes a member that stays. Its value is what was written from start on,
// and has the span v in the input.
func (w *walk) stays(o *objectWalk, key string, index, start int, v span) {
	o.end = v.end
	if !w.splices {
		v = span{start, len(w.out)}
	}
	if index < 0 || o.all {
		w.entries = append(w.entries, entry{key: key, span: v, member: index})
	}
	o.kept++
}

// remove notes a member that does not stay and that ends at end.
func (w *walk) remove(o *objectWalk, key string, index, end int) int {
	w.touched = true
	o.cut = end
	w.entries = append(w.entries, entry{key: key, span: span{start: gone}, member: index})
	return end
}

// add begins a member that the input lacks. The object ends with s[at]. A sink
// that splices takes text for the value. Any other returns where in out the value
// has to be written.
func (w *walk) add(o *objectWalk, m *member, at int, text string) (start int) {
	if w.splices {
		w.edits = append(w.edits, textEdit{span: span{at, at}, comma: o.kept > 0, name: m.text, text: text})
		return 0
	}
	if o.kept > 0 {
		w.out = append(w.out, ',')
		o.sorted = o.sorted && m.name > o.prev
	}
	o.prev = m.name
	w.out = append(w.out, m.text...)
	return len(w.out)
}

// rewrite writes the members of an object once more, in the order of list.
func (w *walk) rewrite(o *objectWalk, list []entry) {
	if w.splices {
		return
	}
	w.scratch = append(w.scratch[:0], w.out[o.start:]...)
	w.out = w.out[:o.start+1]
	for i := range list {
		e := &list[i]
		if e.start == gone {
			continue
		}
		if len(w.out) > o.start+1 {
			w.out = append(w.out, ',')
		}
		w.name(o, e.key, e.member, jsonscan.Respelled)
		at := len(w.out)
		w.out = append(w.out, w.scratch[e.start-o.start:e.end-o.start]...)
		e.span = span{at, len(w.out)}
	}
}

// entryText returns the text of a member of n that stays. If the sink splices,
// that is its text before edits inside of it.
func (w *walk) entryText(n *node, e *entry) string {
	switch {
	case !w.splices:
		return view(w.out[e.start:e.end])
	case e.start < e.end:
		return w.s[e.start:e.end]
	case n.members.list[e.member].role == droppedRole:
		return w.request.Status
	}
	return n.members.list[e.member].node.fill.json
}

// view returns b as a string without a copy. It is good as long as b is not
// written to.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// since returns the text of the value in the given part of the input: what was
// written from start on, or the input with the edits from edits on. It is good
// until the walk goes on.
func (w *walk) since(part span, start, edits int) string {
	if !w.splices {
		return view(w.out[start:])
	}
	w.scratch = w.appendEdited(w.scratch[:0], part, w.edits[edits:])
	return view(w.scratch)
}

// wholeValid reports whether a value, which is complete, satisfies what the
// schema demands of it as a whole.
func (w *walk) wholeValid(n *node, part span, start, edits int) bool {
	memory := w.plan.Values(w.request.Watch)
	defer memory.Release()
	v, ok := memory.read(n.members.judged, w.since(part, start, edits))
	return ok && n.check.ValidWhole(v)
}
