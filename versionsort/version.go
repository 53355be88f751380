package versionsort

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Stability is the promise that a Kubernetes-like version name makes about its API. A greater
// Stability has a higher priority.
type Stability int8

// The stabilities in increasing order of priority.
const (
	Alpha Stability = iota // v1alpha1: may change or disappear without notice
	Beta                   // v1beta1: well tested, details may change
	GA                     // v1: stable
)

// String returns the part of a version name that denotes s: "alpha", "beta", or "" for GA.
func (s Stability) String() string {
	switch s {
	case Alpha:
		return "alpha"
	case Beta:
		return "beta"
	default:
		return ""
	}
}

// A Version is the parsed form of a Kubernetes-like version name. Versions are
// comparable: two names have equal Versions exactly if kube-apiserver gives them
// the same priority. The zero Version is v0alpha0.
type Version struct {
	Major     int64     // the number after "v", never negative
	Stability Stability // GA if the name has neither alpha nor beta
	Minor     int64     // the number after alpha or beta, never negative; 0 for GA
}

// String returns the shortest name of v, without leading zeros.
func (v Version) String() string {
	major := "v" + strconv.FormatInt(v.Major, 10)
	if v.Stability == GA {
		return major
	}
	return major + v.Stability.String() + strconv.FormatInt(v.Minor, 10)
}

// Parse parses name and reports whether it is Kubernetes-like. If it is not, Parse
// returns the zero Version. The numbers may have leading zeros. Parse rejects
// signs, spaces, upper case and digits other than ASCII.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
func Parse(name string) (Version, bool) {
	rest, ok := strings.CutPrefix(name, "v")
	if !ok {
		return Version{}, false
	}
	major, rest, ok := cutNumber(rest)
	if !ok {
		return Version{}, false
	}
	if rest == "" {
		return Version{Major: major, Stability: GA}, true
	}
	stability, rest, ok := cutStability(rest)
	if !ok {
		return Version{}, false
	}
	minor, rest, ok := cutNumber(rest)
	if !ok || rest != "" {
		return Version{}, false
	}
	return Version{Major: major, Stability: stability, Minor: minor}, true
}

// cutNumber cuts all digits off the front of s and returns them as a number. It reports false if
// there are none, or if the number does not fit an int64.
func cutNumber(s string) (n int64, rest string, ok bool) {
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		digit := int64(s[end] - '0')
		if n > (1<<63-1-digit)/10 {
			return 0, s, false
		}
		n = n*10 + digit
		end++
	}
	return n, s[end:], end > 0
}

// cutStability cuts "alpha" or "beta" off the front of s. It reports false if s begins with neither
// word.
func cutStability(s string) (stability Stability, rest string, ok bool) {
	if rest, ok := strings.CutPrefix(s, "alpha"); ok {
		return Alpha, rest, true
	}
	if rest, ok := strings.CutPrefix(s, "beta"); ok {
		return Beta, rest, true
	}
	return 0, s, false
}

// Compare compares two version names by priority, for [slices.SortFunc]. It returns -1 if a has the
// higher priority and sorts first, +1 if b has, and 0 only if a and b are the same string. It is a
// strict total order over all strings.
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

// compareLike compares two Kubernetes-like names and their Versions. Different names with equal
// Versions differ only in leading zeros. The shorter name comes first.
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
