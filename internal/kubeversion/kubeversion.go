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
