package defaulting

import (
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// Defaulting, compiled. A node knows the few fields that matter: those to be
// set, and those with defaults further down. Defaults have been filled in with
// the defaults below them, so that a value that is set needs no second look.

// A fillNode says which defaults to set in the values of one place. A nil
// *fillNode sets none. Equal schemas share theirs.
type fillNode struct {
	sets  []field // properties with a default, by name
	walks []field // other properties with defaults below, by name

	// byName has the walks, and if others is not idle also nil for every other
	// property.
	byName map[string]*fillNode
	others rule // for fields that are not properties
	items  rule
}

type field struct {
	name  string
	set   *set      // nil in walks
	below *fillNode // for the value if there is one
}

// A compileRule says what to do with values that have no name in the schema.
type rule struct {
	null  *set // what a null gives way to, nil if nothing
	below *fillNode
}

func (r rule) idle() bool { return r.null == nil && r.below == nil }

// A compileDefault is the default of a schema.
type set struct {
	value      template
	size       int       // values in it once it is filled in
	fillLazily *fillNode // fills copies of the default in, nil if it is filled in already
	nullable   bool      // null stays
}

// copy returns a new copy of the default with all defaults below it.
func (s *set) copy() any {
	v := s.value.copy()
	if s.fillLazily != nil {
		s.fillLazily.fill(v, schema.Step{}, nil)
	}
	return v
}

func (n *fillNode) idle() bool {
	return len(n.sets) == 0 && len(n.walks) == 0 && n.others.idle() && n.items.idle()
}

// countValue fills in a value that the caller found at step s.
func (n *fillNode) fill(v any, s schema.Step, t *pathstack.Trail) {
	switch v := v.(type) {
	case map[string]any:
		t.Enter(s)
		n.fillObject(v, t)
		t.Leave()
	case []any:
		t.Enter(s)
		n.fillList(v, t)
		t.Leave()
	}
}

func (n *fillNode) fillList(list []any, t *pathstack.Trail) {
	if n.items.idle() {
		return
	}
	for i, v := range list {
		switch {
		case v == nil && n.items.null != nil:
			list[i] = n.items.null.copy()
			t.Mark(schema.Index(i))
		case n.items.below != nil && isContainer(v):
			n.items.below.fill(v, schema.Index(i), t)
		}
	}
}

func (n *fillNode) fillObject(m map[string]any, t *pathstack.Trail) {
	if m == nil {
		return
	}
	switch {
	case !n.others.idle():
		n.fillAll(m, t)
	case probeIsFaster(len(n.walks), len(m)):
		n.probe(m, t)
	default:
		n.scan(m, t)
	}
	// Last, so that nothing else looks into values that are complete.
	for i := range n.sets {
		n.sets[i].apply(m, t)
	}
}

// probe looks up the properties with defaults below.
func (n *fillNode) probe(m map[string]any, t *pathstack.Trail) {
	for i := range n.walks {
		f := &n.walks[i]
		if v, ok := m[f.name]; ok && isContainer(v) {
			f.below.fill(v, schema.Field(f.name), t)
		}
	}
}

// scan goes through m for properties with defaults below.
func (n *fillNode) scan(m map[string]any, t *pathstack.Trail) {
	for name, v := range m {
		if !isContainer(v) {
			continue
		}
		if below := n.byName[name]; below != nil {
			below.fill(v, schema.Field(name), t)
		}
	}
}

// fillAll goes through m when fields of any name matter.
func (n *fillNode) fillAll(m map[string]any, t *pathstack.Trail) {
	for name, v := range m {
		below, known := n.byName[name]
		switch {
		case known:
		case v == nil && n.others.null != nil:
			m[name] = n.others.null.copy()
			t.Mark(schema.Field(name))
			continue
		default:
			below = n.others.below
		}
		if below != nil && isContainer(v) {
			below.fill(v, schema.Field(name), t)
		}
	}
}

func (f *field) apply(m map[string]any, t *pathstack.Trail) {
	v, ok := m[f.name]
	switch {
	case !ok || v == nil && !f.set.nullable:
		m[f.name] = f.set.copy()
		t.Mark(schema.Field(f.name))
	case f.below != nil && isContainer(v):
		f.below.fill(v, schema.Field(f.name), t)
	}
}
