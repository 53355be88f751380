package fastpath

import (
	"strings"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A document is the JSON text of an object, cut into its members.
type document struct {
	metadata string
	status   string // "" if there is none
	members  []textMember
}

type textMember struct{ name, text string }

// document cuts s into members, which use memory of the walk. It declines a text that repeats a
// member, has no metadata, or has another apiVersion or kind than the plan.
func (w *walk) document(s string) (d document, ok bool) {
	p, start := w.plan, len(w.cut)
	d.members = w.cut[start:]
	if !d.read(s) {
		return document{}, false
	}
	w.cut = append(w.cut[:start], d.members...)
	apiVersion, _ := d.find("apiVersion")
	kind, _ := d.find("kind")
	d.metadata, _ = d.find("metadata")
	d.status, _ = d.find("status")
	return d, strings.HasPrefix(d.metadata, "{") && apiVersion == p.apiVersion && kind == p.kind
}

func (d *document) read(s string) bool {
	i := jsonscan.Space(s, 0)
	if i >= len(s) || s[i] != '{' {
		return false
	}
	i = jsonscan.Space(s, i+1)
	for more := true; more; {
		key, _, at := jsonscan.Key(s, i)
		if at < 0 {
			return false
		}
		end := jsonscan.Skip(s, at)
		if end < 0 || isNamedLikeType(key) && key != "kind" && key != "apiVersion" {
			return false
		}
		if _, twice := d.find(key); twice {
			return false
		}
		d.members = append(d.members, textMember{key, s[at:end]})
		i, more = jsonscan.Next(s, end, '}')
	}
	return i >= 0 && jsonscan.Space(s, i) == len(s)
}

func (d *document) find(name string) (string, bool) {
	for _, m := range d.members {
		if m.name == name {
			return m.text, true
		}
	}
	return "", false
}

// sameAs reports whether the output equals old, apart from metadata. ok is false if old cannot be
// read.
func (w *walk) sameAs(old document) (same, ok bool) {
	count := 0
	for i := range w.roots {
		e := &w.roots[i]
		name := w.keyOf(w.plan.root, e)
		if e.start == removed || name == "metadata" {
			continue
		}
		count++
		before, found := old.find(name)
		if !found {
			return false, true
		}
		if text := view(w.out[e.start:e.end]); text != before {
			// The texts may differ because the old object is not canonical.
			if same, ok := w.plan.canonical(before, text); !same || !ok {
				return false, ok
			}
		}
	}
	return count == len(old.members)-1, true
}

// canonical reports whether the canonical form of a text equals want. ok is false if the text
// cannot be read.
func (p *Plan) canonical(text, want string) (same, ok bool) {
	w := p.walk(text, &Request{})
	defer w.release()
	end := w.walkValue(p.keep, 0)
	w.flush()
	return view(w.out) == want, end == len(text)
}

// Encoders write apiVersion, kind and metadata first. The text before the metadata is then the same
// in all objects of a plan, and is compared as a whole.

// A headText is the text before the metadata. It is "" if the schema declares a member, other than
// apiVersion and kind, whose name sorts before metadata.
type headText struct {
	text             string
	apiVersion, kind span // of the values in text
}

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

// If s[i:] begins with the headText of the plan, head handles apiVersion, kind and metadata, and
// returns the results of [jsonscan.Next]. Otherwise it does nothing and returns i and true.
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
	w.pending = span{end, end} // the next part to keep begins at end
	o.last = typedMembers - 1
	w.typed, o.set, o.kept, o.next = typedMembers, 1<<typedMembers-1, typedMembers, typedMembers
	return jsonscan.Next(w.s, end, '}')
}
