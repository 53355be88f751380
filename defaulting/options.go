package defaulting

import (
	"context"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testopt"
)

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

// A CallOption changes one call of a method of a [Defaulter]. A nil CallOption changes
// nothing.
type CallOption interface {
	// DefaultingCallOption seals the interface: only this module implements it.
	DefaultingCallOption(testopt.Sealed)
}

// WithContext ends the call within some milliseconds when ctx ends. The object is then
// changed in part. A nil ctx never ends.
func WithContext(ctx context.Context) CallOption { return interrupt.New(ctx) }

// recorderOf returns what a walk without a report records: nil, or a silent recorder
// that ends the walk.
func recorderOf(opts []CallOption) *recorder {
	if watch := interrupt.Among(opts); watch != nil {
		return &recorder{Watch: watch, Silent: true}
	}
	return nil
}

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
