// Package pathstack keeps the way from the root of an object to the place a walk
// is at, and the paths that the walk marks.
//
// Walks of a package that both changes objects and reports what it changed
// carry a *Trail, which is nil if nobody asked for a report. Every method
// accepts a nil receiver and then does nothing, so that there is one walk and
// not two. A walk enters the containers it looks into and nothing else; the
// path of a mark is copied only when the mark is made.
package pathstack

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/schema"
)

// A Trail belongs to one walk. The zero Trail is at the root.
type Trail struct {
	steps [shallow]schema.Step // the way, as far as it has room
	deep  []schema.Step        // the whole way once it had no room
	depth int

	marks []schema.Path
	slab  []schema.Step // memory for marks to come
}

// shallow is the depth up to which a walk allocates nothing for its way.
const shallow = 16

// Enter goes down one step.
func (t *Trail) Enter(s schema.Step) {
	if t != nil {
		t.enter(s)
	}
}

func (t *Trail) enter(s schema.Step) {
	switch {
	case t.deep != nil:
		t.deep = append(t.deep[:t.depth], s)
	case t.depth < shallow:
		t.steps[t.depth] = s
	default:
		t.deep = append(make([]schema.Step, 0, 4*shallow), t.steps[:]...)
		t.deep = append(t.deep, s)
	}
	t.depth++
}

// Leave goes up one step.
func (t *Trail) Leave() {
	if t != nil {
		t.depth--
	}
}

// Mark notes the path one step below the place the walk is at.
func (t *Trail) Mark(s schema.Step) {
	if t != nil {
		t.mark(s)
	}
}

func (t *Trail) mark(s schema.Step) {
	way := t.deep
	if way == nil {
		way = t.steps[:]
	}
	n := t.depth + 1
	if cap(t.slab)-len(t.slab) < n {
		t.slab = make([]schema.Step, 0, t.grow(n))
	}
	start := len(t.slab)
	t.slab = append(append(t.slab, way[:t.depth]...), s)
	t.marks = append(t.marks, schema.Path(t.slab[start:len(t.slab):len(t.slab)]))
}

// grow returns the size of the next slab, in steps: room for one mark at
// first, for as many as there are already later on.
func (t *Trail) grow(n int) int { return min(n*(len(t.marks)+1), max(n, 1024)) }

// Marks returns the marked paths in increasing order of their strings, nil if
// there are none. They are the caller's.
func (t *Trail) Marks() []schema.Path {
	Sort(t.marks)
	return t.marks
}

// Sort sorts paths in increasing order of [schema.Path.String]. Different
// paths have equal strings if a name contains a dot or a bracket; of those the
// one with more steps comes first.
func Sort(paths []schema.Path) {
	if len(paths) < 2 {
		return
	}
	type spelled struct {
		path schema.Path
		text []byte
	}
	list := make([]spelled, len(paths))
	text := make([]byte, 0, room(paths))
	for i, p := range paths {
		start := len(text)
		text = appendPath(text, p)
		list[i] = spelled{path: p, text: text[start:len(text):len(text)]}
	}
	slices.SortFunc(list, func(a, b spelled) int {
		if c := bytes.Compare(a.text, b.text); c != 0 {
			return c
		}
		return compareSteps(a.path, b.path)
	})
	for i := range list {
		paths[i] = list[i].path
	}
}

// room is how much the paths take when they are spelled, or a little more.
func room(paths []schema.Path) int {
	n := 0
	for _, p := range paths {
		for _, s := range p {
			name, ok := s.Name()
			n += len(name) + len("[]")
			if !ok {
				n += len("1234")
			}
		}
	}
	return n
}

// appendPath appends what [schema.Path.String] returns.
func appendPath(b []byte, p schema.Path) []byte {
	for i, s := range p {
		name, ok := s.Name()
		switch {
		case !ok:
			n, _ := s.Index()
			b = append(strconv.AppendInt(append(b, '['), int64(n), 10), ']')
		case s == schema.Key(name):
			b = append(append(append(b, '['), name...), ']')
		case i > 0:
			b = append(append(b, '.'), name...)
		default:
			b = append(b, name...)
		}
	}
	return b
}

// compareSteps orders paths that are spelled alike.
func compareSteps(a, b schema.Path) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		return cmp.Or(
			bytes.Compare(appendPath(nil, a[i:i+1]), appendPath(nil, b[i:i+1])),
			rank(a[i])-rank(b[i]),
		)
	}
	return 0
}

// rank tells apart steps that are spelled alike: indices, then keys, then
// fields.
func rank(s schema.Step) int {
	name, ok := s.Name()
	switch {
	case !ok:
		return 0
	case s == schema.Key(name):
		return 1
	default:
		return 2
	}
}
