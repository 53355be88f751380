package fastpath

import (
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// Most updates break no rule of the schema, and the first walk over the new object
// does not read the old one. If it refuses the object, a second walk has a ratchet.
// The ratchet looks up each candidate in the text of the old object along its
// path; it decodes and compares nothing else.

// mostForgiven bounds the forgiven values of one object. The walk declines objects
// with more.
const mostForgiven = 16

// A counterpart is the value of the old object that belongs to a candidate.
type counterpart struct {
	schema *correlate.Schema // compares the two
	old    any
	same   bool // the two have the same text, and old is not set
}

// begin prepares f for a walk over the text of an object.
func (f *Ratchet) begin(text string, oldStatus bool, until *interrupt.Watch) {
	f.text, f.oldStatus, f.closed, f.Forgiven, f.until = text, oldStatus, false, nil, until
}

// candidate reports whether the wrong value at a location may be forgiven. It finds
// the counterpart of the value for forgives.
func (f *Ratchet) candidate(at Location) (ok bool) {
	switch {
	case f.watch != nil && !f.watch(at):
		return false
	case f.All:
		return true
	}
	path, ok := at.Path()
	if !ok || len(f.Forgiven) >= mostForgiven {
		f.closed = true
		return false
	}
	f.counterpart, ok = f.find(path)
	return ok
}

// forgives reports whether v, the value of the candidate, equals its counterpart.
func (f *Ratchet) forgives(v any) bool {
	if f.All {
		return true
	}
	old := f.counterpart.old
	if f.same {
		old = v
	}
	if !f.counterpart.schema.Unchanged(v, old) {
		f.closed = true // the values around it changed, too
		return false
	}
	return true
}

// find returns the value of the old object at a path. It reports false if there is
// none.
func (f *Ratchet) find(path schema.Path) (counterpart, bool) {
	s, now, old := f.Schema, f.text, f.Old
	for i, step := range path {
		name, isField := step.Name()
		if !isField {
			return f.elementOf(s, now, old, path[i:])
		}
		if i == f.Start && (name == "kind" || name == "apiVersion") || name == "" {
			return counterpart{}, false
		}
		if i == 0 && f.oldStatus && name == "status" {
			now = old
		}
		var okNow, okOld bool
		now, okNow = onlyMember(now, name, f.until)
		old, okOld = onlyMember(old, name, f.until)
		if s = s.Child(name); s == nil || !okOld || !okNow {
			return counterpart{}, false
		}
	}
	if now == old {
		return counterpart{schema: s, same: true}, true
	}
	before, ok := jsonscan.DecodeUntil(old, f.until)
	return counterpart{schema: s, old: before}, ok
}

// elementOf is find for a path that begins with an element of the list now.
func (f *Ratchet) elementOf(s *correlate.Schema, now, old string, path schema.Path) (counterpart, bool) {
	if !s.Keyed() {
		return counterpart{}, false
	}
	next, okNow := jsonscan.DecodeUntil(now, f.until)
	before, okOld := jsonscan.DecodeUntil(old, f.until)
	if !okNow || !okOld {
		return counterpart{}, false
	}
	p := s.Pair(next, before)
	for _, step := range path {
		if i, ok := step.Index(); ok {
			elements := p.Elements()
			p, s = elements.At(i), s.Items()
		} else {
			name, _ := step.Name()
			p, s = p.Key(name), s.Child(name)
		}
	}
	return counterpart{schema: s, old: p.Old}, p.Correlated()
}

// onlyMember returns the value of the one member of that name of an object in
// JSON. It reports false if there is none, or more than one, and when the watch ends.
func onlyMember(s, name string, watch *interrupt.Watch) (value string, ok bool) {
	i := jsonscan.Space(s, 0)
	if i >= len(s) || s[i] != '{' {
		return "", false
	}
	i = jsonscan.Space(s, i+1)
	for more := true; more; {
		key, _, at := jsonscan.Key(s, i)
		if at < 0 {
			return "", false
		}
		end := jsonscan.Skip(s, at)
		if end < 0 || key == name && ok || watch.Ended() {
			return "", false
		}
		if key == name {
			value, ok = s[at:end], true
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return value, ok && i >= 0
}
