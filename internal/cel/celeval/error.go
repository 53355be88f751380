package celeval

// An EvalError is an error of CEL that ends an evaluation. Equal errors of one
// closure are the same pointer.
type EvalError struct{ text string }

// Error implements error.
func (e *EvalError) Error() string { return e.text }

var (
	overflow       = &EvalError{text: "integer overflow"}
	divisionByZero = &EvalError{text: "division by zero"}
	modulusByZero  = &EvalError{text: "modulus by zero"}
	unordered      = &EvalError{text: "NaN values cannot be ordered"}
	noValue        = &EvalError{text: "optional.none() dereference"}
	noSuchOverload = &EvalError{text: "no such overload"}
)

// fail ends the evaluation with an error, unless it has ended already.
func (f *Frame) fail(what *EvalError) {
	if !f.failed {
		f.failed, f.evalErr = true, what
	}
}

// decline ends the whole evaluation. cel-go repeats it.
func (f *Frame) decline() { f.failed, f.evalErr = true, nil }

// takeError clears the error of an operand and returns it, nil if it has none. If the
// evaluation was declined, the frame is still failed afterwards.
func (f *Frame) takeError() *EvalError {
	what := f.evalErr
	if what != nil {
		f.failed, f.evalErr = false, nil
	}
	return what
}

// failWith is fail with an error that was taken, which counts before the one that another
// operand failed with since.
func (f *Frame) failWith(what *EvalError) {
	if !f.failed || f.evalErr != nil {
		f.failed, f.evalErr = true, what
	}
}

// evalRight makes an operator fail whose left operand failed. It evaluates the
// right operand too and pays for it. If both fail, the error of the left one
// counts.
func evalRight[T any](f *Frame, right func(*Frame) T) (w T, failedToo bool) {
	what := f.takeError()
	if what == nil {
		return w, true
	}
	w = right(f)
	failedToo = f.failed
	f.failWith(what)
	return w, failedToo
}

// both evaluates two operands. what is the error of the left one or, if that has none, of
// the right one. It is not ok if the evaluation ends.
func both[A, B any, F ~func(*Frame) A, G ~func(*Frame) B](f *Frame, a F, b G) (v A, w B, left, right *EvalError, ok bool) {
	v = a(f)
	if left = f.takeError(); f.failed {
		return v, w, left, nil, false
	}
	w = b(f)
	right = f.takeError()
	return v, w, left, right, !f.failed
}

// failEither fails with the error of an operand, the left one if both failed. It reports
// whether there is one.
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

// unfit declines the evaluation because of a value that does not fit its type, unless
// it has no value because the evaluation failed.
func (f *Frame) unfit() {
	if !f.failed {
		f.decline()
	}
}
