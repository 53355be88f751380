package cel

// Errors of CEL on the way.
//
// Most evaluations that fail do so because of a field that is not there, and
// CEL says what comes of that: an operator with an operand that failed fails
// too, && and || may do without it, and what was evaluated until then is paid
// for. Closures that follow these rules have an identity, which they leave in
// the frame when they fail. Whoever uses the result of a closure and knows the
// rules finds there whether it was that closure which failed, adds what is still
// to be paid, and leaves an identity of its own. Closures that do not know the
// rules leave none, so that what fails below them is void: cel-go evaluates the
// rule once more.

// A fault is an error of CEL.
type fault struct{ text string }

// Error implements error.
func (e *fault) Error() string { return e.text }

func missing(field string) *fault { return &fault{text: "no such key: " + field} }

var (
	overflow       = &fault{text: "integer overflow"}
	divisionByZero = &fault{text: "division by zero"}
	modulusByZero  = &fault{text: "modulus by zero"}
)

// An identity is that of a closure which knows the rules; 0 is none.
type identity uint16

// identity returns a new one.
func (x *executor) identity() identity {
	if x.identities++; x.identities == maxIdentities {
		x.refuse("large expression")
	}
	return x.identities
}

const maxIdentities = 1<<16 - 1

// operands are the identities of two operands and of their operator.
type operands struct{ left, right, own identity }

func (x *executor) operands(a, b code) operands {
	return operands{left: a.id, right: b.id, own: x.identity()}
}

// fail ends the evaluation of a closure with an error.
func (f *frame) fail(what *fault, own identity) { f.bail, f.fault, f.at = true, what, own }

// void ends the whole evaluation, whose result cel-go has to find.
func (f *frame) void() { f.bail, f.at = true, 0 }

// failed reports whether the closure of an identity failed by the rules.
func (f *frame) failed(id identity) bool { return f.at == id && id != 0 }

// pass fails an operator whose operand failed.
func (f *frame) pass(operandID, own identity) {
	if f.failed(operandID) {
		f.at = own
	} else {
		f.at = 0
	}
}

// caught takes the error of a closure away. It is nil if the evaluation is void.
func (f *frame) caught(id identity) *fault {
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
func afterLeft[T any, F ~func(*frame) T](f *frame, o operands, right F) (w T, failedToo bool) {
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
func (f *frame) lost(of any, what *fault, operandID, own identity) {
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
func (f *frame) unfit(raw any, what *fault, own identity) {
	switch {
	case f.bail && f.failed(own):
	case !f.bail && raw == nil && what != nil:
		f.fail(what, own)
	default:
		f.void()
	}
}
