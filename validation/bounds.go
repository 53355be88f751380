package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/testopt"
)

// A CallOption changes one call of a method of a [Validator], such as
// [Validator.ValidateCreate]. A nil CallOption changes nothing.
type CallOption interface {
	// ValidationCallOption seals the interface: only this module implements it.
	ValidationCallOption(testopt.Sealed)
}

// A call has the bounds of one call.
type call struct {
	maxErrors int // 0: any number
}

func callOf(opts []CallOption) call {
	var c call
	for _, opt := range opts {
		if n, ok := opt.(maxErrorsOption); ok {
			c.maxErrors = int(n)
		}
	}
	return c
}

// holds reports whether the call holds one error more than n.
func (c *call) holds(n int) bool { return c.maxErrors <= 0 || n < c.maxErrors }

type maxErrorsOption int

func (maxErrorsOption) ValidationCallOption(testopt.Sealed) {}

// MaxErrors limits each list of the result to n errors. The others are counted, see
// [Result.Omitted]. Which errors are in the lists depends on the objects only. By default,
// and if n is not positive, the lists have all errors.
func MaxErrors(n int) CallOption { return maxErrorsOption(n) }

// A tally counts errors that are not held.
type tally struct {
	n           int
	blocksRules bool
}

func (t *tally) add(kind field.ErrorType) {
	t.n++
	t.blocksRules = t.blocksRules || blocksRules(kind)
}

func (t *tally) join(other tally) {
	t.n += other.n
	t.blocksRules = t.blocksRules || other.blocksRules
}

// failures are the errors of a part of a walk.
type failures struct {
	found   []finding
	omitted tally
}

// none reports whether there are no errors.
func (f *failures) none() bool { return len(f.found) == 0 && f.omitted.n == 0 }

// A mark is a moment of a walk.
type mark struct {
	found   int
	omitted tally
}

func (r *run) mark() mark { return mark{len(r.found), r.omitted} }

func (r *run) foundSince(m mark) bool { return len(r.found) > m.found || r.omitted.n > m.omitted.n }

// since takes the errors since m back. The next error overwrites them.
func (r *run) since(m mark) failures {
	f := failures{found: r.found[m.found:]}
	if n := r.omitted.n - m.omitted.n; n > 0 {
		f.omitted = tally{n, r.omitted.blocksRules}
	}
	r.found, r.omitted = r.found[:m.found], m.omitted
	return f
}

// restore adds errors that were taken back.
func (r *run) restore(f failures) {
	for _, x := range f.found {
		if !r.bounds.holds(len(r.found)) {
			r.omitted.add(x.err.Type)
			continue
		}
		r.found = append(r.found, x)
	}
	r.omitted.join(f.omitted)
}

// add joins the errors of a check to those of the result.
func (res *Result) add(errs ErrorList, omitted tally, bounds *call) {
	if n := bounds.maxErrors; n > 0 && len(res.Errors)+len(errs) > n {
		n -= len(res.Errors)
		for _, e := range errs[n:] {
			omitted.add(e.Type)
		}
		errs = errs[:n]
	}
	res.Errors = append(res.Errors, errs...)
	res.Omitted += omitted.n
	res.omittedBlock = res.omittedBlock || omitted.blocksRules
}

// forgive joins forgiven errors to those of the result.
func (res *Result) forgive(errs ErrorList, bounds *call) {
	if n := bounds.maxErrors; n > 0 {
		errs = errs[:min(len(errs), n-len(res.Ratcheted))]
	}
	res.Ratcheted = append(res.Ratcheted, errs...)
}

// BlocksRules reports whether rules must not be evaluated because of the errors or of
// omitted ones. See [ErrorList.BlocksRules].
func (res *Result) BlocksRules() bool { return res.omittedBlock || res.Errors.BlocksRules() }

func blocksRules(kind field.ErrorType) bool { return slices.Contains(blocking[:], kind) }

// blocking are the types of errors that keep rules from being evaluated.
var blocking = [...]field.ErrorType{field.ErrorTypeRequired, field.ErrorTypeTypeInvalid, field.ErrorTypeTooLong,
	field.ErrorTypeTooMany, field.ErrorTypeNotSupported}
