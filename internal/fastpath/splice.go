package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A sink that splices notes edits of the input. Most objects need few or none.
//
// A removed member takes the comma before it along, or the one after it if no
// member before it stays. That is known when the next member that stays begins,
// or when the object ends. Members that the input lacks are added at the end of
// the object.

// A textEdit replaces a part of the input.
type textEdit struct {
	span
	comma bool   // first a comma
	meta  bool   // at the end the text of the metadata
	name  string // then `"name":`, unless empty
	text  string
}

// cutBefore removes the members that are removed before the one at s[i].
func (w *walk) cutBefore(o *objectWalk, i int) {
	switch {
	case o.cut == 0:
		return
	case o.kept == 0:
		w.edits = append(w.edits, textEdit{span: span{o.end, i}})
	default:
		w.edits = append(w.edits, textEdit{span: span{o.end, o.cut}})
	}
	o.cut = 0
}

// cutAtEnd removes the members that are removed before the end of the object,
// which is s[at].
func (w *walk) cutAtEnd(o *objectWalk, at int) {
	if o.cut == 0 || !w.splices {
		return
	}
	end := o.cut
	if o.kept == 0 {
		end = at
	}
	w.edits = append(w.edits, textEdit{span: span{o.end, end}})
	o.cut = 0
}

// appendEdited appends a part of the input with edits of it.
func (w *walk) appendEdited(dst []byte, part span, edits []textEdit) []byte {
	at := part.start
	for i := range edits {
		e := &edits[i]
		dst = append(dst, w.s[at:e.start]...)
		if e.comma {
			dst = append(dst, ',')
		}
		dst = append(append(dst, e.name...), e.text...)
		if e.meta {
			dst = append(dst, w.metaText...)
		}
		at = e.end
	}
	return append(dst, w.s[at:part.end]...)
}

// editsIn returns the edits inside of a part of the input.
func (w *walk) editsIn(part span) []textEdit {
	from := slices.IndexFunc(w.edits, func(e textEdit) bool { return e.start >= part.start && e.end <= part.end && e.start < part.end })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(w.edits) && w.edits[to].start < part.end {
		to++
	}
	return w.edits[from:to]
}

// spliceMetadata notes the metadata in metaText as an edit, unless the input has it
// already. value is nil if the walk has prepared the metadata. Metadata of a new object
// without a generation is certainly another one then.
func (w *walk) spliceMetadata(value map[string]any) {
	before := w.s[w.meta.start:w.meta.end]
	if string(w.metaText) == before {
		return
	}
	if value == nil && (w.meta.replaces || w.fastMeta.HasGeneration()) {
		after, _ := jsonscan.Decode(string(w.metaText))
		value, _ = after.(map[string]any)
		w.meta.members = len(value)
	}
	if value != nil && len(value) == w.meta.members {
		if v, _ := jsonscan.Decode(before); jsonval.Equal(v, value) {
			return
		}
	}
	i := slices.IndexFunc(w.edits, func(e textEdit) bool { return e.start >= w.meta.end })
	if i < 0 {
		i = len(w.edits)
	}
	w.edits = slices.Insert(w.edits, i, textEdit{span: w.meta.span, meta: true})
}
