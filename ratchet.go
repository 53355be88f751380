package crdkit

import (
	"iter"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// newRatchet returns a ratchet for the update of the carrier. Validation begins
// after start steps of a path.
func (c *jsonCarrier) newRatchet(start int) *fastpath.Ratchet {
	return &fastpath.Ratchet{
		Schema: c.version.engines.correlate(), Old: c.oldText, Document: c.oldDocument, Start: start,
		Typed: c.version.rules != nil, // rules expect values of declared types
	}
}

// errorsOf returns the errors of parts of an object. It reports false if only validation
// of the whole object can tell them.
type errorsOf func(*validation.Validator, iter.Seq[validation.Part], ...validation.CallOption) (validation.ErrorList, bool)

// keepsWrong reports whether the object may keep the wrong values that the walk has
// noted. It sets their errors.
func (c *jsonCarrier) keepsWrong(start int, errorsOf errorsOf) bool {
	if !c.out.HasWrong() {
		return true
	}
	kept := false
	return c.forgive(errorsOf, func(yield func(validation.Part) bool) {
		kept = c.out.Forgive(c.newRatchet(start), func(path schema.Path, value any, equal bool) bool {
			return yield(validation.Part{Path: path, Value: value, Equal: equal})
		})
	}) && kept
}

// keepsForgiven is keepsWrong for the values that a walk has forgiven.
func (c *jsonCarrier) keepsForgiven(forgiven []fastpath.Forgiven, errorsOf errorsOf) bool {
	return len(forgiven) == 0 || c.forgive(errorsOf, func(yield func(validation.Part) bool) {
		for _, part := range forgiven {
			path, _ := part.At.Path()
			if !yield(validation.Part{Path: path, Value: part.Value}) {
				return
			}
		}
	})
}

// forgive sets the errors of forgiven values, which follow from the values alone. It
// reports false if only validation of the whole object can tell them.
func (c *jsonCarrier) forgive(errorsOf errorsOf, parts iter.Seq[validation.Part]) (ok bool) {
	c.ratcheted, ok = errorsOf(c.version.engines.validate(), parts, c.watch, validation.MaxErrors(c.mostErrors()))
	return ok
}
