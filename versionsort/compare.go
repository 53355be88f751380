package versionsort

import (
	"cmp"
	"slices"
	"strings"
)

// Compare compares two version names by priority, for [slices.SortFunc]. It
// returns -1 if a has the higher priority and sorts first, +1 if b has the higher
// priority, and 0 only if a and b are the same string. It is a strict total order
// over all strings, including those that are not valid version names.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
func Compare(a, b string) int {
	versionA, likeA := Parse(a)
	versionB, likeB := Parse(b)
	switch {
	case likeA && likeB:
		return compareLike(a, b, versionA, versionB)
	case likeA:
		return -1
	case likeB:
		return +1
	default:
		return strings.Compare(a, b)
	}
}

// compareLike compares two Kubernetes-like names and their Versions. Different
// names with equal Versions differ only in leading zeros. Of these the shorter
// name comes first, because authors rarely write leading zeros.
func compareLike(a, b string, versionA, versionB Version) int {
	return cmp.Or(
		cmp.Compare(versionB.Stability, versionA.Stability),
		cmp.Compare(versionB.Major, versionA.Major),
		cmp.Compare(versionB.Minor, versionA.Minor),
		cmp.Compare(len(a), len(b)),
		strings.Compare(a, b),
	)
}

// Sort sorts names in place in decreasing order of priority: the preferred
// version comes first. The slice may be nil.
func Sort(names []string) {
	slices.SortFunc(names, Compare)
}
