package cellib

import (
	"regexp"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// The fuzz targets run the expressions of a library on arbitrary texts and
// numbers, and compare outcomes and costs with upstream's. Two numbers choose
// values of any type.

func FuzzAuthorization(f *testing.F) { fuzzLibrary(f, "authorization") }
func FuzzURLs(f *testing.F)          { fuzzLibrary(f, "urls") }
func FuzzRegex(f *testing.F)         { fuzzLibrary(f, "regex") }
func FuzzLists(f *testing.F)         { fuzzLibrary(f, "lists") }
func FuzzQuantities(f *testing.F)    { fuzzLibrary(f, "quantities") }
func FuzzIPs(f *testing.F)           { fuzzLibrary(f, "ips") }
func FuzzCIDRs(f *testing.F)         { fuzzLibrary(f, "cidrs") }
func FuzzFormats(f *testing.F)       { fuzzLibrary(f, "formats") }
func FuzzVersions(f *testing.F)      { fuzzLibrary(f, "versions") }

// longExponent matches quantities that keep upstream busy for minutes: cel/quantity_exponent
// of docs/DIFFERENCES.md.
var longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{5}`)

func fuzzLibrary(f *testing.F, name string) {
	g, ok := groups(f)[name]
	if !ok {
		f.Fatalf("testdata has nothing for %s", name)
	}
	for i, text := range g.Texts {
		f.Add(text, g.Texts[(i+1)%len(g.Texts)], int64(i-1), i%2 == 0, uint8(i), uint8(7*i))
	}
	list, _ := pairs(f, g.Expressions, ours(f, newest).with(f), theirs(newest).with(f))
	fuzz.Run(f, func(t *testing.T, s, text string, i int64, b bool, d, e uint8) {
		if len(s)+len(text) > 2000 || longExponent.MatchString(s) || longExponent.MatchString(text) {
			return
		}
		vars := assign(s, text, i, b, int(d), int(e))
		for _, p := range list {
			p.compare(t, vars)
		}
	})
}
