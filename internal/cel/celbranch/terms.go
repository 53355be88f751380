package celbranch

import (
	"slices"

	"github.com/crdkit/crdkit/internal/cel/celsyntax"
)

// A Term is a part of a rule that decides its result.
type Term struct {
	Start, End int    // text[Start:End] of the rule
	Operator   string // "&&" or "||" if the term is an operand, "?:" if it is a condition
	// True and False observe the results of the term. The Text of an observer is "" if other
	// results imply its result; see [Rule.Implied].
	True, False Observer

	last     bool // the term is the last operand
	previous int  // index of the previous operand, -1 if there is none
	parent   int  // index of the term that is the whole && or ||; or Whole; or none
}

// An Observer is a rule. It is false if its term is evaluated and has the observed result.
type Observer struct{ Text string }

// A Rule is a rule with its terms, in the order of the text. Outer terms come first.
type Rule struct {
	Terms []Term
	// Complete is false if the text cannot be read, or if a term is nested too deeply for an
	// observer.
	Complete bool
	// True and False observe the result of the rule. If the text can be read, True.Text is "": a
	// rule that is evaluated is true unless it is false or fails; see [Rule.Evaluated].
	True, False Observer
	// UsesOld is true if the rule mentions oldSelf.
	UsesOld bool

	decided   int  // term with the same result if the rule's result is decidedIf, or none
	decidedIf bool // true for &&, false for ||
}

// Whole stands for the rule itself where the index of a term is expected.
const Whole = -2

// Evaluated returns an observer of all evaluations of r. It is always false. Rules with
// equal Evaluated observers are evaluated for the same values.
func (r *Rule) Evaluated() Observer {
	if r.UsesOld {
		return Observer{"false && oldSelf == oldSelf"}
	}
	return Observer{"false"}
}

// Implied calls hit with a result of term i, or of the rule if i is [Whole]. It also calls hit with
// each result that follows. If an operand of && is evaluated, the operands before it are true; for
// ||, they are false. If an operand decides or is the last one, its result is the operator's.
func (r *Rule) Implied(i int, result bool, hit func(i int, result bool)) {
	hit(i, result)
	if i == Whole {
		if r.decided != none && result == r.decidedIf {
			r.Implied(r.decided, result, hit)
		}
		return
	}
	t := &r.Terms[i]
	decides := t.Operator == "||"
	if (result == decides || t.last) && t.parent >= 0 {
		r.Implied(t.parent, result, hit)
	}
	for p := t.previous; p >= 0; p = r.Terms[p].previous {
		hit(p, !decides)
	}
}

const (
	// maxObserver limits the bytes of an observer, which repeats the text around its term.
	maxObserver = 32 << 10
	// maxDepth limits the brackets and operators around a term.
	maxDepth = 128
)

// Split returns the terms of a rule with their observers.
func Split(rule string) *Rule {
	out := &Rule{True: Observer{"!(" + rule + "\n)"}, False: Observer{rule}, decided: none}
	tokens, ok := celsyntax.Tokens(rule)
	if !ok {
		return out
	}
	s := &splitter{text: rule, tokens: tokens, complete: true, decided: none}
	if !s.pair() {
		return out
	}
	s.expression(0, len(tokens), scope{}, Whole)
	out.Terms, out.Complete, out.UsesOld = s.terms, s.complete, s.usesOld
	out.decided, out.True.Text = s.decided, ""
	if s.decided != none {
		out.decidedIf = s.terms[s.decided].Operator == "&&"
	}
	return out
}

const none = -1

type splitter struct {
	text     string
	tokens   []celsyntax.Token
	closing  []int // index of the closing bracket, by index of the opening one
	terms    []Term
	complete bool
	usesOld  bool
	decided  int // see Rule.decided
}

// A scope is the text before and after the condition of an observer. The whole is true
// only if the observer's term is evaluated.
type scope struct {
	before, after string
	depth         int
}

func (c scope) within(before, after string) scope {
	return scope{before: c.before + before, after: after + c.after, depth: c.depth + 1}
}

// ifTrue returns the scope of a part that is evaluated if a condition is true.
func (c scope) ifTrue(condition string) scope { return c.within("("+condition+") && (", ")") }

func (c scope) ifFalse(condition string) scope { return c.within("!("+condition+") && (", ")") }

func (s *splitter) word(i int) string { return s.text[s.tokens[i].Start:s.tokens[i].End] }

func (s *splitter) is(i, end int, operator string) bool {
	return i < end && s.tokens[i].IsOperator && s.word(i) == operator
}

func (s *splitter) span(lo, hi int) string {
	if lo >= hi {
		return ""
	}
	return s.text[s.tokens[lo].Start:s.tokens[hi-1].End]
}

// pair finds the closing bracket of each opening bracket, and looks for oldSelf. It returns false
// if the brackets do not match.
func (s *splitter) pair() bool {
	s.closing = make([]int, len(s.tokens))
	var open []int
	for i, t := range s.tokens {
		if t.IsName && s.word(i) == "oldSelf" {
			s.usesOld = true
		}
		if !t.IsOperator {
			continue
		}
		switch s.word(i) {
		case "(", "[":
			open = append(open, i)
		case ")", "]":
			if len(open) == 0 {
				return false
			}
			s.closing[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// next returns the token after i at the same level of brackets.
func (s *splitter) next(i int) int {
	if s.is(i, len(s.tokens), "(") || s.is(i, len(s.tokens), "[") {
		return s.closing[i] + 1
	}
	return i + 1
}

// expression finds the terms in the tokens from lo to hi. parent is the index of the term with
// exactly these tokens, Whole, or the constant none.
func (s *splitter) expression(lo, hi int, c scope, parent int) {
	c.depth++
	if lo >= hi || c.depth > maxDepth {
		s.complete = s.complete && lo >= hi
		return
	}
	if s.bracketed(lo, hi) {
		s.expression(lo+1, hi-1, c, parent)
		return
	}
	if question, colon, ok := s.ternary(lo, hi); ok {
		condition := s.span(lo, question)
		s.add(lo, question, Term{Operator: "?:", previous: none, parent: none}, c)
		s.expression(lo, question, c, none)
		s.expression(question+1, colon, c.ifTrue(condition), none)
		s.expression(colon+1, hi, c.ifFalse(condition), none)
		return
	}
	if operands, operator := s.junction(lo, hi); len(operands) > 1 {
		s.addOperands(operands, operator, c, parent)
		return
	}
	s.operand(lo, hi, c)
}

func (s *splitter) bracketed(lo, hi int) bool { return s.is(lo, hi, "(") && s.closing[lo] == hi-1 }

// junction returns the operands of the outermost operator, if that operator is && or ||.
func (s *splitter) junction(lo, hi int) (operands [][2]int, operator string) {
	for _, operator := range []string{"||", "&&"} {
		if operands := s.operands(lo, hi, operator); len(operands) > 1 {
			return operands, operator
		}
	}
	return nil, ""
}

// isJunction reports whether the tokens from lo to hi are operands of && or ||, maybe in brackets.
func (s *splitter) isJunction(lo, hi int) bool {
	for s.bracketed(lo, hi) {
		lo, hi = lo+1, hi-1
	}
	_, _, ternary := s.ternary(lo, hi)
	operands, _ := s.junction(lo, hi)
	return !ternary && len(operands) > 1
}

func (s *splitter) ternary(lo, hi int) (question, colon int, ok bool) {
	nested := 0
	for i := lo; i < hi; i = s.next(i) {
		switch {
		case s.is(i, hi, "?") && !s.optional(i):
			if nested++; nested == 1 {
				question = i
			}
		case s.is(i, hi, ":"):
			if nested--; nested == 0 {
				return question, i, true
			}
		}
	}
	return 0, 0, false
}

// optional reports whether a question mark belongs to an optional field or element.
func (s *splitter) optional(i int) bool {
	return i == 0 || s.is(i-1, i, ".") || s.is(i-1, i, "[") || s.is(i-1, i, ",")
}

// operands splits the tokens at an operator. Each operand is a pair of indexes.
func (s *splitter) operands(lo, hi int, operator string) [][2]int {
	var out [][2]int
	start := lo
	for i := lo; i < hi; i = s.next(i) {
		if s.is(i, hi, operator) {
			out = append(out, [2]int{start, i})
			start = i + 1
		}
	}
	return append(out, [2]int{start, hi})
}

func (s *splitter) addOperands(operands [][2]int, operator string, c scope, parent int) {
	first, previous := operands[0][0], none
	for i, o := range operands {
		inner := c
		if i > 0 {
			before := s.span(first, operands[i-1][1])
			if operator == "&&" {
				inner = c.ifTrue(before)
			} else {
				inner = c.ifFalse(before)
			}
		}
		at := s.add(o[0], o[1], Term{Operator: operator, last: i == len(operands)-1, previous: previous, parent: parent}, inner)
		if at == none {
			return // observers of further operands are even longer
		}
		previous = at
		if s.isJunction(o[0], o[1]) {
			s.terms[at].True.Text, s.terms[at].False.Text = "", ""
			s.expression(o[0], o[1], inner, at)
			continue
		}
		if parent == Whole && i == len(operands)-1 {
			s.decide(at)
		}
		s.expression(o[0], o[1], inner, none)
	}
}

// decide records the last operand of the rule. The last operand of && is true exactly if the rule
// is true, and of || false exactly if the rule is false. This result needs no observer.
func (s *splitter) decide(at int) {
	s.decided = at
	if t := &s.terms[at]; t.Operator == "&&" {
		t.True.Text = ""
	} else {
		t.False.Text = ""
	}
}

// add adds a term and returns its index. A result that other results imply gets no observer. If an
// observer would be too long, add adds nothing and returns none.
func (s *splitter) add(lo, hi int, t Term, c scope) int {
	text := s.span(lo, hi)
	if len(c.before)+len(text)+len(c.after) > maxObserver {
		s.complete = false
		return none
	}
	t.Start, t.End = s.tokens[lo].Start, s.tokens[hi-1].End
	if t.Operator != "&&" || t.last {
		t.True.Text = s.observer(c, "("+text+")")
	}
	if t.Operator != "||" || t.last {
		t.False.Text = s.observer(c, "!("+text+")")
	}
	s.terms = append(s.terms, t)
	return len(s.terms) - 1
}

// observer returns a rule that is false if the condition is evaluated in the scope and is true.
func (s *splitter) observer(c scope, condition string) string {
	text := "!(" + c.before + condition + c.after + ")"
	if s.usesOld {
		// The observer of a transition rule must be one, so it must mention oldSelf.
		text += " || (false && oldSelf == oldSelf)"
	}
	return text
}

// operand finds terms in brackets, arguments and macros.
func (s *splitter) operand(lo, hi int, c scope) {
	start := -1 // start of the value before a selection or call
	for i := lo; i < hi; i = s.next(i) {
		switch {
		case s.is(i, hi, "("):
			if start < 0 || i == lo || !s.tokens[i-1].IsName {
				if start < 0 {
					start = i
				}
				s.expression(i+1, s.closing[i], c, none)
				continue
			}
			s.call(start, i, c)
		case s.is(i, hi, "["):
			if start < 0 {
				start = i
			}
			s.arguments(i, c)
		case s.is(i, hi, ".") || s.is(i, hi, "?"):
		case s.tokens[i].IsOperator:
			start = -1
		case start < 0:
			start = i
		}
	}
}

// arguments finds the terms in each argument or element in brackets.
func (s *splitter) arguments(open int, c scope) {
	for _, a := range s.split(open) {
		if s.is(a[0], a[1], "?") {
			a[0]++
		}
		s.expression(a[0], a[1], c, none)
	}
}

func (s *splitter) split(open int) [][2]int {
	if s.closing[open] == open+1 {
		return nil
	}
	return s.operands(open+1, s.closing[open], ",")
}

// A macro is a call. Its first arguments are variables, and its last arguments are bodies.
type macro struct {
	variables int
	bodies    int // one or two; the first body is then a condition for the second
}

// macroOf reports whether a member call with n arguments is a macro, and returns it.
func macroOf(name string, n int) (macro, bool) {
	switch name {
	case "all", "exists", "exists_one", "existsOne", "filter":
		return macro{n - 1, 1}, n == 2 || n == 3 && name != "filter"
	case "map":
		return macro{1, n - 1}, n == 2 || n == 3
	case "transformList", "transformMap", "transformMapEntry":
		return macro{2, n - 2}, n == 3 || n == 4
	case "optMap", "optFlatMap":
		return macro{1, 1}, n == 2
	}
	return macro{}, false
}

// call finds terms in the arguments of a call. start is where its receiver begins.
func (s *splitter) call(start, open int, c scope) {
	name, arguments := s.word(open-1), s.split(open)
	member := open >= 2 && s.is(open-2, open, ".")
	if member && open-2 > start && s.word(start) == "cel" && name == "bind" && len(arguments) == 3 {
		s.expression(arguments[1][0], arguments[1][1], c, none)
		variable, init := s.span(arguments[0][0], arguments[0][1]), s.span(arguments[1][0], arguments[1][1])
		s.expression(arguments[2][0], arguments[2][1], c.within("cel.bind("+variable+", "+init+", ", ")"), none)
		return
	}
	m, ok := macroOf(name, len(arguments))
	if !member || !ok {
		s.arguments(open, c)
		return
	}
	inner := s.loop(m, name, s.span(start, open-2), arguments, c)
	bodies := arguments[len(arguments)-m.bodies:]
	s.expression(bodies[0][0], bodies[0][1], inner, none)
	if len(bodies) == 2 {
		s.expression(bodies[1][0], bodies[1][1], inner.ifTrue(s.span(bodies[0][0], bodies[0][1])), none)
	}
}

func (s *splitter) loop(m macro, name, receiver string, arguments [][2]int, c scope) scope {
	variables := s.span(arguments[0][0], arguments[m.variables-1][1])
	if slices.Contains([]string{"optMap", "optFlatMap"}, name) {
		return c.within(receiver+".optMap("+variables+", ", ").orValue(false)")
	}
	return c.within(receiver+".exists("+variables+", ", ")")
}
