package defaulting

import "github.com/crdkit/crdkit/internal/testopt"

// An Option changes how a [Defaulter] works. This package exports none. A nil
// Option changes nothing.
type Option interface {
	// DefaultingOption seals the interface: only this module implements it.
	DefaultingOption(testopt.Sealed)
}

type options struct {
	reference bool // see testopt.Reference
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
