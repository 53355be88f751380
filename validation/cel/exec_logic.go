package cel

// Logic costs nothing by itself. What the later operands of && and || and the
// branches of a ternary cost is added when they are evaluated.

func (x *executor) and(terms []code) code { return x.logic(terms, false) }

func (x *executor) or(terms []code) code { return x.logic(terms, true) }

// logic evaluates terms until one is decisive.
func (x *executor) logic(terms []code, decisive bool) code {
	out := code{kind: kindBool, cost: terms[0].cost, bool: x.bool(terms[0])}
	for _, t := range terms[1:] {
		out.bool = either(out.bool, x.bool(t), t.cost, decisive)
	}
	return out
}

func either(a, b func(*frame) bool, cost uint64, decisive bool) func(*frame) bool {
	if decisive {
		return func(f *frame) bool {
			if a(f) || f.bail {
				return true
			}
			f.cost += cost
			return b(f)
		}
	}
	return func(f *frame) bool {
		if !a(f) || f.bail {
			return false
		}
		f.cost += cost
		return b(f)
	}
}

// ternary chooses a branch. A branch that is a variable with fields is resolved,
// so that it is one unit cheaper.
func (x *executor) ternary(cond, yes, no code) code {
	test, costYes, costNo := x.bool(cond), branchCost(yes), branchCost(no)
	choose := func(f *frame) bool {
		if test(f) {
			f.cost += costYes
			return true
		}
		f.cost += costNo
		return false
	}
	out := x.ternaryOf(choose, yes, no)
	out.cost, out.choice = cond.cost, true
	return out
}

// ternaryOf returns code that evaluates one of two codes. Its cost is up to the
// caller.
func (x *executor) ternaryOf(choose func(*frame) bool, yes, no code) code {
	out := code{kind: yes.kind}
	if yes.kind != no.kind || yes.kind == kindRaw && yes.shape != no.shape {
		yes.box, no.box = x.boxed(yes), x.boxed(no)
		out.kind = kindBox
	}
	switch out.kind {
	case kindBool:
		out.bool = choice(choose, yes.bool, no.bool)
	case kindInt, kindDuration:
		out.int = choice(choose, yes.int, no.int)
	case kindDouble:
		out.double = choice(choose, yes.double, no.double)
	case kindString:
		out.string = choice(choose, yes.string, no.string)
	case kindTimestamp:
		out.time = choice(choose, yes.time, no.time)
	case kindRaw:
		out.raw, out.shape = choice(choose, yes.raw, no.raw), yes.shape
	case kindBox:
		out.box = choice(choose, yes.box, no.box)
	default:
		return x.refuse("ternary of " + kindName(yes))
	}
	return out
}

func branchCost(c code) uint64 {
	if c.attr {
		return c.cost - 1
	}
	return c.cost
}

func choice[T any, F ~func(*frame) T](choose func(*frame) bool, yes, no F) F {
	return func(f *frame) T {
		if choose(f) {
			return yes(f)
		}
		return no(f)
	}
}
