package schema

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/testopt"
)

// Bounds of [Compile] unless an option says otherwise. A definition that fits
// into a request to kube-apiserver (3 MiB of JSON, nested 10,000 levels deep)
// stays within both.
const (
	DefaultMaxDepth = 5_000     // schemas below one another
	DefaultMaxNodes = 1_000_000 // schemas in all
)

// An Option changes how [Compile] works. A nil Option changes nothing.
type Option interface {
	// SchemaOption seals the interface: only this module implements it.
	SchemaOption(testopt.Sealed)
}

type options struct {
	path        *field.Path
	maxDepth    int
	maxNodes    int
	annotations bool
	share       bool
	interner    *Interner

	unstructured bool
}

type optionFunc func(*options)

func (optionFunc) SchemaOption(testopt.Sealed) {}

// AtPath makes errors name their place below path, such as
// spec.versions[0].schema.openAPIV3Schema. Without it places are named from
// the root of the schema.
func AtPath(path *field.Path) Option {
	return optionFunc(func(o *options) { o.path = path })
}

// MaxDepth bounds how many schemas may lie below one another.
func MaxDepth(levels int) Option {
	return optionFunc(func(o *options) { o.maxDepth = levels })
}

// MaxNodes bounds how many schemas there may be in all, before equal ones are
// shared.
func MaxNodes(nodes int) Option {
	return optionFunc(func(o *options) { o.maxNodes = nodes })
}

// WithoutAnnotations leaves out descriptions, titles, links and examples,
// which often are most of a definition's size.
func WithoutAnnotations() Option {
	return optionFunc(func(o *options) { o.annotations = false })
}

// Unstructured compiles a schema that need not be structural, as the server
// does for a definition with preserveUnknownFields: true. Such a schema serves
// to validate values and for nothing else: what has no type may be anything,
// and a [Branch] may say what only a [Node] says otherwise. Keywords that no
// schema of a definition can have remain errors, but for $schema, which is left
// out.
func Unstructured() Option {
	return optionFunc(func(o *options) { o.unstructured = true })
}

func optionsOf(opts []Option) options {
	o := options{maxDepth: DefaultMaxDepth, maxNodes: DefaultMaxNodes, annotations: true, share: true}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case *Interner:
			o.interner = opt
		case optionFunc:
			opt(&o)
		case testopt.Unshared:
			o.share = false
		}
	}
	return o
}
