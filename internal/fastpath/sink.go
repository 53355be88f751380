package fastpath

import (
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A sink takes the canonical text, piece by piece.
type sink struct {
	out []byte
	// pending is the input after out that stays as it is. It is written with the next other
	// text.
	pending span
	touched bool // the output means something else than the input
	scratch []byte
}

// keep puts out s[start:end], which stays as it is.
func (w *walk) keep(start, end int) {
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

// write puts out a text that is not a part of the input.
func (w *walk) write(text string) {
	w.flush()
	w.out = append(w.out, text...)
}

// comma puts out the comma before a member or element that begins with s[i].
func (w *walk) comma(i int) {
	if w.pending.end == i-1 { // which is the index of the comma
		w.pending.end = i
		return
	}
	w.write(",")
}

// begin begins a member that stays and that is at s[i] in the input.
func (w *walk) begin(o *objectWalk, i int) {
	if o.kept > 0 {
		w.comma(i)
	}
}

// name puts out a name and colon. The member begins with s[i], and its value with s[at].
func (w *walk) name(n *node, k memberKey, i, at int) {
	const quotesAndColon = 3
	if k.text == 0 && at-i == len(k.name)+quotesAndColon {
		w.keep(i, at)
		return
	}
	w.writeName(n, k)
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

// stays notes a member whose value was written from start on. Undeclared, it begins with
// s[i].
func (w *walk) stays(o *objectWalk, k memberKey, i, start int) {
	w.note(k.span(i), span{start, w.position()}, k.member)
	o.kept++
}

// remove notes a member that does not stay, from s[i] to end.
func (w *walk) remove(o *objectWalk, k memberKey, i, end int) int {
	w.touched = true
	w.note(k.span(i), span{start: gone}, k.member)
	return end
}

// note adds an entry.
func (w *walk) note(key, value span, member int) {
	w.entries = append(w.entries, entry{key, value, member})
}

// add begins a member that the input lacks, and returns where its value is to be written.
func (w *walk) add(o *objectWalk, index int) (start int) {
	m := &o.node.members.list[index]
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

// since returns what was written from start on. It is good until the walk goes on.
func (w *walk) since(start int) string {
	w.flush()
	return view(w.out[start:])
}

// wholeValid reports whether a value, written from start on, is valid as a whole.
func (w *walk) wholeValid(n *node, start int) bool {
	value, ok := jsonscan.Decode(w.since(start))
	return ok && n.check.ValidWhole(value)
}
