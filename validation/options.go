package validation

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/kubeversion"
	"github.com/crdkit/crdkit/internal/testopt"
)

// An Option changes what a [Validator] checks. Without options it checks what
// kube-apiserver 1.37 does. A nil Option changes nothing.
type Option interface {
	// ValidationOption seals the interface: only this module implements it.
	ValidationOption(testopt.Sealed)
}

type config struct {
	minor     int
	reference bool // see testopt.Reference

	everyFormat bool
}

// defaultMinor is the minor version of Kubernetes without an option.
const defaultMinor = 37

type optionFunc func(*config)

func (optionFunc) ValidationOption(testopt.Sealed) {}

// KubernetesVersion returns an option that makes a validator check the formats
// that the server of a version checks, such as "1.33" or "1.33.4". A server
// ignores formats that it does not know: k8s-short-name and k8s-long-name
// before 1.35. KubernetesVersion returns an error for a text that is not a
// version from 1.29 to 1.37.
func KubernetesVersion(version string) (Option, error) {
	minor, ok := kubeversion.Minor(version)
	if !ok || !kubeversion.Known(version) {
		return nil, fmt.Errorf("validation: %q is not a version of Kubernetes %s", version, kubeversion.Span)
	}
	return optionFunc(func(c *config) { c.minor = minor }), nil
}

// EveryFormat makes a validator check every format on values of any type, as
// kube-apiserver does for the defaults of a definition. Without it, as for
// objects, a validator ignores a format that is not known for the declared type.
// For type boolean and format byte, for example, EveryFormat reports a number as
// not of type byte, and admits a string that has the format. It overrides
// [KubernetesVersion].
func EveryFormat() Option {
	return optionFunc(func(c *config) { c.everyFormat = true })
}

func configOf(opts []Option) config {
	cfg := config{minor: defaultMinor}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case optionFunc:
			opt(&cfg)
		case testopt.Reference:
			cfg.reference = true
		}
	}
	return cfg
}
