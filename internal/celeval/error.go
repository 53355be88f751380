package celeval

// An EvalError is an error of CEL.
type EvalError struct{ text string }

// Error implements error.
func (e *EvalError) Error() string { return e.text }

func missing(field string) *EvalError { return &EvalError{text: "no such key: " + field} }

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

// operands are the identities of two operands and of their operator.
type operands struct{ left, right, own identity }

func (x *compiler) operands(a, b operand) operands {
	return operands{left: a.id, right: b.id, own: x.identity()}
}

// fail ends the evaluation of a closure with an error.
func (f *Frame) fail(what *EvalError, own identity) { f.bail, f.fault, f.at = true, what, own }

// void ends the whole evaluation, whose result cel-go has to find.
func (f *Frame) void() { f.bail, f.at = true, 0 }

// failed reports whether the closure of an identity failed by the rules.
func (f *Frame) failed(id identity) bool { return f.at == id && id != 0 }

// pass fails an operator whose operand failed.
func (f *Frame) pass(operandID, own identity) {
	if f.failed(operandID) {
		f.at = own
	} else {
		f.at = 0
	}
}

// caught takes the error of a closure away. It is nil if the evaluation is void.
func (f *Frame) caught(id identity) *EvalError {
	if !f.failed(id) {
		f.at = 0
		return nil
	}
	f.bail, f.at = false, 0
	return f.fault
}

// afterLeft fails an operator whose left operand failed. The right one is
// evaluated all the same, and its cost is paid. If both fail, the error is that
// of the left.
func afterLeft[T any, F ~func(*Frame) T](f *Frame, o operands, right F) (w T, failedToo bool) {
	what := f.caught(o.left)
	if what == nil {
		return w, true
	}
	w = right(f)
	if failedToo = f.bail; failedToo && !f.failed(o.right) {
		f.at = 0
		return w, true
	}
	f.fail(what, o.own)
	return w, failedToo
}

// lost ends the reading of a field of what is no object. The field is not paid
// for.
func (f *Frame) lost(of any, what *EvalError, operandID, own identity) {
	f.cost--
	switch {
	case f.bail:
		f.pass(operandID, own)
	case of == nil && what != nil:
		f.fail(what, own)
	default:
		f.void()
	}
}

// unfit ends the reading of a value that is not of its type: a field that is not
// there, or something odd.
func (f *Frame) unfit(raw any, what *EvalError, own identity) {
	switch {
	case f.bail && f.failed(own):
	case !f.bail && raw == nil && what != nil:
		f.fail(what, own)
	default:
		f.void()
	}
}
