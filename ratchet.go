package crdkit

import (
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// newRatchet returns a ratchet for the update of the carrier. Validation begins
// after start steps of a path.
func (c *jsonCarrier) newRatchet(start int) *fastpath.Ratchet {
	return &fastpath.Ratchet{
		Schema: c.version.engines.correlate(), Old: c.oldText, Start: start,
		Typed: c.version.rules != nil, // rules expect values of declared types
	}
}

// keepsWrong reports whether the object may keep the wrong values that the walk has
// noted. It sets their errors.
func (c *jsonCarrier) keepsWrong(start int, errorsAt errorsAt) bool {
	if !c.out.HasWrong() {
		return true
	}
	f := c.newRatchet(start)
	return c.out.Forgive(f) && c.forgive(f.Forgiven, errorsAt)
}

// errorsAt returns the errors of a value at a path.
type errorsAt func(*validation.Validator, schema.Path, any, ...validation.CallOption) validation.ErrorList

// forgive sets the errors of the values that a walk has forgiven, which follow
// from the values alone. It reports false if only validation of the whole object
// can tell them.
func (c *jsonCarrier) forgive(forgiven []fastpath.Forgiven, errorsAt errorsAt) bool {
	if len(forgiven) == 0 {
		return true
	}
	var all validation.ErrorList
	validator := c.version.engines.validate()
	seen := map[string]bool{}
	for _, part := range forgiven {
		if c.watch.Ended() {
			return false
		}
		path, _ := part.Path()
		errs := errorsAt(validator, path, part.Value, c.watch, validation.MaxErrors(c.mostErrors()))
		if len(errs) == 0 {
			return false
		}
		if len(forgiven) > 1 && !c.distinct(errs, seen) {
			return false // validation reports one of them
		}
		if all = append(all, errs...); len(all) >= c.mostErrors() {
			break // the result has no room for more
		}
	}
	c.ratcheted = all
	return true
}

// distinct adds the texts of errors to seen. It reports false if one was there, or if the
// watch ends.
func (c *jsonCarrier) distinct(errs validation.ErrorList, seen map[string]bool) bool {
	for _, e := range errs {
		text := e.Error()
		if seen[text] || c.watch.Ended() {
			return false
		}
		seen[text] = true
	}
	return true
}
