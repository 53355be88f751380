package fastpath

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// metadataText is the metadata of the object of a walk.
type metadataText struct {
	span // of the text: in the input if the output is spliced, else in out

	fast     bool           // the walk has prepared it, see [Request].Create
	replaces bool           // the walk has prepared it, see [Request].Replaced and Sent
	left     string         // the text, see [Request].LeaveMetadata
	read     map[string]any // the decoded input, nil if the walk has prepared or left it
	members  int            // of read
	spliced  bool           // metadata of FastMeta is among the edits if it has to be
}

// An Output is what [Plan.JSON] makes of a text. It holds memory of the plan until
// it is released, and is for one goroutine.
type Output struct{ w *walk }

// JSON prunes, defaults and validates the object of s, a JSON text. It only reads r. It reports
// false if it declines: if anything is wrong with the object or rare. The
// metadata is for the caller, see [Output.Metadata].
func (p *Plan) JSON(s string, r *Request) (Output, bool) {
	out, why := p.text(s, r)
	return out, why == accepted
}

// text is JSON, and returns the reason if the walk declines.
func (p *Plan) text(s string, r *Request) (Output, decline) {
	w := p.walk()
	w.request, w.s = *r, s
	if r.Ratchet != nil {
		r.Ratchet.begin(s, r.Status != "", r.Watch)
	}
	if !w.run() {
		defer w.release()
		return Output{}, w.reason()
	}
	return Output{w}, accepted
}

// Unknown returns for each undeclared field its path between prefix and suffix,
// in increasing order of the paths, if the request asks for them.
func (o Output) Unknown(prefix, suffix string) []string {
	return o.w.texts(prefix, suffix, o.w.request.Watch)
}

// Ruled reports whether rules may have an effect on the object, if there is no old
// object: whether it has a value that rules are on.
func (o Output) Ruled() bool { return o.w.ruled }

// Unchanged reports whether the output has the value of the input apart from
// metadata and from a status that the plan drops. It reports false for a spliced
// output.
func (o Output) Unchanged() bool { return !o.w.request.Splice && !o.w.touched }

// Metadata returns the metadata of the input, which now belongs to the caller. It
// returns nil if the walk has prepared the metadata and found it valid, see
// [Request].Create, [Request].Replaced and [Request].Sent. The output of a create has it
// then; for that of an update call [Output.CountGeneration].
//
// The caller prepares the metadata, asks [Output.Admits] and calls
// [Output.SetMetadata] before it uses the output.
func (o Output) Metadata() map[string]any { return o.w.meta.read }

// FinalizerWarnings returns the warnings about finalizers of metadata that the walk has
// prepared.
func (o Output) FinalizerWarnings() []string {
	if w := o.w; w.meta.replaces {
		return w.fastMeta.FinalizerWarnings(&w.replaced)
	}
	return o.w.fastMeta.FinalizerWarnings(nil)
}

// MetadataText returns the text of metadata that the walk has left. It is a part of the
// input.
func (o Output) MetadataText() string { return o.w.meta.left }

// Name returns a copy of the name in metadata that the walk has prepared.
func (o Output) Name() string { return strings.Clone(o.w.fastMeta.Name()) }

// CountGeneration sets the metadata of an update that the walk has prepared, with the
// generation of the replaced object, or the next one if the object has changed. It must be
// called once. In an update of the status the object has not changed.
func (o Output) CountGeneration(changed bool) {
	w := o.w
	if w.request.Sent != "" {
		w.metaText = w.replaced.Append(w.metaText[:0], w.replaced.Generation())
		return
	}
	generation := w.replaced.Generation()
	if changed {
		generation++
	}
	if w.metaText = w.fastMeta.Append(w.metaText[:0], generation); w.request.Splice {
		w.spliceMetadata(nil)
	}
}

// HeadsOfUpdate decodes the metadata of both objects that the walk has prepared. It reports
// false if it declines it. CountGeneration must have been called.
func (o Output) HeadsOfUpdate() (metadata, replaced map[string]any, ok bool) {
	w := o.w
	metadata, ok = decodeObject(string(w.metaText), w.request.Watch)
	replaced, both := decodeObject(string(w.replaced.Append(nil, w.replaced.Generation())), w.request.Watch)
	return metadata, replaced, ok && both
}

func decodeObject(text string, watch *interrupt.Watch) (map[string]any, bool) {
	v, ok := jsonscan.DecodeUntil(text, watch)
	m, isObject := v.(map[string]any)
	return m, ok && isObject
}

// Admits reports whether the schema admits the object with the given metadata.
func (o Output) Admits(metadata map[string]any) bool {
	root := o.w.plan.root
	if !root.members.list[o.w.plan.metadata].node.check.Valid(metadata) {
		return false
	}
	if !root.whole {
		return true
	}
	v, ok := jsonscan.DecodeUntil(o.Text(), o.w.request.Watch)
	obj, isObject := v.(map[string]any)
	if !ok || !isObject {
		return false
	}
	obj["metadata"] = metadata
	return root.wholeValid(obj)
}

// SetMetadata sets the metadata of the output. It must be called once, unless
// Metadata returns nil. It reports false if metadata cannot be written, and when the
// watch of the request ends.
func (o Output) SetMetadata(metadata map[string]any) (ok bool) {
	w := o.w
	if w.metaText, ok = jsonscan.AppendUntil(w.metaText[:0], metadata, w.request.Watch); ok && w.request.Splice {
		w.spliceMetadata(metadata)
	}
	return ok
}

// Member returns a copy of the text of a member of an object that is not
// spliced, "" if there is none.
func (o Output) Member(name string) string {
	w := o.w
	index, declared := w.plan.root.members.at(name)
	if e := w.rootMember(index); declared && e != nil {
		return string(w.out[e.start:e.end])
	}
	return ""
}

// rootMember returns a declared member of the whole object, nil if it is absent.
func (w *walk) rootMember(index int) *entry {
	for i := range w.roots {
		if e := &w.roots[i]; e.member == index && e.start != gone {
			return e
		}
	}
	return nil
}

// Append appends the object: as encoding/json writes it, or, if it is spliced,
// the input with its edits.
func (o Output) Append(dst []byte) []byte {
	w := o.w
	switch {
	case w.request.Splice:
		w.spliceFastMeta()
		return w.appendEdited(dst, span{0, len(w.s)}, w.edits)
	case w.meta.fast && dst == nil:
		text := w.out // a variable, so that the memory is not cleared before the copy
		out := make([]byte, len(text))
		copy(out, text)
		return out
	case w.meta.fast:
		return append(dst, w.out...)
	}
	dst = slices.Grow(dst, len(w.out)+len(w.metaText))
	dst = append(append(dst, w.out[:w.meta.start]...), w.metaText...)
	return append(dst, w.out[w.meta.end:]...)
}

// spliceFastMeta notes metadata that the walk has prepared as an edit.
func (w *walk) spliceFastMeta() {
	if !w.meta.fast || w.meta.spliced {
		return
	}
	w.meta.spliced = true
	w.metaText = w.fastMeta.Append(w.metaText[:0], 1)
	w.spliceMetadata(nil)
}

// Text returns a copy of the text of [Output.View].
func (o Output) Text() string { return strings.Clone(o.View()) }

// View returns the text of the object. The metadata in it is not that of SetMetadata.
// The text is valid until another method of o is called.
func (o Output) View() string {
	w := o.w
	if !w.request.Splice {
		return view(w.out)
	}
	w.spliceFastMeta()
	if len(w.edits) == 0 {
		return w.s
	}
	w.scratch = w.appendEdited(w.scratch[:0], span{0, len(w.s)}, w.edits)
	return view(w.scratch)
}

// Unmodified reports whether the output is spliced and has no edits: whether
// Append would append the input.
func (o Output) Unmodified() bool {
	if !o.w.request.Splice {
		return false
	}
	o.w.spliceFastMeta()
	return len(o.w.edits) == 0
}

// maxKept bounds the memory that is kept from one call for the next, in bytes.
const maxKept = 1 << 20

// Release gives the memory back. The caller must not use o and views of its text
// afterwards.
func (o Output) Release() { o.w.release() }

// release keeps the memory of w for another call, but not what it refers to.
func (w *walk) release() {
	if cap(w.out)+cap(w.metaText) > maxKept || (cap(w.entries)+cap(w.edits)+cap(w.keys))*entrySize > maxKept || w.finds.kept() > maxKept {
		return
	}
	clear(w.edits)
	clear(w.keys)
	w.out, w.scratch, w.edits = w.out[:0], w.scratch[:0], w.edits[:0]
	w.splices, w.touched, w.pending = false, false, span{}
	w.entries, w.seen, w.keys, w.table = w.entries[:0], w.seen[:0], w.keys[:0], w.table[:0]
	w.metaText, w.wrong = w.metaText[:0], w.wrong[:0]
	w.fastMeta.Reset()
	if w.meta.replaces {
		w.replaced.Reset()
	}
	w.finds.clear()
	p := w.plan
	w.task = task{}
	p.walks.Put(w)
}

// SameAs reports whether the output has the value of old apart from metadata. It
// reports false for ok if it cannot tell. It must be called before SetMetadata.
func (o Output) SameAs(old Document) (same, ok bool) {
	w := o.w
	count := 0
	for i := range w.roots {
		e := &w.roots[i]
		key := w.keyOf(w.plan.root, e)
		if e.start == gone || key == "metadata" {
			continue
		}
		count++
		before, found := old.find(key)
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
		return w.plan.sameText(view(w.scratch), false, text, w.request.Watch)
	}
	return w.plan.sameText(w.entryText(w.plan.root, e), !w.splices, text, w.request.Watch)
}

// sameText reports whether two texts are those of the same value. With
// canonical, a is in canonical form. It reports false for ok if it cannot tell.
func (p *Plan) sameText(a string, canonical bool, b string, watch *interrupt.Watch) (same, ok bool) {
	if a == b {
		return true, true
	}
	w := p.walk()
	defer w.release()
	if !canonical {
		v := p.walk()
		defer v.release()
		if !v.canonical(a, watch) {
			return false, false
		}
		a = view(v.out)
	}
	ok = w.canonical(b, watch)
	return ok && view(w.out) == a, ok
}

// walk returns a walk that has not begun.
func (p *Plan) walk() *walk {
	w, pooled := p.walks.Get().(*walk)
	if !pooled {
		w = &walk{}
		w.compare = w.compareEntries
	}
	w.plan = p
	return w
}

// canonical writes a value as it is, in the form of encoding/json.
func (w *walk) canonical(text string, watch *interrupt.Watch) bool {
	w.s, w.request.Watch = text, watch
	end := w.walkValue(w.plan.keep, 0)
	w.flush()
	return end == len(text)
}
