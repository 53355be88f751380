package pattern

import (
	"regexp"
	"regexp/syntax"
	"unsafe"
)

// A Pattern is a compiled expression. It is immutable and safe for concurrent
// use by multiple goroutines. The zero Pattern is not useful; use [Compile].
type Pattern struct {
	expr string

	// Exactly one of auto and re is set.
	auto *automaton
	re   *regexp.Regexp

	size int
}

// Compile compiles an expression in the syntax of package regexp. It returns
// a nil Pattern and the error of [regexp.Compile] if the expression is invalid.
// The time and the memory it takes beyond parsing are bounded, whatever the
// expression.
func Compile(expr string, opts ...Option) (*Pattern, error) {
	cfg := config{maxStates: defaultMaxStates, maxBytes: defaultMaxBytes}
	for _, o := range opts {
		o.apply(&cfg)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	p := &Pattern{expr: expr}
	if !cfg.plain {
		p.auto = build(prog, cfg)
	}
	if p.auto == nil {
		if p.re, err = regexp.Compile(expr); err != nil {
			return nil, err
		}
	}
	p.size = p.measure(prog)
	return p, nil
}

// Match reports whether s contains a match of the pattern. It does not
// allocate if [Pattern.Fast] is true.
func (p *Pattern) Match(s string) bool {
	if p.auto != nil {
		return p.auto.match(s)
	}
	return p.re.MatchString(s)
}

// String returns the expression as it was given to [Compile].
func (p *Pattern) String() string { return p.expr }

// Fast reports whether the pattern is matched by an automaton, as opposed to
// package regexp.
func (p *Pattern) Fast() bool { return p.auto != nil }

// Size returns the bytes of memory which the pattern keeps, its expression
// included. It is exact up to allocator rounding if [Pattern.Fast] is true,
// and an estimate from the length of the program otherwise.
func (p *Pattern) Size() int { return p.size }

func (p *Pattern) measure(prog *syntax.Prog) int {
	size := int(unsafe.Sizeof(*p)) + len(p.expr)
	if p.auto != nil {
		return size + p.auto.size()
	}
	size += int(unsafe.Sizeof(*p.re))
	for i := range prog.Inst {
		size += int(unsafe.Sizeof(prog.Inst[i])) + 4*len(prog.Inst[i].Rune)
	}
	return size
}
