package celbranch

import "slices"

// operand finds the terms within an expression without the operators of terms: those in
// brackets, in arguments of functions and in macros.
func (s *splitter) operand(lo, hi int, c scope) {
	start := -1 // of the value to which the next selection or call belongs
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

// arguments finds the terms of each argument or element in brackets.
func (s *splitter) arguments(open int, c scope) {
	for _, a := range s.split(open) {
		if s.is(a[0], a[1], "?") {
			a[0]++
		}
		s.expression(a[0], a[1], c, none)
	}
}

// split returns the arguments in brackets.
func (s *splitter) split(open int) [][2]int {
	if s.closing[open] == open+1 {
		return nil
	}
	return s.operands(open+1, s.closing[open], ",")
}

// A macro binds variables in its last arguments.
type macro struct {
	variables int
	bodies    int // at most; of two, the first is the condition of the second
}

// macroOf returns the macro that a member call with n arguments is, if it is one.
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

// call finds the terms in the arguments of a call. start is where the value begins whose
// member is called.
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

// loop returns the scope within a macro: for at least one element.
func (s *splitter) loop(m macro, name, receiver string, arguments [][2]int, c scope) scope {
	variables := s.span(arguments[0][0], arguments[m.variables-1][1])
	if slices.Contains([]string{"optMap", "optFlatMap"}, name) {
		return c.within(receiver+".optMap("+variables+", ", ").orValue(false)")
	}
	return c.within(receiver+".exists("+variables+", ", ")")
}
