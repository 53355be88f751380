package schema

import "k8s.io/apimachinery/pkg/util/validation/field"

// Bounds of [Compile] unless an option says otherwise. A definition that fits
// into a request to kube-apiserver (3 MiB of JSON, nested 10,000 levels deep)
// stays within both.
const (
	DefaultMaxDepth = 5_000     // schemas below one another
	DefaultMaxNodes = 1_000_000 // schemas in all
)

// An Option changes how [Compile] works. A nil Option changes nothing.
type Option interface{ apply(*options) }

type options struct {
	path        *field.Path
	maxDepth    int
	maxNodes    int
	annotations bool
	share       bool

	unstructured bool
}

type optionFunc func(*options)

func (f optionFunc) apply(o *options) { f(o) }

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

// Unshared gives every place of the schema a node of its own. The result
// behaves the same; tests compare the two.
func Unshared() Option {
	return optionFunc(func(o *options) { o.share = false })
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
