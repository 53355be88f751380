package objectmeta

import "k8s.io/apimachinery/pkg/util/validation/field"

// Options say how metadata is decoded. The zero value does what kube-apiserver
// does with a request whose unknown fields are ignored.
type Options struct {
	// DropInvalid drops members of metadata that cannot be decoded, instead of
	// failing. kube-apiserver reads stored objects this way.
	DropInvalid bool
	// ReportUnknown returns the paths of fields that metadata does not have.
	// They are dropped either way.
	ReportUnknown bool
	// Reference switches shortcuts off. The result is the same; tests compare
	// the two.
	Reference bool
}

// An Option changes how [NewEmbedded] works.
type Option interface{ apply(*Embedded) }

type optionFunc func(*Embedded)

func (f optionFunc) apply(e *Embedded) { f(e) }

// ResourceRoot makes the root of the schema an embedded resource, whether or
// not it says so. Defaults are checked this way.
func ResourceRoot() Option {
	return optionFunc(func(e *Embedded) { e.resourceRoot = true })
}

// AtPath makes errors name their place below path. Without it places are named
// from the root of the object. Paths of unknown fields and pointers do not
// change.
func AtPath(path *field.Path) Option {
	return optionFunc(func(e *Embedded) { e.path = path })
}

// Reference switches shortcuts off. The result is the same; tests compare the
// two.
func Reference() Option {
	return optionFunc(func(e *Embedded) { e.reference = true })
}
