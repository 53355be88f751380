package crdkit

import (
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// Ratcheting on the JSON carrier.
//
// Most updates break no rule of the schema, and the first walk over the new object
// does not read the old one. If it refuses the object, a second walk forgives
// values that did not change. The ratchet looks up each candidate in the text of
// the old object along its path; it decodes and compares nothing else. The errors
// of a forgiven value follow from the value alone.

// mostForgiven bounds the forgiven values of one object. The carrier declines
// objects with more.
const mostForgiven = 16

// A ratchet forgives values that did not change.
type ratchet struct {
	fastpath.Ratchet
	schema *correlate.Schema
	now    string // the text that is judged
	old    string
	start  int // of paths: apiVersion and kind are always new there
	// keptStatus: the status that is judged is that of the old object.
	keptStatus bool

	// The counterpart of the candidate, and how the two are compared.
	before any
	by     *correlate.Schema
	same   bool // the two have the same text, and before is not set
}

// newRatchet returns a ratchet for the update of the carrier. Validation begins
// after start steps of a path.
func (c *jsonCarrier) newRatchet(start int) *ratchet {
	f := &ratchet{schema: c.version.engines.correlate(), now: c.newText, old: c.oldText, start: start}
	f.Typed = c.version.rules != nil // rules expect values of declared types
	f.Candidate, f.Forgive = f.candidate, f.unchanged
	return f
}

// candidate finds the counterpart of the value at a location, and reports whether
// there is one.
func (f *ratchet) candidate(at fastpath.Location) bool {
	path, ok := at.Path()
	if !ok || len(f.Forgiven) >= mostForgiven {
		f.Closed = true
		return false
	}
	f.same = false
	f.by, f.before, ok = f.counterpart(path)
	return ok
}

// unchanged reports whether v, the value of the candidate, equals its counterpart.
func (f *ratchet) unchanged(v any) bool {
	if f.same {
		f.before = v
	}
	if !f.by.Unchanged(v, f.before) {
		f.Closed = true // the values around it changed, too
		return false
	}
	return true
}

// counterpart returns the value of the old object at a path. It reports false if
// there is none.
func (f *ratchet) counterpart(path schema.Path) (s *correlate.Schema, before any, ok bool) {
	s, now, old := f.schema, f.now, f.old
	for i, step := range path {
		name, isField := step.Name()
		if !isField {
			return elementOf(s, now, old, path[i:])
		}
		if i == f.start && (name == "kind" || name == "apiVersion") || name == "" {
			return nil, nil, false
		}
		if i == 0 && f.keptStatus && name == "status" {
			now = old
		}
		var okNow, okOld bool
		now, okNow = onlyMember(now, name)
		old, okOld = onlyMember(old, name)
		if s = s.Child(name); s == nil || !okOld || !okNow {
			return nil, nil, false
		}
	}
	if f.same = now == old; f.same {
		return s, nil, true
	}
	before, ok = jsonscan.Decode(old)
	return s, before, ok
}

// elementOf is counterpart for a path that begins with an element of the list now.
func elementOf(s *correlate.Schema, now, old string, path schema.Path) (*correlate.Schema, any, bool) {
	if !s.Keyed() {
		return nil, nil, false
	}
	next, okNow := jsonscan.Decode(now)
	before, okOld := jsonscan.Decode(old)
	if !okNow || !okOld {
		return nil, nil, false
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
	return s, p.Old, p.Correlated()
}

// onlyMember returns the value of the one member of that name of an object in
// JSON. It reports false if there is none, or more than one.
func onlyMember(s, name string) (value string, ok bool) {
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
		if end < 0 || key == name && ok {
			return "", false
		}
		if key == name {
			value, ok = s[at:end], true
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return value, ok && i >= 0
}

// errorsAt returns the errors of a value at a path.
type errorsAt func(schema.Path, any) validation.ErrorList

// errors returns the errors of the forgiven values. It reports false if only
// validation of the whole object can tell them.
func (f *ratchet) errors(errorsAt errorsAt) (validation.ErrorList, bool) {
	var all validation.ErrorList
	seen := map[string]bool{}
	for _, part := range f.Forgiven {
		path, _ := part.At.Path()
		errs := errorsAt(path, part.Value)
		if len(errs) == 0 {
			return nil, false
		}
		for _, e := range errs {
			if text := e.Error(); len(f.Forgiven) > 1 {
				if seen[text] {
					return nil, false // validation reports one of them
				}
				seen[text] = true
			}
		}
		all = append(all, errs...)
	}
	return all, true
}
