package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Logic costs nothing by itself. Later operands add their cost when they are evaluated.

// terms compiles the operands of an operator, in order. Operands of the same operator are
// flattened.
func (x *compiler) terms(to []operand, e ast.Expr) []operand {
	name := e.AsCall().FunctionName()
	for _, a := range e.AsCall().Args() {
		if isCall(a, name, 2) {
			to = x.terms(to, a)
			continue
		}
		to = append(to, x.expr(a))
	}
	return to
}

// A laterTerm is an operand of && or || other than the first.
type laterTerm struct {
	run  func(*Frame) bool
	cost uint64
}

// logic compiles && or ||. It evaluates terms until one equals decisive.
func (x *compiler) logic(terms []operand, decisive bool) operand {
	if x.why != "" {
		return operand{}
	}
	first := x.condition(terms[0])
	out, run, later := operand{cost: first.cost}, x.bool(first), make([]laterTerm, len(terms)-1)
	for i, t := range terms[1:] {
		t = x.condition(t)
		later[i] = laterTerm{x.bool(t), t.cost}
	}
	out.value = as(kindBool, func(f *Frame) bool {
		v := run(f)
		for i := range later {
			t := &later[i]
			switch {
			case f.failed:
				v = f.evalTerm(t, decisive)
				continue
			case v == decisive:
				return v
			}
			f.pay(t.cost)
			if v = t.run(f); f.failed {
			}
		}
		return v
	})
	return out
}

// evalTerm evaluates a term after an earlier one failed. A result of decisive clears the error.
func (f *Frame) evalTerm(t *laterTerm, decisive bool) bool {
	err := f.takeError()
	if err == nil {
		return false
	}
	f.pay(t.cost)
	v := t.run(f)
	if f.failed || v != decisive {
		f.failWith(err)
	}
	return v
}

// ternary compiles cond ? yes : no.
func (x *compiler) ternary(cond, yes, no operand) operand {
	cond, yes, no = x.condition(cond), branch(yes), branch(no)
	t := branches{test: x.bool(cond),
		costYes: branchCost(yes), costNo: branchCost(no)}
	out := x.ternaryOf(&t, yes, no)
	out.cost, out.choice = cond.cost, true
	return out
}

// branch returns c as a branch of a ternary. There, has() of an optional is an optional in cel-go:
// the closure declines it.
func branch(c operand) operand {
	if ch := c.chain; c.presence && ch != nil {
		c.value = as(kindBool, func(f *Frame) bool {
			v, optional := ch.find(f)
			if optional {
				f.decline()
			}
			return !f.failed && v == types.True
		})
	}
	return c
}

type branches struct {
	test            func(*Frame) bool
	costYes, costNo uint64
}

// ternaryOf returns an operand that evaluates one of two operands, as t.test decides. The caller
// sets its cost.
func (x *compiler) ternaryOf(t *branches, yes, no operand) operand {
	if yes.isOptional() && no.isOptional() {
		return x.ternaryOfOptionals(t, x.optional(yes), x.optional(no))
	}
	v, typed := yes.value.(scalar)
	switch {
	case yes.kind() != no.kind() || yes.kind() == kindRaw && yes.declared != no.declared || yes.kind() == kindQuantity:
		return operand{box: choice(t, x.boxed(yes), x.boxed(no))}
	case yes.kind() == kindBox:
		return operand{box: choice(t, yes.box, no.box)}
	case typed:
		return operand{value: v.choice(t, no.value)}
	case yes.raw != nil:
		return operand{raw: choice(t, yes.raw, no.raw), declared: yes.declared}
	}
	return x.refuse("ternary of " + kindName(yes))
}

// branchCost returns the cost of c as a branch of a ternary or as an index. Elsewhere, a variable
// or selection costs one unit more.
func branchCost(c operand) uint64 {
	if c.attr {
		return c.cost - 1
	}
	return c.cost
}

func choice[T any, F ~func(*Frame) T](b *branches, yes, no F) F {
	t := *b
	return func(f *Frame) (none T) {
		test := t.test(f)
		switch {
		case f.failed:
			return none
		case test:
			f.pay(t.costYes)
			return yes(f)
		}
		f.pay(t.costNo)
		return no(f)
	}
}

// An EvalError is an error of CEL that ends an evaluation. Closures share equal errors.
type EvalError struct{ text string }

func (e *EvalError) Error() string { return e.text }

var (
	overflow       = &EvalError{text: "integer overflow"}
	divisionByZero = &EvalError{text: "division by zero"}
	modulusByZero  = &EvalError{text: "modulus by zero"}
	unordered      = &EvalError{text: "NaN values cannot be ordered"}
	noValue        = &EvalError{text: "optional.none() dereference"}
	noSuchOverload = &EvalError{text: "no such overload"}
)

// fail ends the evaluation with an error, unless it has already ended.
func (f *Frame) fail(err *EvalError) {
	if !f.failed {
		f.failed, f.evalErr = true, err
	}
}

// decline ends the evaluation. The caller repeats it with cel-go.
func (f *Frame) decline() { f.failed, f.evalErr = true, nil }

// takeError returns and clears the error of an operand. If f has declined, f stays failed.
func (f *Frame) takeError() *EvalError {
	err := f.evalErr
	if err != nil {
		f.failed, f.evalErr = false, nil
	}
	return err
}

// failWith fails with err, and drops any error after it.
func (f *Frame) failWith(err *EvalError) {
	if !f.failed || f.evalErr != nil {
		f.failed, f.evalErr = true, err
	}
}

// evalRight evaluates the right operand after the left one failed, because its cost counts. f
// keeps the error of the left one.
func evalRight[T any](f *Frame, right func(*Frame) T) (w T, failedToo bool) {
	err := f.takeError()
	if err == nil {
		return w, true
	}
	w = right(f)
	failedToo = f.failed
	f.failWith(err)
	return w, failedToo
}

// both evaluates two operands. left and right are their errors. ok is false if one declines.
func both[A, B any, F ~func(*Frame) A, G ~func(*Frame) B](f *Frame, a F, b G) (v A, w B, left, right *EvalError, ok bool) {
	v = a(f)
	if left = f.takeError(); f.failed {
		return v, w, left, nil, false
	}
	w = b(f)
	right = f.takeError()
	return v, w, left, right, !f.failed
}

// failEither fails with the first error of two operands. It reports whether there is one.
func (f *Frame) failEither(left, right *EvalError) bool {
	if left == nil {
		left = right
	}
	if left == nil {
		return false
	}
	f.fail(left)
	return true
}

func (f *Frame) wrongType() {
	if !f.failed {
		f.decline()
	}
}
