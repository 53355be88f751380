package fastpath

import (
	"sort"
	"strings"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// Most updates of an object with wrong values leave these as they are, and change a
// label or a number elsewhere. So the walk of an update notes wrong values and goes
// on. When it is done, [Output.Forgive] compares the texts around them with the old
// object, and decodes no more than the wrong values. Where texts differ, or where the
// walk has changed something, the update takes a second walk with a [Ratchet].
// TestForgive has both.

// mostWrong bounds the wrong values that a walk notes. It declines objects with more.
const mostWrong = 1 << 12

// A wrongValue is the position in the text of a value that is not schema valid. It is
// of a type that the schema admits.
type wrongValue struct {
	span
	list *listRule // of a list whose elements are not distinct as it demands, else nil
}

// toleratesWrong reports whether the walk may note another wrong value.
func (w *walk) toleratesWrong() bool {
	return w.request.NoteWrong && !w.inStatus && len(w.wrong) < mostWrong
}

// wrongAt notes the wrong value from s[i] to end. It returns end, or refuses the value.
func (w *walk) wrongAt(i, end int, why decline) int {
	if !w.toleratesWrong() {
		return w.refuse(why)
	}
	w.wrong = append(w.wrong, wrongValue{span: span{i, end}})
	return end
}

// equalAt notes a list with equal elements, or declines it.
func (w *walk) equalAt(r *listRule, part span) bool {
	if !w.request.NoteEqual || !w.toleratesWrong() {
		return w.not(equalElements)
	}
	w.wrong = append(w.wrong, wrongValue{part, r})
	return true
}

// HasWrong reports whether the object has wrong values, which the request has asked to
// note. The object may not be stored unless [Output.Forgive] forgives them.
func (o Output) HasWrong() bool { return len(o.w.wrong) > 0 }

// Forgive reports whether an update may keep the wrong values. It calls each with the
// path and the value of each, until each reports false. With equal, the value is a list
// that has equal elements; its elements have no more than what tells them apart. The path
// and such a list are good during the call only. f must not be that of the walk.
func (o Output) Forgive(f *Ratchet, each func(path schema.Path, value any, equal bool) bool) bool {
	w := o.w
	f.begin(w.s, false, w.request.Watch)
	if w.touched {
		return false
	}
	w.s = strings.Clone(w.s) // the values may outlive the input
	// An object or list was noted after the values in it.
	sort.Slice(w.wrong, func(i, j int) bool {
		a, b := w.wrong[i], w.wrong[j]
		return a.start < b.start || a.start == b.start && a.end > b.end
	})
	k := keeper{Ratchet: f, cursor: &cursor{text: w.s}, plan: w.plan, left: readsOld * len(f.Old)}
	end := 0
	for _, x := range w.wrong {
		if x.start < end && x.list == nil {
			continue // in the value before
		}
		if w.request.Watch.Ended() || !k.to(x.start) || !k.keeps(x) || !k.pass(x, each) {
			return false
		}
		if x.list == nil {
			end = x.end
		}
	}
	return true
}

// pass calls each with the value at the cursor.
func (k *keeper) pass(x wrongValue, each func(schema.Path, any, bool) bool) bool {
	k.steps = k.appendPath(k.steps[:0])
	if x.list == nil || x.list.told == nil {
		v, end := jsonscan.Value(k.cursor.text, x.start, k.until)
		return end == x.end && each(k.steps, v, x.list != nil)
	}
	memory := k.plan.Values(k.until)
	defer memory.Release()
	v, ok := memory.read(x.list.told, k.cursor.text[x.start:x.end])
	return ok && each(k.steps, v, true)
}

// A keeper finds the wrong values that the new object has from the old one.
type keeper struct {
	*Ratchet
	*cursor
	plan  *Plan
	steps schema.Path  // memory for paths
	equal bool         // the old object has a list with equal elements
	parts []pairedPart // of the objects and lists that are open
	lists []pairedList // of type map that are open, those inside after those around them
	left  int          // how many bytes of the old object may still be read
}

// A pairedPart is an object or list that is open, with its old one.
type pairedPart struct {
	start int    // index in the text
	same  bool   // the old one has the same text
	old   string // the text of the old one, unless same is set
}

// A pairedList is a list of type map with its old one. Looking up an element takes long
// only once for each list.
type pairedList struct {
	start int // index of the list in the text
	correlate.Elements
}

// readsOld is how many times the old object may be read to find members of it.
const readsOld = 32

// keeps reports whether the update may keep the wrong value at the cursor.
func (k *keeper) keeps(x wrongValue) bool {
	if x.list != nil {
		return k.keepsEqual(x)
	}
	return k.keepsValue(x)
}

// keepsEqual reports whether the old object has a list with equal elements. All such lists
// are kept then.
func (k *keeper) keepsEqual(x wrongValue) bool {
	if k.equal {
		return true
	}
	k.equal = k.isOld(x.span)
	if !k.equal {
		old, ok := jsonscan.DecodeUntil(k.Old, k.until)
		k.equal = ok && !k.plan.root.check.Distinct(old)
	}
	return k.equal
}

// isOld reports whether the value at the cursor, or a value around it, has the text of the
// old one. It reports false, too, if it cannot tell.
func (k *keeper) isOld(x span) bool {
	part := pairedPart{old: k.Old}
	for i := range k.open {
		if part = k.part(i, part); part.start < 0 || part.same || k.open[i].index != inObject {
			return part.same
		}
	}
	return k.member(len(k.open), part) == k.cursor.text[x.start:x.end]
}

// keepsValue reports whether the wrong value at the cursor, or a value around it, is
// unchanged.
func (k *keeper) keepsValue(x wrongValue) bool {
	s, part := k.Schema, pairedPart{old: k.Old}
	for i := range k.open {
		step := &k.open[i]
		if part = k.part(i, part); part.start < 0 {
			return false
		}
		switch {
		case step.index == inObject:
		case s.Keyed():
			return k.keepsBelow(s, part, i)
		default: // a list that is compared as a whole
			return part.same && s.Atomic()
		}
		if i == k.Start && (step.key == "kind" || step.key == "apiVersion") || step.key == "" {
			return false
		}
		if s = s.Child(step.key); s == nil {
			return false
		}
	}
	text := k.cursor.text[x.start:x.end]
	if !part.same && k.member(len(k.open), part) != text {
		return false
	}
	if text[0] == '{' || text[0] == '[' {
		v, _ := jsonscan.DecodeUntil(text, k.until)
		return s.Unchanged(v, v)
	}
	return true
}

// part returns the object or list that is open at a depth. around is the object around
// it. The start of the part is negative if there is no old one.
func (k *keeper) part(depth int, around pairedPart) pairedPart {
	start := k.open[depth].start
	if depth < len(k.parts) && k.parts[depth].start == start {
		return k.parts[depth]
	}
	p := pairedPart{start: start, same: around.same}
	if !p.same {
		p.old = k.member(depth, around)
		p.same = p.old != "" && strings.HasPrefix(k.cursor.text[start:], p.old)
	}
	if !p.same && p.old == "" {
		return pairedPart{start: refused}
	}
	k.parts = append(k.parts[:depth], p)
	return p
}

// member returns the text of the old value at a depth, "" if there is none. around is
// the object around it.
func (k *keeper) member(depth int, around pairedPart) string {
	switch {
	case depth == 0:
		return around.old
	case depth == 1 && k.Document.members != nil:
		text, _ := k.Document.find(k.open[0].key)
		return text
	}
	if k.left -= len(around.old); k.left < 0 {
		return ""
	}
	text, _ := onlyMember(around.old, k.open[depth-1].key, k.until)
	return text
}

// keepsBelow is keeps for a value in an element of a list of type map. The list is
// that of the step at an index.
func (k *keeper) keepsBelow(s *correlate.Schema, list pairedPart, at int) bool {
	var p correlate.Pair
	depth := 0
	for i := at; i < len(k.open); i++ {
		step := &k.open[i]
		switch {
		case step.index == inObject:
			p, s = p.Key(step.key), s.Child(step.key)
		case s.Keyed():
			if depth == len(k.lists) || k.lists[depth].start != step.start {
				if i == at {
					p = k.pair(s, list)
				}
				k.lists = append(k.lists[:depth], pairedList{step.start, p.Elements()})
			}
			p, s = k.lists[depth].At(step.index), s.Items()
			depth++
		default:
			return p.Unchanged()
		}
	}
	return p.Unchanged()
}

// pair decodes a list and the old one. It returns the zero Pair if it cannot read
// them.
func (k *keeper) pair(s *correlate.Schema, list pairedPart) correlate.Pair {
	next, end := jsonscan.Value(k.cursor.text, list.start, k.until)
	before, ok := next, end >= 0
	if ok && !list.same {
		before, ok = jsonscan.DecodeUntil(list.old, k.until)
	}
	if !ok {
		return correlate.Pair{}
	}
	return s.Pair(next, before)
}
