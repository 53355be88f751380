package leafcheck

import "github.com/crdkit/crdkit/schema"

// Fields are the checks of objects apart from type and enum.
//
// An object is checked in one of two ways. Mostly the declared properties are
// looked up in it, which is quicker than to range over it and leaves alone what
// is not declared. A small object under a large schema, and one in which
// undeclared properties matter, is ranged over.
type Fields struct {
	Size
	Required []string // in the order of the schema

	// Props are the declared properties in increasing order of name.
	Props []Prop

	// Additional is for properties that are not declared: nil if they are
	// subject to nothing. Closed forbids them.
	Additional *Node
	Closed     bool

	additional *Node          // nil if it admits everything
	byName     map[string]int // index of Props
	nodes      []*Node        // of Props, nil if they admit everything
	probed     []probe        // of Props, those that matter
	missing    []string       // of Required, those that are not declared
}

// A Size bounds the number of members of an object, or of elements of a list.
type Size struct{ Min, Max schema.Count }

// Allows reports whether n members or elements are within the bounds.
func (s *Size) Allows(n int) bool {
	return (!s.Min.Set || int64(n) >= s.Min.N) && (!s.Max.Set || int64(n) <= s.Max.N)
}

// A Prop is a declared property.
type Prop struct {
	Name string
	Node *Node
}

type probe struct {
	name     string
	node     *Node // nil if it admits everything
	required bool
}

// finish makes what is derived from the exported fields.
func (f *Fields) finish() {
	required := make(map[string]bool, len(f.Required))
	for _, name := range f.Required {
		required[name] = true
	}
	f.byName = make(map[string]int, len(f.Props))
	for i, p := range f.Props {
		p := probe{name: p.Name, node: p.Node.orNilIfAdmitsAll(), required: required[p.Name]}
		f.byName[p.name] = i
		f.nodes = append(f.nodes, p.node)
		if p.node != nil || p.required {
			f.probed = append(f.probed, p)
		}
	}
	f.additional = f.Additional.orNilIfAdmitsAll()
	for _, name := range f.Required {
		if _, ok := f.byName[name]; !ok {
			f.missing = append(f.missing, name)
		}
	}
}

// admitsAll reports whether every object is valid.
func (f *Fields) admitsAll() bool {
	return len(f.probed) == 0 && len(f.missing) == 0 && f.additional == nil && !f.Closed && !f.Min.Set && !f.Max.Set
}

// Index returns the index in Props of the property of that name, and reports
// whether it is declared.
func (f *Fields) Index(name string) (int, bool) {
	i, ok := f.byName[name]
	return i, ok
}

// Probe reports whether it is quicker to look up the declared properties in an
// object of n entries than to range over it.
func (f *Fields) Probe(n int) bool { return len(f.Props) <= probeRatio*n+probeBase }

func (f *Fields) valid(m map[string]any) bool {
	if !f.Allows(len(m)) {
		return false
	}
	if f.additional != nil || f.Closed || len(f.probed) > probeRatio*len(m)+probeBase {
		return f.validRange(m)
	}
	for i := range f.probed {
		p := &f.probed[i]
		if v, ok := m[p.name]; ok {
			if !p.node.Valid(v) {
				return false
			}
		} else if p.required {
			return false
		}
	}
	return hasAll(m, f.missing)
}

// Up to which number of properties an object of n entries is probed:
// probeRatio*n + probeBase. To range over a map costs a start-up and about
// twice as much per entry as one look-up.
const (
	probeRatio = 2
	probeBase  = 6
)

func (f *Fields) validRange(m map[string]any) bool {
	for name, v := range m {
		n := f.additional
		if i, ok := f.byName[name]; ok {
			n = f.nodes[i]
		} else if f.Closed {
			return false
		}
		if !n.Valid(v) {
			return false
		}
	}
	return hasAll(m, f.Required)
}

func hasAll(m map[string]any, names []string) bool {
	for _, name := range names {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	return true
}
