package objectmeta

import (
	"strings"
	"testing"
)

// The checks of names agree with the rules of Kubernetes on all short names of
// characters at the bounds of their ranges, and on names at the largest lengths.
func TestNamesAgreeWithRules(t *testing.T) {
	const characters = "/09:@AZ[`az{-._"
	names := []string{""}
	for from, length := 0, 1; length <= 3; length++ {
		to := len(names)
		for _, start := range names[from:to] {
			for _, c := range characters {
				names = append(names, start+string(c))
			}
		}
		from = to
	}
	for _, n := range []int{62, 63, 64, 252, 253, 254} {
		long := strings.Repeat("a", n)
		names = append(names, long, long[1:]+"-", "x/"+long, long+"/x", strings.Repeat("a.", n/2)+strings.Repeat("a", n%2+1))
	}
	for _, name := range names {
		checkNames(t, name)
	}
}

// A generated name has at most 58 characters of its prefix.
func TestStandInName(t *testing.T) {
	for prefix, want := range map[string]string{
		"":                      "00000",
		"a-":                    "a-00000",
		strings.Repeat("a", 57): strings.Repeat("a", 57) + "00000",
		strings.Repeat("a", 58): strings.Repeat("a", 58) + "00000",
		strings.Repeat("a", 59): strings.Repeat("a", 58) + "00000",
	} {
		if got := StandInName(prefix); got != want {
			t.Errorf("StandInName(%s) = %s, want %s", prefix, got, want)
		}
	}
}
