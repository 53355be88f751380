package fastpath

import (
	"slices"
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
	// pending is a part of the input that comes after out and stays as it is. It is
	// written with the next text that is not the next one of the input.
	pending span
	edits   []textEdit // in the order of the input
	touched bool       // the output means something else than the input
	scratch []byte
}

// keep puts out s[start:end], which stays as it is.
func (w *walk) keep(start, end int) {
	if w.splices {
		return
	}
	if w.pending.end != start {
		w.flush()
		w.pending.start = start
	}
	w.pending.end = end
}

// flush writes what is pending. What follows it in the input may still be kept.
func (w *walk) flush() {
	w.out = append(w.out, w.s[w.pending.start:w.pending.end]...)
	w.pending.start = w.pending.end
}

// position returns the length of the output.
func (w *walk) position() int { return len(w.out) + w.pending.end - w.pending.start }

// write puts out a text that the input has at the same position, apart from its
// spelling.
func (w *walk) write(text string) {
	if !w.splices {
		w.flush()
		w.out = append(w.out, text...)
	}
}

// writeString is write for a string.
func (w *walk) writeString(s string) (ok bool) {
	if w.splices {
		return true
	}
	w.flush()
	w.out, ok = jsonscan.AppendString(w.out, s)
	return ok
}

// writeFloat is write for a float64.
func (w *walk) writeFloat(f float64) {
	if !w.splices {
		w.flush()
		w.out = jsonscan.AppendFloat(w.out, f)
	}
}

// writeValue is write for any value.
func (w *walk) writeValue(v any) (ok bool) {
	if w.splices {
		return true
	}
	w.flush()
	w.out, ok = jsonscan.Append(w.out, v)
	return ok
}

// comma puts out the comma between two members or elements. The second one begins with
// s[i].
func (w *walk) comma(i int) {
	switch {
	case w.splices:
	case w.pending.end == i-1: // which is the index of the comma
		w.pending.end = i
	default:
		w.write(",")
	}
}

// edit notes an edit if the sink splices.
func (k *sink) edit(e textEdit) {
	if k.splices {
		k.edits = append(k.edits, e)
	}
}

// replace puts out text instead of the input from start to end.
func (w *walk) replace(start, end int, text string) {
	w.touched = true
	w.edit(textEdit{span: span{start, end}, text: text})
	w.write(text)
}

// begin begins a member that stays and that is at s[i] in the input.
func (w *walk) begin(o *objectWalk, i int) {
	switch {
	case w.splices:
		w.cutBefore(o, i)
	case o.kept > 0:
		w.comma(i)
	}
}

// name puts out the name of a member and a colon. The member begins with s[i], and its
// value with s[at].
func (w *walk) name(n *node, k memberKey, i, at int) {
	const quotesAndColon = 3
	switch {
	case w.splices:
	case k.text == 0 && at-i == len(k.name)+quotesAndColon:
		w.keep(i, at)
	default:
		w.writeName(n, k)
	}
}

// writeName writes the name of a member and a colon.
func (w *walk) writeName(n *node, k memberKey) {
	w.flush()
	if k.member >= 0 {
		w.out = append(w.out, n.members.list[k.member].text...)
		return
	}
	w.out, _ = jsonscan.AppendString(w.out, k.name)
	w.out = append(w.out, ':')
}

// stays notes a member that stays. Its value is what was written from start on,
// and has the span v in the input. A member that is not declared begins with s[i].
func (w *walk) stays(o *objectWalk, k memberKey, i, start int, v span) {
	o.end = v.end
	if !w.splices {
		v = span{start, w.position()}
	}
	if k.member < 0 || o.all {
		w.note(k.span(i), v, k.member)
	}
	o.kept++
}

// remove notes a member that does not stay, from s[i] to end.
func (w *walk) remove(o *objectWalk, k memberKey, i, end int) int {
	w.touched = true
	o.cut = end
	w.note(k.span(i), span{start: gone}, k.member)
	return end
}

// fewEntries is how many entries a walk has room for at first.
const fewEntries = 16

// note adds an entry. The memory of entries doubles: append makes that of a large slice
// larger by a quarter only, and so allocates more than twice as much for many entries. It
// sets field by field, because a processor waits where it copies what it has just written
// in smaller parts.
func (w *walk) note(key, value span, member int) {
	n := len(w.entries)
	if n == cap(w.entries) {
		w.entries = slices.Grow(w.entries, max(n, fewEntries))
	}
	w.entries = w.entries[:n+1]
	e := &w.entries[n]
	e.key.start, e.key.end, e.start, e.end, e.member = key.start, key.end, value.start, value.end, member
}

// add begins a member that the input lacks. The object ends with s[at]. A sink
// that splices takes text for the value. Any other returns where in out the value
// has to be written.
func (w *walk) add(o *objectWalk, index, at int, text string) (start int) {
	m := &o.node.members.list[index]
	if w.splices {
		w.edits = append(w.edits, textEdit{span: span{at, at}, comma: o.kept > 0, name: m.text, text: text})
		return 0
	}
	if o.kept > 0 {
		w.write(",")
		o.comes(m.name, index)
	}
	o.last = index
	w.write(m.text)
	return len(w.out)
}

// rewrite writes the members of an object once more, in the order of list.
func (w *walk) rewrite(o *objectWalk, list []entry) {
	if w.splices {
		return
	}
	w.flush()
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
		w.writeName(o.node, memberKey{name: w.keyOf(o.node, e), member: e.member})
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
		w.flush()
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
		w.flush()
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
