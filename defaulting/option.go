package defaulting

import "github.com/crdkit/crdkit/internal/testopt"

// An Option changes how a [Defaulter] works. None changes what it does, and a nil
// Option changes nothing.
type Option interface {
	// DefaultingOption seals the interface: only this module implements it.
	DefaultingOption(testopt.Sealed)
}

type options struct {
	reference bool // walk over the schema itself
	maxFilled int
}

type optionFunc func(*options)

func (optionFunc) DefaultingOption(testopt.Sealed) {}

func optionsOf(opts []Option) options {
	o := options{maxFilled: maxFilled}
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
