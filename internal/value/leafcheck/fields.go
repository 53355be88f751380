package leafcheck

import "github.com/crdkit/crdkit/schema"

// Fields has the checks of objects apart from type and enum.
//
// Mostly the declared properties are looked up in the object (probe), which is faster and
// skips others. A small object with a large schema, or whose undeclared properties matter,
// is ranged over. TestProbeAndRangeAgree compares the two.
type Fields struct {
	Size
	Required []string // in the order of the schema

	// Props are the declared properties in increasing order of name.
	Props []Prop

	// Additional is the schema of undeclared properties, nil if any is valid. Closed
	// forbids them.
	Additional *Node
	Closed     bool

	additional *Node          // Additional, or nil if it admits every value
	byName     map[string]int // index of Props
	nodes      []*Node        // of Props, nil for nodes that admit every value
	probed     []Prop         // the Props that can refuse a value
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

// finish sets the unexported fields from the exported ones.
func (f *Fields) finish() {
	f.byName = make(map[string]int, len(f.Props))
	for i, p := range f.Props {
		p.Node = p.Node.orNilIfAdmitsAll()
		f.byName[p.Name] = i
		f.nodes = append(f.nodes, p.Node)
		if p.Node != nil {
			f.probed = append(f.probed, p)
		}
	}
	f.additional = f.Additional.orNilIfAdmitsAll()
}

// admitsAll reports whether f admits every object.
func (f *Fields) admitsAll() bool {
	return len(f.probed) == 0 && len(f.Required) == 0 && f.additional == nil && !f.Closed && !f.Min.Set && !f.Max.Set
}

// Index returns the index in Props of a property, and reports whether it is declared.
func (f *Fields) Index(name string) (int, bool) {
	i, ok := f.byName[name]
	return i, ok
}

func (f *Fields) valid(m map[string]any) bool {
	if !f.Allows(len(m)) {
		return false
	}
	if f.additional != nil || f.Closed || len(f.probed) > probeRatio*len(m)+probeBase {
		return f.validRange(m)
	}
	for i := range f.probed {
		p := &f.probed[i]
		if v, ok := m[p.Name]; ok && !p.Node.Valid(v) {
			return false
		}
	}
	return hasAll(m, f.Required)
}

// An object of n entries is probed for up to probeRatio*n + probeBase properties: a range
// costs a constant and about two lookups an entry.
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
