package defaulting

import "github.com/crdkit/crdkit/schema"

// Defaults can contain nulls that other defaults replace. A list of n nulls,
// each replaced by a list of n nulls, and so on for d levels, is a short schema
// with n to the power of d values. So a meter counts the values of a default
// before it is filled. A default with too many values is filled lazily, in each
// copy.

// maxFilled bounds how many values filling adds to the defaults of one schema.
// As many values, all in lists, take 20 MB.
const maxFilled = 1 << 18

// tooLarge is the size of a default that is filled lazily. It exceeds what any
// meter has left, even if a large default is declared.
const tooLarge = 1 << 30

// A meter counts values down. It stops soon after left is negative.
type meter struct {
	compiler *fillCompiler
	left     int
}

// countValue counts the values of v once n has filled it.
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

// countAbsent counts the values of the defaults that n sets in v.
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
