package pattern

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Pattern is a compiled expression. It is safe for concurrent use by multiple
// goroutines. The zero Pattern is not useful; use [Compile].
type Pattern struct {
	expr string
	cfg  config

	// The first use builds the matcher, because most patterns of a definition
	// are never matched with a string.
	made    atomic.Pointer[matcher]
	making  sync.Mutex
	pending atomic.Pointer[syntax.Regexp] // nil after the matcher is built
}

// A matcher has either an automaton or, as reference, a Regexp.
type matcher struct {
	auto *automaton
	re   *regexp.Regexp
	size int
}

// Compile compiles an expression in the syntax of package regexp. It returns
// a nil Pattern and the error of [regexp.Compile] if the expression is invalid.
// The first use of the pattern builds the automaton. The time and the memory that
// this takes are bounded, whatever the expression.
func Compile(expr string, opts ...Option) (*Pattern, error) {
	cfg := config{maxStates: defaultMaxStates, maxBytes: defaultMaxBytes}
	for _, o := range opts {
		o.apply(&cfg)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p := &Pattern{expr: expr, cfg: cfg}
	p.pending.Store(tree)
	return p, nil
}

// matcher returns the matcher. The first call builds it.
func (p *Pattern) matcher() *matcher {
	if m := p.made.Load(); m != nil {
		return m
	}
	p.making.Lock()
	defer p.making.Unlock()
	if m := p.made.Load(); m != nil {
		return m
	}
	m := p.build()
	p.made.Store(m)
	p.pending.Store(nil)
	return m
}

// build builds the matcher; it is called once. Compile has parsed the expression,
// and package regexp and regexp/syntax compile every expression that parses.
func (p *Pattern) build() *matcher {
	m := &matcher{}
	prog, err := syntax.Compile(p.pending.Load().Simplify())
	if err != nil {
		prog = &syntax.Prog{} // does not happen
	} else if !p.cfg.reference {
		m.auto = build(prog, p.cfg)
	}
	if m.auto == nil {
		m.re = regexp.MustCompile(p.expr)
	}
	m.size = p.measure(m, prog)
	return m
}

// Match reports whether s contains a match of the pattern. If [Pattern.Fast] is
// true, only the first use of the pattern allocates.
func (p *Pattern) Match(s string) bool {
	m := p.made.Load()
	if m == nil {
		m = p.matcher()
	}
	if m.auto != nil {
		return m.auto.match(s)
	}
	return m.re.MatchString(s)
}

// String returns the expression that [Compile] received.
func (p *Pattern) String() string { return p.expr }

// Fast reports whether an automaton matches the pattern, and not package regexp.
func (p *Pattern) Fast() bool { return p.matcher().auto != nil }

// Size returns the number of bytes of memory that the pattern keeps, including its
// expression. It is exact up to allocator rounding if [Pattern.Fast] is true.
// Otherwise it is an estimate from the length of the program.
func (p *Pattern) Size() int { return p.matcher().size }

func (p *Pattern) measure(m *matcher, prog *syntax.Prog) int {
	size := int(unsafe.Sizeof(*p)+unsafe.Sizeof(*m)) + len(p.expr)
	if m.auto != nil {
		return size + m.auto.size()
	}
	size += int(unsafe.Sizeof(*m.re))
	for i := range prog.Inst {
		size += int(unsafe.Sizeof(prog.Inst[i])) + 4*len(prog.Inst[i].Rune)
	}
	return size
}
