package crdkit

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/kubeversion"
	"github.com/crdkit/crdkit/internal/testopt"
)

// An Option changes how [Compile] prepares a definition. Without options a
// definition behaves exactly as in kube-apiserver 1.37. A later option wins over
// an earlier one, and a nil Option changes nothing.
type Option interface {
	// CompileOption seals the interface: only this module implements it.
	CompileOption(testopt.Sealed)
}

type config struct {
	converter conversion.Converter
	reference bool              // see testopt.Reference
	version   string            // of Kubernetes, "" for that which is followed by default
	ctx       context.Context   // of Compile; nil never ends
	limit     *errorlimit.Limit // of the errors of Compile; nil admits any number
}

// minor returns the minor version of Kubernetes.
func (c config) minor() int {
	v, _ := kubeversion.Parse(c.version) // Compile refuses wrong versions
	return int(v)
}

type compileOption func(*config)

func (compileOption) CompileOption(testopt.Sealed) {}

func configOf(opts []Option) config {
	var cfg config
	for _, opt := range opts {
		switch opt := opt.(type) {
		case compileOption:
			opt(&cfg)
		case testopt.Reference:
			cfg.reference = true
		}
	}
	return cfg
}

// WithConverter makes the definition convert objects with c, whatever its
// spec.conversion says: with another strategy, in this process (see
// [conversion.Local]), or with its webhook called in another way than the
// server's, as in
//
//	converter, err := conversion.New(crd, conversion.Timeout(time.Second))
//
// A nil c means the converter of the definition.
func WithConverter(c conversion.Converter) Option {
	return compileOption(func(cfg *config) { cfg.converter = c })
}

// WithContext makes [Compile] return an error that wraps ctx's error within some
// milliseconds when ctx ends; a single rule is compiled to its end. The definition does
// not keep ctx: requests have contexts of their own. A [Catalog] ignores the option,
// because the requests of several goroutines share what it compiles. A nil ctx never ends.
func WithContext(ctx context.Context) Option {
	return compileOption(func(cfg *config) { cfg.ctx = ctx })
}

// KubernetesVersion follows the server of a version, such as "1.33", "v1.33.4" or
// "v1.33.4-eks-1", of which only the minor version counts, in what changes from one version to the next with regard to objects: which
// functions rules may use, from 1.29 to 1.37, and which formats of text are
// known. Everything else is that of 1.37. An empty version means 1.37. [Compile]
// returns an error for a text without such a minor version.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func KubernetesVersion(version string) Option {
	return compileOption(func(cfg *config) { cfg.version = version })
}

// unknownVersion returns the error of a text that is not a known version of
// Kubernetes.
func unknownVersion(version string) error {
	if _, err := kubeversion.Parse(version); err != nil {
		return fmt.Errorf("crdkit: %w", err)
	}
	return nil
}
