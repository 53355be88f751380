package crdkit

import (
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// Ratcheting on the way from bytes to bytes.
//
// Most updates break no rule of the schema, and the first walk over the new
// object does not look at the old one. Only if it refuses the object there is a
// second walk that forgives values which did not change. Each is looked up in the
// text of the old object along the path that leads to it; nothing else of the two
// objects is decoded or compared. What is wrong with such a value is worked out
// from the value alone.

// mostForgiven is how many values of one object may be forgiven on this way. Objects
// with more are for the plain way.
const mostForgiven = 16

// A ratchet forgives what did not change.
type ratchet struct {
	fastpath.Forgiving
	schema *correlate.Schema
	now    string // the new object, or what of it is judged
	old    string
	start  int // of paths: what is there of kind and apiVersion is always new
	// keptStatus: the status that is judged is that of the old object.
	keptStatus bool

	// What corresponds to the value that is considered, and how it is compared.
	before any
	by     *correlate.Schema
	same   bool // it is spelled alike, and before is not set
}

// ratchet returns what forgives the values of an update from old to now. Steps
// of paths before start lead to where validation begins.
func (r *request) ratchet(now, old string, start int) *ratchet {
	f := &ratchet{schema: r.version.engines.correlate(), now: now, old: old, start: start}
	f.Typed = r.version.rules != nil // which expect values of declared types
	f.Consider, f.Judge = f.consider, f.judge
	return f
}

// consider finds what corresponds to what is at a place, and reports whether
// there is anything.
func (f *ratchet) consider(at fastpath.Place) bool {
	path, ok := at.Path()
	if !ok || len(f.Parts) >= mostForgiven {
		f.Hopeless = true
		return false
	}
	f.same = false
	f.by, f.before, ok = f.counterpart(path)
	return ok
}

// judge reports whether v, which is considered, is what the old object has in
// its place.
func (f *ratchet) judge(v any) bool {
	if f.same {
		f.before = v
	}
	if !f.by.Unchanged(v, f.before) {
		f.Hopeless = true // what it is in changed with it
		return false
	}
	return true
}

// counterpart returns what the old object has at a path. It reports false if
// that is nothing.
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

// elementOf is counterpart for a path that begins with an element of the list
// now.
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

// excused returns what is wrong with the values that were forgiven. It reports
// false if that is not clear.
func (f *ratchet) excused(errorsAt func(schema.Path, any) validation.ErrorList) (validation.ErrorList, bool) {
	var all validation.ErrorList
	seen := map[string]bool{}
	for _, part := range f.Parts {
		path, _ := part.At.Path()
		errs := errorsAt(path, part.Value)
		if len(errs) == 0 {
			return nil, false
		}
		for _, e := range errs {
			if text := e.Error(); len(f.Parts) > 1 {
				if seen[text] {
					return nil, false // which of them is reported is for validation to say
				}
				seen[text] = true
			}
		}
		all = append(all, errs...)
	}
	return all, true
}
