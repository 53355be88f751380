package celeval

// An EvalError is an error of CEL that ends an evaluation. Equal errors of one
// closure are the same pointer.
type EvalError struct{ text string }

// Error implements error.
func (e *EvalError) Error() string { return e.text }

func noSuchKey(field string) *EvalError { return &EvalError{text: "no such key: " + field} }

var (
	overflow       = &EvalError{text: "integer overflow"}
	divisionByZero = &EvalError{text: "division by zero"}
	modulusByZero  = &EvalError{text: "modulus by zero"}
	unordered      = &EvalError{text: "NaN values cannot be ordered"}
	noValue        = &EvalError{text: "optional.none() dereference"}
	noSuchOverload = &EvalError{text: "no such overload"}
)

// An identity names a closure that follows the error rules of CEL. 0 is no
// identity.
type identity uint16

// identity returns a new identity.
func (x *compiler) identity() identity {
	if x.identities++; x.identities == maxIdentities {
		x.refuse("large expression")
	}
	return x.identities
}

const maxIdentities = 1<<16 - 1

// operandIDs holds the identities of two operands and of their operator.
type operandIDs struct{ left, right, own identity }

func (x *compiler) operandIDs(a, b operand) operandIDs {
	return operandIDs{left: a.id, right: b.id, own: x.identity()}
}

// fail ends the evaluation of the closure own with an error.
func (f *Frame) fail(what *EvalError, own identity) {
	if f.stopped == nil {
		f.failed, f.evalErr, f.failedAt = true, what, own
	}
}

// decline ends the whole evaluation. cel-go repeats it.
func (f *Frame) decline() { f.failed, f.failedAt = true, 0 }

// failedBy reports whether the closure id failed by the error rules.
func (f *Frame) failedBy(id identity) bool { return f.failedAt == id && id != 0 }

// propagate makes an operator fail because its operand failed.
func (f *Frame) propagate(operandID, own identity) {
	if f.failedBy(operandID) {
		f.failedAt = own
	} else {
		f.failedAt = 0
	}
}

// takeError clears the error of a closure and returns it. It returns nil if the
// evaluation was declined.
func (f *Frame) takeError(id identity) *EvalError {
	if !f.failedBy(id) {
		f.failedAt = 0
		return nil
	}
	f.failed, f.failedAt = false, 0
	return f.evalErr
}

// evalRight makes an operator fail whose left operand failed. It evaluates the
// right operand too and pays for it. If both fail, the error of the left one
// counts.
func evalRight[T any, F ~func(*Frame) T](f *Frame, o operandIDs, right F) (w T, failedToo bool) {
	what := f.takeError(o.left)
	if what == nil {
		return w, true
	}
	w = right(f)
	if failedToo = f.failed; failedToo && !f.failedBy(o.right) {
		f.failedAt = 0
		return w, true
	}
	f.fail(what, o.own)
	return w, failedToo
}

// both evaluates two operands. left and right are their errors by the error rules.
// It is not ok if the evaluation ends.
func both[A, B any, F ~func(*Frame) A, G ~func(*Frame) B](f *Frame, o operandIDs, a F, b G) (v A, w B, left, right *EvalError, ok bool) {
	v = a(f)
	if f.failed {
		if left = f.takeError(o.left); left == nil {
			return v, w, nil, nil, false
		}
	}
	w = b(f)
	if f.failed {
		if right = f.takeError(o.right); right == nil {
			return v, w, nil, nil, false
		}
	}
	return v, w, left, right, true
}

// failEither makes the closure own fail with the error of an operand, the left one
// if both failed. It reports whether there is one.
func (f *Frame) failEither(left, right *EvalError, own identity) bool {
	if left == nil {
		left = right
	}
	if left == nil {
		return false
	}
	f.fail(left, own)
	return true
}

// failField ends the read of a field of a value that is not an object. The field
// is not paid for.
func (f *Frame) failField(of any, what *EvalError, operandID, own identity) {
	f.cost--
	switch {
	case f.failed:
		f.propagate(operandID, own)
	case of == nil && what != nil:
		f.fail(what, own)
	default:
		f.decline()
	}
}

// failRead ends the read of a value that is absent or does not fit its type.
func (f *Frame) failRead(raw any, what *EvalError, own identity) {
	switch {
	case f.failed && f.failedBy(own):
	case !f.failed && raw == nil && what != nil:
		f.fail(what, own)
	default:
		f.decline()
	}
}
