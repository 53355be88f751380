package celeval

// An EvalError is an error of CEL.
type EvalError struct{ text string }

// Error implements error.
func (e *EvalError) Error() string { return e.text }

func noSuchKey(field string) *EvalError { return &EvalError{text: "no such key: " + field} }

var (
	overflow       = &EvalError{text: "integer overflow"}
	divisionByZero = &EvalError{text: "division by zero"}
	modulusByZero  = &EvalError{text: "modulus by zero"}
)

// An identity is that of a closure which knows the rules; 0 is none.
type identity uint16

// identity returns a new one.
func (x *compiler) identity() identity {
	if x.identities++; x.identities == maxIdentities {
		x.refuse("large expression")
	}
	return x.identities
}

const maxIdentities = 1<<16 - 1

// operandIDs are the identities of two operands and of their operator.
type operandIDs struct{ left, right, own identity }

func (x *compiler) operandIDs(a, b operand) operandIDs {
	return operandIDs{left: a.id, right: b.id, own: x.identity()}
}

// fail ends the evaluation of a closure with an error.
func (f *Frame) fail(what *EvalError, own identity) {
	f.failed, f.evalErr, f.failedAt = true, what, own
}

// decline ends the whole evaluation, whose result cel-go has to find.
func (f *Frame) decline() { f.failed, f.failedAt = true, 0 }

// failedBy reports whether the closure of an identity failed by the rules.
func (f *Frame) failedBy(id identity) bool { return f.failedAt == id && id != 0 }

// propagate fails an operator whose operand failed.
func (f *Frame) propagate(operandID, own identity) {
	if f.failedBy(operandID) {
		f.failedAt = own
	} else {
		f.failedAt = 0
	}
}

// takeError takes the error of a closure away. It is nil if the evaluation is void.
func (f *Frame) takeError(id identity) *EvalError {
	if !f.failedBy(id) {
		f.failedAt = 0
		return nil
	}
	f.failed, f.failedAt = false, 0
	return f.evalErr
}

// evalRight fails an operator whose left operand failed. The right one is
// evaluated all the same, and its cost is paid. If both fail, the error is that
// of the left.
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

// failField ends the reading of a field of what is no object. The field is not paid
// for.
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

// failRead ends the reading of a value that is not of its type: a field that is not
// there, or something odd.
func (f *Frame) failRead(raw any, what *EvalError, own identity) {
	switch {
	case f.failed && f.failedBy(own):
	case !f.failed && raw == nil && what != nil:
		f.fail(what, own)
	default:
		f.decline()
	}
}
