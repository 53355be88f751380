package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// metadataText is where metadata is: in s if the text is spliced, else in out.
type metadataText struct {
	span
	value map[string]any
	plain bool // it is in walk.plain instead of value

	members int  // of the metadata in the input
	spliced bool // it is among the edits if it has to be
	edit    int  // index in edits, plus one
}

// A Made is what came of a text. It holds memory of the plan until it is
// released, and is for one goroutine.
type Made struct{ w *walk }

// Bytes does to s, the JSON text of an object, what is to be done to it. It
// reports false if the plain path has to decide: if anything is wrong with the
// object, or out of the ordinary.
func (p *Plan) Bytes(s string, r Request) (Made, bool) {
	m, why := p.text(s, r)
	return m, why == accepted
}

// text is Bytes, and returns the reason if the walk declines.
func (p *Plan) text(s string, r Request) (Made, decline) {
	w := p.walk()
	w.request, w.s = r, s
	if !w.run() {
		defer w.release()
		return Made{}, w.reason()
	}
	return Made{w}, accepted
}

// Unknown returns for each undeclared field its path between prefix and suffix,
// in the order of the paths, if the request asks for them.
func (m Made) Unknown(prefix, suffix string) []string { return m.w.texts(prefix, suffix) }

// Settled reports whether nothing of the object had to be changed but its
// metadata, a status that the plan drops, and its spelling.
func (m Made) Settled() bool { return !m.w.request.Splice && !m.w.touched }

// Holds reports whether the object is still valid with metadata that is not
// what the request left.
func (m Made) Holds(metadata map[string]any) bool {
	p := m.w.plan
	return !p.root.whole && p.root.members.list[p.metadata].node.check.Valid(metadata)
}

// ChecksMetadata reports whether the schema says anything of the metadata of
// objects but that it is an object.
func (p *Plan) ChecksMetadata() bool { return p.checksMetadata }

// Plain reports whether the metadata was made without asking, and the name of
// the object then.
func (m Made) Plain() (name string, ok bool) { return m.w.plain.Name(), m.w.meta.plain }

// Member returns a copy of the text of a member of the object that is not
// spliced, "" if there is none.
func (m Made) Member(name string) string {
	w := m.w
	if e := w.rootMember(name); e != nil {
		return string(w.out[e.start:e.end])
	}
	return ""
}

// rootMember returns a declared member of the whole object, nil if it is absent.
func (w *walk) rootMember(name string) *entry {
	for i := range w.roots {
		if e := &w.roots[i]; e.key == name && e.start != gone && e.member >= 0 {
			return e
		}
	}
	return nil
}

// SetMetadata says what metadata of the object is, if it is not as the request
// left it.
func (m Made) SetMetadata(metadata map[string]any) {
	w := m.w
	w.meta.value, w.meta.plain = metadata, false
	if !w.request.Splice {
		w.scratch, _ = jsonscan.Append(w.scratch[:0], metadata)
		w.out = slices.Replace(w.out, w.meta.start, w.meta.end, w.scratch...)
		w.meta.end = w.meta.start + len(w.scratch)
		w.roots = w.roots[:0] // they are elsewhere now
		return
	}
	if w.meta.edit > 0 {
		w.edits = slices.Delete(w.edits, w.meta.edit-1, w.meta.edit)
	}
	w.meta.edit, w.meta.spliced = 0, false
}

// Append appends the text of the object: as encoding/json writes it, or else
// the input but for what had to change.
func (m Made) Append(dst []byte) []byte {
	w := m.w
	if w.request.Splice {
		w.spliceMetadata()
		return w.appendEdited(dst, span{0, len(w.s)}, w.edits)
	}
	return append(dst, w.out...)
}

// Text returns a copy of what Append appends.
func (m Made) Text() string {
	w := m.w
	if !w.request.Splice {
		return string(w.out)
	}
	w.spliceMetadata()
	w.scratch = w.appendEdited(w.scratch[:0], span{0, len(w.s)}, w.edits)
	return string(w.scratch)
}

// Peek is Text without a copy: the text is good until m is changed, asked for
// another text, or released.
func (m Made) Peek() string {
	w := m.w
	if !w.request.Splice {
		return view(w.out)
	}
	w.spliceMetadata()
	if len(w.edits) == 0 {
		return w.s
	}
	w.scratch = w.appendEdited(w.scratch[:0], span{0, len(w.s)}, w.edits)
	return view(w.scratch)
}

// Untouched reports whether Append would append the input as it is, because
// that was asked for.
func (m Made) Untouched() bool {
	if !m.w.request.Splice {
		return false
	}
	m.w.spliceMetadata()
	return len(m.w.edits) == 0
}

// maxKept bounds the memory that is kept from one call for the next.
const maxKept = 1 << 20

// Release gives the memory back. Nothing of m may be used afterwards but what it
// has returned.
func (m Made) Release() { m.w.release() }

// release keeps the memory of w for another call, but not what it refers to.
func (w *walk) release() {
	if cap(w.out)+cap(w.metaText) > maxKept || (cap(w.entries)+cap(w.edits)+cap(w.keys))*entrySize > maxKept || w.finds.kept() > maxKept {
		return
	}
	clear(w.entries[:max(w.most, len(w.entries))])
	clear(w.roots)
	clear(w.edits)
	clear(w.keys[:cap(w.keys)])
	w.plain.Reset()
	p := w.plan
	*w = walk{
		plain: w.plain, sink: sink{out: w.out[:0], scratch: w.scratch[:0], edits: w.edits[:0]},
		entries: w.entries[:0], roots: w.roots[:0], seen: w.seen[:0], keys: w.keys[:0], table: w.table[:0], finds: w.finds.cleared(),
		metaText: w.metaText[:0],
	}
	p.walks.Put(w)
}

// SameBut reports whether the object that is written has, apart from its
// metadata, the same value as old. It reports false for ok if that cannot be
// told. It has to be called before anything is done with the result.
func (m Made) SameBut(old Old) (same, ok bool) {
	w := m.w
	count := 0
	for i := range w.roots {
		e := &w.roots[i]
		if e.start == gone || e.key == "metadata" {
			continue
		}
		count++
		before, found := old.find(e.key)
		if !found {
			return false, true
		}
		if same, ok := w.sameMember(e, before); !same || !ok {
			return false, ok
		}
	}
	return count == len(old.members)-1, true
}

// sameMember reports whether a member of the root has the value of a text. It
// reports false for ok if it cannot tell.
func (w *walk) sameMember(e *entry, text string) (same, ok bool) {
	if edits := w.editsIn(e.span); w.splices && len(edits) > 0 {
		w.scratch = w.appendEdited(w.scratch[:0], e.span, edits)
		return w.plan.sameText(view(w.scratch), false, text)
	}
	return w.plan.sameText(w.entryText(w.plan.root, e), !w.splices, text)
}

// sameText reports whether two texts are those of the same value. With
// canonical, a is in canonical form. It reports false for ok if it cannot tell.
func (p *Plan) sameText(a string, canonical bool, b string) (same, ok bool) {
	if a == b {
		return true, true
	}
	w := p.walk()
	defer w.release()
	if !canonical {
		v := p.walk()
		defer v.release()
		if !v.canonical(a) {
			return false, false
		}
		a = view(v.out)
	}
	ok = w.canonical(b)
	return ok && view(w.out) == a, ok
}

// walk returns a walk that has not begun.
func (p *Plan) walk() *walk {
	w, pooled := p.walks.Get().(*walk)
	if !pooled {
		w = &walk{}
	}
	w.plan = p
	return w
}

// canonical writes a value as it is, in the form of encoding/json.
func (w *walk) canonical(text string) bool {
	w.s = text
	end := w.value(w.plan.keep, 0)
	return end == len(text)
}

// Old is the text of an object that is to be replaced.
type Old struct {
	Metadata map[string]any
	// Status is the text of its status, "" if there is none.
	Status  string
	members []textMember
}

type textMember struct{ name, text string }

// Old reads s, the JSON text of an object that another one is to replace. It
// reports false if that is for the plain path.
func (p *Plan) Old(s string) (Old, bool) {
	var o Old
	if !o.read(s) {
		return Old{}, false
	}
	apiVersion, _ := o.find("apiVersion")
	kind, _ := o.find("kind")
	text, _ := o.find("metadata")
	metadata, ok := jsonscan.Decode(text)
	o.Metadata, _ = metadata.(map[string]any)
	o.Status, _ = o.find("status")
	return o, ok && o.Metadata != nil && apiVersion == p.apiVersion && kind == p.kind
}

func (o *Old) read(s string) bool {
	i := jsonscan.Space(s, 0)
	if i >= len(s) || s[i] != '{' {
		return false
	}
	i = jsonscan.Space(s, i+1)
	const usual = 6
	o.members = make([]textMember, 0, usual)
	for more := true; more; {
		key, _, at := jsonscan.Key(s, i)
		if at < 0 {
			return false
		}
		end := jsonscan.Skip(s, at)
		if end < 0 || isNamedLikeType(key) && key != "kind" && key != "apiVersion" {
			return false
		}
		if _, twice := o.find(key); twice {
			return false
		}
		o.members = append(o.members, textMember{key, s[at:end]})
		i, more = jsonscan.Next(s, end, '}')
	}
	return i >= 0 && jsonscan.Space(s, i) == len(s)
}

func (o *Old) find(name string) (string, bool) {
	for _, m := range o.members {
		if m.name == name {
			return m.text, true
		}
	}
	return "", false
}
