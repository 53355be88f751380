package pattern

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
)

// A Pattern is a compiled expression. It is safe for concurrent use.
type Pattern struct {
	expr string
	cfg  config

	// The first use builds the matcher: most patterns of a definition are never matched.
	made    atomic.Pointer[matcher]
	making  sync.Mutex
	pending atomic.Pointer[syntax.Regexp] // nil after the matcher is built
}

type matcher struct {
	auto *automaton
	re   *regexp.Regexp
}

// An Option changes how [Compile] represents a pattern, but not what it matches.
type Option func(*config)

type config struct{ maxStates, maxBytes int }

// MaxStates bounds the states of the automaton. The default is 512. Package regexp matches a
// pattern that needs more.
func MaxStates(n int) Option { return func(c *config) { c.maxStates = n } }

// MaxBytes bounds the size of the automaton in bytes. The default is 65536. Package regexp matches
// a pattern that needs more. An automaton has at most 65536 table entries of two bytes each.
func MaxBytes(n int) Option { return func(c *config) { c.maxBytes = n } }

// Compile compiles an expression in the syntax of package regexp. It returns a nil Pattern
// and the error of [regexp.Compile] if the expression is invalid.
func Compile(expr string, opts ...Option) (*Pattern, error) {
	cfg := config{maxStates: defaultMaxStates, maxBytes: defaultMaxBytes}
	for _, o := range opts {
		o(&cfg)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p := &Pattern{expr: expr, cfg: cfg}
	p.pending.Store(tree)
	return p, nil
}

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

// build builds the matcher. It cannot fail: every expression that Compile could parse can also be
// compiled.
func (p *Pattern) build() *matcher {
	m := &matcher{}
	if prog, err := syntax.Compile(p.pending.Load().Simplify()); err == nil {
		m.auto = build(prog, p.cfg)
	}
	if m.auto == nil {
		m.re = regexp.MustCompile(p.expr)
	}
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

// Fast reports whether an automaton matches the pattern, not package regexp.
func (p *Pattern) Fast() bool { return p.matcher().auto != nil }

// A match stops in the states never and always. Every other state is the index of its row in
// automaton.next.
const (
	never  = 0 // no continuation matches
	always = 1 // every continuation matches
	first  = 2 // the row of the first ordinary state
)

// An automaton is a complete deterministic automaton over all runes.
//
// A state is the index of its row in next. After never and always come the states that do not
// accept at the end of the text, then the others. So one comparison tells them apart.
type automaton struct {
	ascii [utf8.RuneSelf]uint8 // class of each ASCII byte
	wide  []span               // classes of the other runes, ascending
	next  []uint16             // next[state+class] is the following state
	start uint16
	final uint32 // states from final on accept at the end of the text
}

// A span gives the class of all runes from lo up to the next span.
type span struct {
	lo    rune
	class uint8
}

func (a *automaton) match(s string) bool {
	state := uint(a.start)
	if state <= always {
		return state == always
	}
	next := a.next
	for i := 0; i < len(s); {
		var class uint8
		if c := s[i]; c < utf8.RuneSelf {
			class = a.ascii[c]
			i++
		} else {
			r, n := utf8.DecodeRuneInString(s[i:])
			class = a.classOf(r)
			i += n
		}
		state = uint(next[state+uint(class)])
		if state <= always {
			return state == always
		}
	}
	return state >= uint(a.final)
}

func (a *automaton) classOf(r rune) uint8 {
	lo, hi := 0, len(a.wide)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; a.wide[mid].lo <= r {
			lo = mid
		} else {
			hi = mid
		}
	}
	return a.wide[lo].class
}

func (a *automaton) size() int {
	return int(unsafe.Sizeof(*a)) + len(a.wide)*int(unsafe.Sizeof(span{})) + 2*len(a.next)
}
