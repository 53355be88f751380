package pruning

// An Option changes what a [Pruner] does or how it does it. Without options it
// prunes whole resources as kube-apiserver does. A nil Option changes nothing.
type Option interface{ apply(*options) }

type options struct {
	fragment bool
	plain    bool
}

type optionFunc func(*options)

func (f optionFunc) apply(o *options) { f(o) }

// Fragment makes the Pruner take objects for parts of a resource, such as a
// default value: their apiVersion, kind and metadata are fields like any other
// unless the schema has x-kubernetes-embedded-resource.
func Fragment() Option {
	return optionFunc(func(o *options) { o.fragment = true })
}

// PlainOnly makes the Pruner walk over the schema as it is, without the
// shortcuts of a compiled one. It gives the same results and is slower; tests
// compare the two.
func PlainOnly() Option {
	return optionFunc(func(o *options) { o.plain = true })
}
