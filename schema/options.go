package schema

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/test/testopt"
)

// The bounds of [Compile] without options. Every definition that fits into a request to
// kube-apiserver (3 MiB of JSON, nested 10,000 levels deep) is within both.
const (
	DefaultMaxDepth = 5_000     // schemas on a path
	DefaultMaxNodes = 1_000_000 // schemas in total
)

// An Option changes what [Compile] does. A nil Option changes nothing.
type Option interface {
	// SchemaOption seals the interface: only this module implements it.
	SchemaOption(testopt.Sealed)
}

type options struct {
	at           *pathstack.Chain // of the schema
	maxDepth     int
	maxNodes     int
	annotations  bool
	unstructured bool
	unshared     bool
	interner     *Interner         // nil if the compile shares with no other
	limit        *errorlimit.Limit // of errors
}

type optionFunc func(*options)

func (optionFunc) SchemaOption(testopt.Sealed) {}

// AtPath makes the fields of errors start with path, such as
// spec.versions[0].schema.openAPIV3Schema. Without it they start at the root of the schema.
func AtPath(path *field.Path) Option {
	return optionFunc(func(o *options) { o.at = pathstack.At(path) })
}

// MaxDepth bounds the number of schemas on a path from the root. Compile returns an error
// for a schema that exceeds it, so for every schema if levels is not positive.
func MaxDepth(levels int) Option {
	return optionFunc(func(o *options) { o.maxDepth = levels })
}

// MaxNodes bounds the total number of schemas, before equal ones are shared.
// Compile returns an error for a schema that exceeds it, so for every schema if
// nodes is not positive.
func MaxNodes(nodes int) Option {
	return optionFunc(func(o *options) { o.maxNodes = nodes })
}

// WithoutAnnotations omits descriptions, titles, links and examples, which are
// often the largest part of a definition.
func WithoutAnnotations() Option {
	return optionFunc(func(o *options) { o.annotations = false })
}

// Unstructured makes Compile accept a schema that is not structural, as the server does for
// a definition with preserveUnknownFields: true. Such a schema only serves to validate
// values: a value without a declared type may be anything, and a [Branch] may declare what
// in other schemas only a [Node] declares. Keywords that no schema of a definition may have
// remain errors, except for $schema, which is ignored.
func Unstructured() Option {
	return optionFunc(func(o *options) { o.unstructured = true })
}

func optionsOf(opts []Option) options {
	o := options{maxDepth: DefaultMaxDepth, maxNodes: DefaultMaxNodes, annotations: true}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case *Interner:
			o.interner = opt
		case *errorlimit.Limit:
			o.limit = opt
		case *pathstack.Chain:
			o.at = opt
		case optionFunc:
			opt(&o)
		case testopt.Unshared:
			o.unshared = true
		}
	}
	return o
}
