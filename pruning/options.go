package pruning

import "github.com/crdkit/crdkit/internal/testopt"

// An Option changes what a [Pruner] does. Without options a Pruner prunes whole
// resources as kube-apiserver does. A nil Option changes nothing.
type Option interface {
	// PruningOption seals the interface: only this module implements it.
	PruningOption(testopt.Sealed)
}

type options struct {
	fragment  bool
	reference bool // see testopt.Reference
}

type optionFunc func(*options)

func (optionFunc) PruningOption(testopt.Sealed) {}

// Fragment makes the Pruner treat objects as parts of a resource, such as
// default values. Their apiVersion, kind and metadata are fields like any
// other, unless the schema has x-kubernetes-embedded-resource.
func Fragment() Option {
	return optionFunc(func(o *options) { o.fragment = true })
}

func optionsOf(opts []Option) options {
	var o options
	for _, opt := range opts {
		switch opt := opt.(type) {
		case optionFunc:
			opt(&o)
		case testopt.Reference:
			o.reference = true
		}
	}
	return o
}
