package validation

import (
	"strconv"
	"strings"
)

// An Option changes what [New] makes. Without options a validator does what
// kube-apiserver 1.37 does. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	minor int
	plain bool
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
		parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
		if len(parts) < 2 || parts[0] != "1" {
			return
		}
		if minor, err := strconv.Atoi(parts[1]); err == nil && minor >= 0 {
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
