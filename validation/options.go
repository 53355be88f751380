package validation

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/kubeversion"
	"github.com/crdkit/crdkit/internal/testopt"
)

// An Option changes what [New] makes. Without options a validator does what
// kube-apiserver 1.37 does. A nil Option changes nothing.
type Option interface {
	// ValidationOption seals the interface: only this module implements it.
	ValidationOption(testopt.Sealed)
}

type config struct {
	minor     int
	reference bool // collect errors for every verdict, patterns by regexp

	everyFormat bool
}

// defaultMinor is the version of Kubernetes that is followed by default.
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

// EveryFormat makes a validator honour every format on values of any type, as
// kube-apiserver does in checking the defaults of a definition; in checking
// objects it ignores a format that it does not know, or not for the type. A
// number that should have been a boolean of the format byte is then said not to
// be of type byte, and a string that should have been one is held to the format
// alone. It overrides [KubernetesVersion].
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
