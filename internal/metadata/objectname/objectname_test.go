package objectname

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
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

// atLimits returns strings at the limits of the rules.
func atLimits() []string {
	out := []string{"", "a", "A", "1", "-", "a-", "-a", "a.b", "a..b", ".a", "a.", "a-.b", "a.-b", "a/b", "/a", "a/", "a/b/c",
		"A.b/C", "a_b", "a/_b", "a b", "é", "a/é", "K", "ⓐ", "%", "..", ".", "a%b", "1a", "a1", "Foo", "foo-bar", "a/-", "%-", "\xff"}
	for _, n := range []int{62, 63, 64, 252, 253, 254} {
		long := strings.Repeat("a", n)
		out = append(out, long, long+"/b", "b/"+long, long[:n-2]+".b", long[:n-1]+"-", strings.Repeat("a", n-62)+"."+strings.Repeat("b", 61))
	}
	return out
}

func FuzzNames(f *testing.F) {
	for _, s := range atLimits() {
		f.Add(s)
	}
	fuzz.Run(f, checkNames)
}

// checkNames compares every check of names with the rule of Kubernetes.
func checkNames(t *testing.T, s string) {
	ascii := !strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
	for _, c := range []struct {
		rule  string
		got   bool
		want  []string
		exact bool
	}{
		{"subdomain", IsSubdomain(s), validation.IsDNS1123Subdomain(s), true},
		{"subdomain prefix", IsSubdomainPrefix(s), metavalidation.NameIsDNSSubdomain(s, true), false},
		{"label", IsLabel(s), validation.IsDNS1123Label(s), true},
		{"DNS-1035 label", IsDNS1035Label(s), validation.IsDNS1035Label(s), true},
		{"kind", IsKind(s), validation.IsDNS1035Label(strings.ToLower(s)), ascii},
		{"qualified name", IsQualifiedName(s, false), validation.IsQualifiedName(s), true},
		{"folded qualified name", IsQualifiedName(s, true), validation.IsQualifiedName(strings.ToLower(s)), ascii},
		{"label value", IsLabelValue(s), validation.IsValidLabelValue(s), true},
		{"path name", IsPathName(s), content.IsPathSegmentName(s), true},
		{"path prefix", IsPathPrefix(s), content.IsPathSegmentPrefix(s), true},
	} {
		want := len(c.want) == 0
		if c.got && !want || c.exact && c.got != want {
			t.Errorf("%s %q: got %v, the rule says %q", c.rule, s, c.got, c.want)
		}
	}
}
