package objectmeta

import (
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// Options configure the decoding of metadata. The zero value does what
// kube-apiserver does with a request whose unknown fields are ignored.
type Options struct {
	// DropInvalid drops members of metadata that cannot be decoded, instead of
	// returning an error. kube-apiserver reads stored objects in this way.
	DropInvalid bool
	// ReportUnknown returns the paths of fields that ObjectMeta does not have.
	// They are dropped in any case.
	ReportUnknown bool
	// Reference selects the reference implementation, which always decodes. The
	// result is the same; tests compare the two.
	Reference bool
}

// An Option changes what [NewEmbedded] returns.
type Option interface{ apply(*Embedded) }

type optionFunc func(*Embedded)

func (f optionFunc) apply(e *Embedded) { f(e) }

// ResourceRoot makes the root of the schema an embedded resource, whether or
// not the schema declares it. Defaults are checked in this way.
func ResourceRoot() Option {
	return optionFunc(func(e *Embedded) { e.resourceRoot = true })
}

// At makes the fields of errors start with the path of at. Without it they start at
// the root of the object. limit gets the pointers of the errors of [Embedded.Coerce].
// It has no effect on paths of unknown fields and on pointers of problems.
func At(at *pathstack.Chain, limit *errorlimit.Limit) Option {
	return optionFunc(func(e *Embedded) { e.path, e.pointer, e.limit = at.Path(), at.Pointer(), limit })
}

// Reference selects the reference implementation. The result is the same; tests
// compare the two.
func Reference() Option {
	return optionFunc(func(e *Embedded) { e.reference = true })
}
