package fastpath

import (
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// An update may keep what is wrong with the old object. A walk that forgives
// asks about the innermost value that it would refuse, and if that is not
// forgiven about the one around it, and so on. What is forgiven is kept as it
// is, so it has to be a value that neither pruning, nor dropping nulls, nor
// defaults would change.
//
// Elements of lists of type map are asked about by way of what is in them and of
// the list: their keys are needed apart.

// Forgiving says which values may be wrong. It is for one request.
type Forgiving struct {
	// Consider reports whether a wrong value at a place of the object may be
	// one that is forgiven, which Judge decides on next, given the value.
	Consider func(at Place) bool
	Judge    func(v any) bool
	// Typed: no value may be of another type than its schema says.
	Typed bool
	// Hopeless is set by the two if nothing else will be forgiven.
	Hopeless bool
	// Parts are the values that were forgiven. None is inside another.
	Parts []Part
}

// A Part is a value of an object.
type Part struct {
	At    Place
	Value any
}

// A Place is where a value is in the text of an object.
type Place struct {
	text   string
	index  int
	status bool // the text is that of the status of the request
}

// Path returns the steps to the place from the root of the object. Entries of
// objects are fields, declared or not. It reports false if they cannot be told.
func (p Place) Path() (schema.Path, bool) {
	var path schema.Path
	if p.status {
		path = append(path, schema.Field("status"))
	}
	s, i := p.text, jsonscan.Space(p.text, 0)
	for i >= 0 && i < p.index && i < len(s) {
		var step schema.Step
		switch s[i] {
		case '{':
			step, i = p.field(i)
		case '[':
			step, i = p.element(i)
		default:
			return nil, false
		}
		path = append(path, step)
	}
	return path, i == p.index
}

// field returns the step from the object at s[i] towards the place, and the
// index of the value that it leads to, negative if there is none.
func (p Place) field(i int) (schema.Step, int) {
	i = jsonscan.Space(p.text, i+1)
	for more := true; more && i >= 0; {
		key, _, at := jsonscan.Key(p.text, i)
		if at < 0 {
			break
		}
		end := jsonscan.Skip(p.text, at)
		if end > p.index {
			return schema.Field(key), at
		}
		if end < 0 {
			break
		}
		i, more = jsonscan.Next(p.text, end, '}')
	}
	return schema.Step{}, refused
}

// element is field for a list.
func (p Place) element(i int) (schema.Step, int) {
	i = jsonscan.Space(p.text, i+1)
	more := true
	for n := 0; more && i >= 0; n++ {
		end := jsonscan.Skip(p.text, i)
		if end > p.index {
			return schema.Index(n), i
		}
		if end < 0 {
			break
		}
		i, more = jsonscan.Next(p.text, end, ']')
	}
	return schema.Step{}, refused
}

// A mark is what a walk has done so far.
type mark struct{ out, entries, seen, keys, depth, edits, notes, parts int }

func (w *walk) mark() mark {
	return mark{
		len(w.out), len(w.entries), len(w.seen), len(w.keys), w.depth,
		len(w.edits), len(w.notes), len(w.request.Forgive.Parts),
	}
}

// back undoes what was done since m.
func (w *walk) back(m mark) {
	w.out, w.entries, w.seen, w.keys, w.depth = w.out[:m.out], w.entries[:m.entries], w.seen[:m.seen], w.keys[:m.keys], m.depth
	w.edits, w.notes = w.edits[:m.edits], w.notes[:m.notes]
}

// forgiven is value, but keeps a value that value declines if it is forgiven.
func (w *walk) forgiven(n *node, i int) int {
	f, before, touched := w.request.Forgive, w.mark(), w.touched
	w.entered = i + 1
	end := w.value(n, i)
	w.entered = 0
	if end >= 0 || f.Hopeless {
		return end
	}
	w.back(before)
	w.touched = touched
	at := Place{text: w.s, index: i, status: w.inStatus}
	if !f.Consider(at) {
		return refused
	}
	v, end := jsonscan.Value(w.s, i)
	typed := f.Typed || w.plan.replicas // nodes above them take no other types
	if end < 0 || jsonscan.HasIntegral(v) || !n.keeps(v, typed) || !n.check.Distinct(v) || !f.Judge(v) {
		return refused
	}
	f.Parts = append(f.Parts[:before.parts], Part{at, v})
	w.why = accepted
	if !w.writeValue(v) {
		return refused
	}
	return end
}

// keeps reports whether v stays as it is but for what is wrong with it. If
// typed, all of it has to be of the types that are declared.
func (n *node) keeps(v any, typed bool) bool {
	if n.decline != accepted || n.embedded || n.opaque {
		return false
	}
	if n.replicas && !isCount(v, nil) {
		return false // of which nothing is forgiven
	}
	kind := leafcheck.MaskOf(v)
	if typed && (n.accept&kind == 0 || kind&leafcheck.Float != 0 && n.accept&leafcheck.Float != leafcheck.Float) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return n.accept&leafcheck.Object != 0 && n.keepsMembers(v, typed)
	case []any:
		if n.accept&leafcheck.Array == 0 {
			return false
		}
		for _, e := range v {
			if e == nil && n.items.nullFill || !n.items.keeps(e, typed) {
				return false
			}
		}
	}
	return true
}

func (n *node) keepsMembers(m map[string]any, typed bool) bool {
	for key, e := range m {
		child := n.rest
		if i, ok := n.members.at(key); ok {
			child = n.members.list[i].node
		} else if n.others == keepOthers {
			continue
		} else if n.others != walkOthers {
			return false
		}
		if e == nil && (child.nullFill || child.nullDrop) || !child.keeps(e, typed) {
			return false
		}
	}
	for i := range n.members.list {
		if _, ok := m[n.members.list[i].name]; !ok && n.members.defaults.has(i) {
			return false
		}
	}
	return true
}

// KeepsStatus reports whether a status, in JSON, is one that needs no change; ""
// stands for none.
func (p *Plan) KeepsStatus(text string) bool {
	if text == "" {
		return p.statusNode == nil || p.statusNode.fill == nil
	}
	v, ok := jsonscan.Decode(text)
	return ok && v != nil && !jsonscan.HasIntegral(v) && p.statusNode != nil && p.statusNode.keeps(v, false)
}

// SameOutside reports whether b has the members of old, with the same values,
// apart from metadata and status. It reports false, too, if that cannot be told.
func (p *Plan) SameOutside(old, b Old) bool {
	count := func(o Old) (n int) {
		for _, m := range o.members {
			if m.name != "metadata" && m.name != "status" {
				n++
			}
		}
		return n
	}
	if count(old) != count(b) {
		return false
	}
	for _, m := range old.members {
		if m.name == "metadata" || m.name == "status" {
			continue
		}
		if other, ok := b.find(m.name); !ok || !p.SameValue(m.text, other) {
			return false
		}
	}
	return true
}

// SameValue reports whether two texts are those of the same value. It reports
// false, too, if that cannot be told.
func (p *Plan) SameValue(a, b string) bool {
	same, _ := p.sameText(a, false, b)
	return same
}
