package validation

import "github.com/crdkit/crdkit/internal/kubeversion"

// An Option changes what [New] makes. Without options a validator does what
// kube-apiserver 1.37 does. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	minor int
	plain bool

	everyFormat bool
}

// defaultMinor is the version of Kubernetes that is followed by default.
const defaultMinor = 37

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// KubernetesVersion makes a validator honour the formats that the server of a
// version honours, such as "1.33" or "1.33.4". A format of which a server does
// not know is ignored by it: k8s-short-name and k8s-long-name by those before
// 1.35. A text that is no version changes nothing.
func KubernetesVersion(version string) Option {
	return optionFunc(func(c *config) {
		if minor, ok := kubeversion.Minor(version); ok {
			c.minor = minor
		}
	})
}

// PlainOnly switches every shortcut off: all verdicts are made by looking for
// errors, and patterns are left to package regexp. Results are the same; tests
// compare the two.
func PlainOnly() Option {
	return optionFunc(func(c *config) { c.plain = true })
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
