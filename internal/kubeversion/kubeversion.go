// Package kubeversion reads versions of Kubernetes, of which only the minor one
// makes a difference here.
package kubeversion

import (
	"strconv"
	"strings"
)

// Minor returns the minor version of a version such as "1.33", "v1.33.4" or
// "1.33.0-rc.1+more", and reports whether the text begins like one of Kubernetes
// 1.
func Minor(version string) (minor int, ok bool) {
	major, rest, found := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if !found || major != "1" {
		return 0, false
	}
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(digits, 10, 15)
	return int(n), err == nil
}

// The versions whose differences are known.
const oldest, newest = 29, 37

// Span names the versions that are [Known], for errors.
const Span = "from 1.29 to 1.37"

// Known reports whether a text is a version whose differences are known.
func Known(version string) bool {
	minor, ok := Minor(version)
	return ok && oldest <= minor && minor <= newest
}
