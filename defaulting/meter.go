package defaulting

import "github.com/crdkit/crdkit/schema"

// Defaults fill in other defaults. A list of n nulls, each of which gives way
// to a list of n nulls, and so on for d levels, is a short schema and stands
// for n to the power of d values. So what a default comes to is counted before
// it is filled in, and if that is too much it is left as it is declared.

// maxFilled bounds by how many values the defaults of one schema may grow
// together when they are filled in. As many values, all in lists, take 20 MB.
const maxFilled = 1 << 18

// tooLarge is the size of a default that was not filled in. It is more than
// any meter has left, even when a large default is declared.
const tooLarge = 1 << 30

// A meter counts values down. It stops soon after there are none left.
type meter struct {
	compiler *fillCompiler
	left     int
}

// countValue counts what v comes to once n has filled it in.
func (m *meter) countValue(v any, n *schema.Node) {
	m.left--
	switch v := v.(type) {
	case map[string]any:
		m.countAbsent(v, n)
		for name, e := range v {
			m.countElement(e, childOf(n, name))
		}
	case []any:
		items := itemsOf(n)
		for _, e := range v {
			m.countElement(e, items)
		}
	}
}

func (m *meter) countElement(v any, n *schema.Node) {
	if m.left < 0 {
		return
	}
	if s := m.compiler.compileRule(n).null; v == nil && s != nil {
		m.left -= s.size
		return
	}
	m.countValue(v, n)
}

// countAbsent counts the defaults of properties that v does not have.
func (m *meter) countAbsent(v map[string]any, n *schema.Node) {
	node := m.compiler.compileNode(n)
	if node == nil {
		return
	}
	for _, f := range node.sets {
		if m.left < 0 {
			return
		}
		if _, ok := v[f.name]; !ok {
			m.left -= f.set.size
		}
	}
}

// countValues returns the number of values in v.
func countValues(v any) int {
	total := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			total += countValues(e)
		}
	case []any:
		for _, e := range v {
			total += countValues(e)
		}
	}
	return total
}
