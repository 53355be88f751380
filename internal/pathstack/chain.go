package pathstack

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Chain is the location of a walk whose functions hand the location down as an argument.
// It builds a [field.Path] only on request. Child, Key and Index are so small that the
// compiler inlines them: a Chain that no function keeps stays on the stack of the goroutine,
// and a walk of any depth allocates nothing for it. TestCheckBuildsNoPaths of package
// definition pins that.
//
// The nil Chain is the location above all others.
type Chain struct {
	above *Chain
	text  string
	index int
	kind  stepKind
}

// Child returns the location of a field, which may be a keyword of a schema.
func (c *Chain) Child(name string) *Chain { return &Chain{above: c, text: name} }

// Key returns the location of an entry of a map.
func (c *Chain) Key(key string) *Chain { return &Chain{above: c, text: key, kind: byKey} }

// Index returns the location of an element of a list.
func (c *Chain) Index(index int) *Chain { return &Chain{above: c, index: index, kind: byIndex} }

// Path returns the path of the location, nil for the nil Chain. The path gets copies of the
// names: if it kept a name, the compiler would put every Chain on the heap.
func (c *Chain) Path() *field.Path {
	if c == nil {
		return nil
	}
	switch above := c.above.Path(); c.kind {
	case byKey:
		return above.Key(strings.Clone(c.text))
	case byIndex:
		return above.Index(c.index)
	default:
		return above.Child(strings.Clone(c.text))
	}
}
