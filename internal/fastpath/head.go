package fastpath

import "github.com/crdkit/crdkit/internal/text/jsonscan"

// Most texts have apiVersion, kind and metadata first, as encoders sort members. What comes
// before the value of metadata is then the same text in all objects of a plan, which the walk
// compares at once.

// A headText is that text, "" if the schema declares a member between or before these.
type headText struct {
	text             string
	apiVersion, kind span // of the values in text
}

// newHead returns the text of the first of the members of the root.
func newHead(members []member, apiVersion, kind string) (h headText) {
	for i, r := range [typedMembers]role{apiVersionRole, kindRole, metadataRole} {
		if members[i].role != r {
			return headText{}
		}
	}
	h.text = members[0].text
	h.apiVersion = span{len(h.text), len(h.text) + len(apiVersion)}
	h.text += apiVersion + "," + members[1].text
	h.kind = span{len(h.text), len(h.text) + len(kind)}
	h.text += kind + "," + members[2].text
	return h
}

// head handles apiVersion, kind and metadata of the whole object, whose first member begins at
// s[i], if the text of the plan comes there. It returns the index of the member after them, as
// [jsonscan.Next] does. If it has done nothing, it returns i and true.
func (w *walk) head(o *objectWalk, i int) (next int, more bool) {
	h := &w.plan.head
	at := i + len(h.text)
	if h.text == "" || at >= len(w.s) || w.s[i:at] != h.text || w.s[at] <= ' ' {
		return i, true
	}
	w.keep(i, at)
	start := w.position()
	base := start - len(h.text)
	end := w.metadata(at)
	if end < 0 {
		return refused, false
	}
	w.note(span{}, span{base + h.apiVersion.start, base + h.apiVersion.end}, 0)
	w.note(span{}, span{base + h.kind.start, base + h.kind.end}, 1)
	w.note(span{}, span{start, w.position()}, 2)
	w.pending = span{end, end} // what follows is next to it
	o.last = typedMembers - 1
	w.typed, o.set, o.kept, o.next = typedMembers, 1<<typedMembers-1, typedMembers, typedMembers
	return jsonscan.Next(w.s, end, '}')
}
