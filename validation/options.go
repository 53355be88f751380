package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/kube/kubeversion"
)

// An Option changes what a [Validator] checks. Without options it checks what
// kube-apiserver 1.37 does. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	minor int
	wrong *Error // the error for an option with a wrong value
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// KubernetesVersion makes a validator check the formats that the server of a
// version checks, such as "1.33" or "1.33.4". A server ignores formats that it does
// not know: k8s-short-name and k8s-long-name before 1.35. An empty version means
// 1.37. With any other text that is not a version from 1.29 to 1.37, no object is
// valid: the methods of the validator return one error about the option, and do
// nothing else.
func KubernetesVersion(version string) Option {
	return optionFunc(func(c *config) {
		v, err := kubeversion.Parse(version)
		if err != nil {
			err := field.Invalid(nil, version, "must be a version of Kubernetes "+kubeversion.Span)
			c.wrong = NewError(err, StepSchema, "", "")
			return
		}
		c.minor, c.wrong = int(v), nil
	})
}

func configOf(opts []Option) config {
	cfg := config{minor: int(kubeversion.Newest)}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&cfg)
		}
	}
	return cfg
}

// A CallOption changes one call of a method of a [Validator], such as
// [Validator.ValidateCreate]. A nil CallOption changes nothing.
type CallOption interface{ apply(*limit) }

func limitOf(opts []CallOption) *limit {
	l := &limit{}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(l)
		}
	}
	return l
}

type maxErrorsOption int

func (n maxErrorsOption) apply(l *limit) { l.most = int(n) }

// MaxErrors limits each list of the result to n errors. The others are counted, see
// [Result.Omitted]. Which errors are in the lists depends on the objects only. By default,
// and if n is not positive, the lists have all errors.
func MaxErrors(n int) CallOption { return maxErrorsOption(n) }
