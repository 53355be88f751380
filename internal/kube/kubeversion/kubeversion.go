// Package kubeversion reads the Kubernetes version of a server.
//
//	version, err := kubeversion.Parse("1.33.4") // 33
package kubeversion

import (
	"fmt"
	"strconv"
	"strings"
)

// A Version is the minor version of Kubernetes 1. Behaviour does not depend on other parts of a
// version.
type Version int

// The range of supported versions.
const (
	Oldest Version = 29
	Newest Version = 37 // the default
)

// Span names the versions from Oldest to Newest, for messages.
var Span = fmt.Sprintf("from %v to %v", Oldest, Newest)

// String returns the version without a patch version, such as "1.37".
func (v Version) String() string { return "1." + strconv.Itoa(int(v)) }

// Parse reads a version from Oldest to Newest, such as "1.33", "v1.33.4" or
// "1.33.0-rc.1+build". It returns Newest for "", and an error for any other text.
func Parse(text string) (Version, error) {
	if text == "" {
		return Newest, nil
	}
	if v, ok := parse(text); ok && Oldest <= v && v <= Newest {
		return v, nil
	}
	return 0, fmt.Errorf("%q is not a version of Kubernetes %s", text, Span)
}

func parse(text string) (Version, bool) {
	major, rest, found := strings.Cut(strings.TrimPrefix(text, "v"), ".")
	if !found || major != "1" {
		return 0, false
	}
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(digits, 10, 15)
	return Version(n), err == nil
}
