package versionsort

import (
	"cmp"
	"slices"
	"strings"
)

// Compare orders two version names by priority, for [slices.SortFunc]. It
// returns -1 if a has the higher priority and so sorts first, +1 if b has,
// and 0 only if a and b are the same string. It is a strict total order over
// all strings, valid version names or not.
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

// compareLike compares two Kubernetes-like names. Names of the same Version
// differ in leading zeros only: the name that needs fewest of them is the one
// an author most likely means.
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
// version comes first. A nil slice is an empty one.
func Sort(names []string) {
	slices.SortFunc(names, Compare)
}
