package celeval

import "github.com/crdkit/crdkit/internal/pattern"

// A Compiled is a Closure with what package heapsize needs to know about it, as it
// cannot look into closures. A copy of the Closure is not counted.
type Compiled struct {
	Closure
	parts    int                // expressions that it was compiled from
	keeps    int                // those of them that keep results
	patterns []*pattern.Pattern // in its closures
}

// partSize is about how many bytes the closures of one expression take.
// TestCatalogSize of the root package compares the sum with the heap.
const partSize = 52

// keptSize is about how many bytes a kept result takes.
const keptSize = 120

// HeapHidden returns about how much heap the closures take; see package heapsize.
func (c *Compiled) HeapHidden() int { return c.parts*partSize + c.keeps*keptSize }

// compiled returns the closure of an expression with its size.
func (x *compiler) compiled(c operand, run func(*Frame) bool) *Compiled {
	return &Compiled{
		Closure:  Closure{cost: c.cost, margin: x.margin(), id: c.id, run: run, guards: x.boxes},
		parts:    x.parts,
		keeps:    x.keeps,
		patterns: x.patterns,
	}
}

// pattern compiles a constant regular expression.
func (x *compiler) pattern(text string) (*pattern.Pattern, error) {
	p, err := pattern.Compile(text)
	if err == nil {
		x.patterns = append(x.patterns, p)
	}
	return p, err
}
