package versionsort

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/version"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// sortTests holds names in decreasing order of priority, separated by spaces. It
// serves the tests, the fuzz targets and the benchmark.
var sortTests = []struct {
	name string
	want string
}{{
	name: "published example",
	want: "v10 v2 v1 v11beta2 v10beta3 v3beta1 v12alpha1 v11alpha2 foo1 foo10",
}, {
	name: "minor after major",
	want: "v2beta1 v1beta10 v1beta9 v1beta1 v1beta0 v0beta7",
}, {
	name: "resemblance is not enough",
	want: "v1alpha1  V1 v v-1 v1.0 v1alpha v1alpha1beta1 v1beta v1gamma1 v1rc1 v1\u0660 v\u0661",
}, {
	name: "largest number",
	want: "v9223372036854775807 v1 v1beta9223372036854775807 v1beta1 v1beta9223372036854775808 v9223372036854775808 v99999999999999999999",
}, {
	name: "leading zeros",
	want: "v2 v02 v1 v01 v001 v1beta1 v01beta1 v1beta01 v01beta01",
}, {
	name: "zero",
	want: "v1 v0 v00 v0beta0 v0alpha0 0",
}, {
	name: "typical",
	want: "v1 v1beta2 v1beta1 v1alpha1",
}}

func TestSort(t *testing.T) {
	for _, test := range sortTests {
		t.Run(test.name, func(t *testing.T) {
			want := strings.Split(test.want, " ")
			random := rand.New(rand.NewPCG(1, 2))
			for range 100 {
				got := slices.Clone(want)
				random.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
				Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("Sort() mismatch (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestSortNil(t *testing.T) {
	Sort(nil)
}

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		want Version
		ok   bool
	}{
		{"v1", Version{1, GA, 0}, true},
		{"v10", Version{10, GA, 0}, true},
		{"v007", Version{7, GA, 0}, true},
		{"v2beta3", Version{2, Beta, 3}, true},
		{"v3alpha02", Version{3, Alpha, 2}, true},
		{"v9223372036854775807", Version{9223372036854775807, GA, 0}, true},
		{"v9223372036854775808", Version{}, false},
		{"v1alpha9223372036854775808", Version{}, false},
		{"", Version{}, false},
		{"v", Version{}, false},
		{"1", Version{}, false},
		{"V1", Version{}, false},
		{" v1", Version{}, false},
		{"v1\n", Version{}, false},
		{"v+1", Version{}, false},
		{"v1_0", Version{}, false},
		{"v1alpha", Version{}, false},
		{"v1gamma1", Version{}, false},
		{"v1alpha1beta1", Version{}, false},
		{"valpha1", Version{}, false},
		{"v\u0661", Version{}, false},
	}
	for _, test := range tests {
		got, ok := Parse(test.name)
		if ok != test.ok {
			t.Errorf("Parse(%q) reported %v, want %v", test.name, ok, test.ok)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Parse(%q) mismatch (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestVersionString(t *testing.T) {
	for name, want := range map[string]string{
		"v1":         "v1",
		"v002":       "v2",
		"v1beta02":   "v1beta2",
		"v0alpha0":   "v0alpha0",
		"v10alpha11": "v10alpha11",
	} {
		v, ok := Parse(name)
		if got := v.String(); !ok || got != want {
			t.Errorf("Parse(%q) prints as %q, %v, want %q, true", name, got, ok, want)
		}
	}
}

// TestDifferenceLeadingZeros is the evidence for the entry
// versionsort/leading_zeros of docs/DIFFERENCES.md. It also fails if upstream
// changes.
func TestDifferenceLeadingZeros(t *testing.T) {
	if got := version.CompareKubeAwareVersionStrings("v1", "v01"); got != 0 {
		t.Errorf("upstream compares v1 with v01 as %d, want 0: the difference has gone", got)
	}
	if got := Compare("v1", "v01"); got != -1 {
		t.Errorf("Compare(v1, v01) = %d, want -1", got)
	}
}

func TestAllocations(t *testing.T) {
	for _, test := range sortTests {
		names := strings.Split(test.want, " ")
		got := testing.AllocsPerRun(100, func() {
			Sort(names)
			Compare(names[0], names[1])
			_, _ = Parse(names[0])
		})
		if got != 0 {
			t.Errorf("%s: Sort, Compare and Parse allocated %v times, want 0", test.name, got)
		}
	}
}

// fitsInt32 reports whether the numbers of name fit 32 bits. Upstream parses them
// as int, so larger numbers give other results on a 32-bit platform.
func fitsInt32(name string) bool {
	v, _ := Parse(name)
	return v.Major <= math.MaxInt32 && v.Minor <= math.MaxInt32
}

// FuzzCompare compares Compare with upstream. The two may differ only if upstream
// compares two names as equal.
func FuzzCompare(f *testing.F) {
	for _, test := range sortTests {
		names := strings.Split(test.want, " ")
		for i := 1; i < len(names); i++ {
			f.Add(names[i-1], names[i])
		}
	}
	fuzz.Run(f, func(t *testing.T, a, b string) {
		got := Compare(a, b)
		upstream := version.CompareKubeAwareVersionStrings(b, a)
		if upstream != 0 && got != sign(upstream) && (strconv.IntSize == 64 || fitsInt32(a) && fitsInt32(b)) {
			t.Errorf("Compare(%q, %q) = %d, upstream orders them %d", a, b, got, upstream)
		}
		if (got == 0) != (a == b) {
			t.Errorf("Compare(%q, %q) = %d, want 0 exactly for equal names", a, b, got)
		}
		if got != sign(got) {
			t.Errorf("Compare(%q, %q) = %d, want -1, 0 or +1", a, b, got)
		}
	})
}

// FuzzTotalOrder checks that Compare is a strict total order.
func FuzzTotalOrder(f *testing.F) {
	for _, test := range sortTests {
		names := strings.Split(test.want, " ")
		for i := 2; i < len(names); i++ {
			f.Add(names[i-2], names[i], names[i-1])
		}
	}
	fuzz.Run(f, func(t *testing.T, a, b, c string) {
		ab, bc, ac := Compare(a, b), Compare(b, c), Compare(a, c)
		if ba := Compare(b, a); ab != -ba {
			t.Errorf("Compare(%q, %q) = %d but Compare(%[2]q, %[1]q) = %[4]d", a, b, ab, ba)
		}
		if ab <= 0 && bc <= 0 && ac > 0 {
			t.Errorf("%q is not after %q, nor that after %q, but Compare(%[1]q, %[3]q) = %d", a, b, c, ac)
		}
		if ab >= 0 && bc >= 0 && ac < 0 {
			t.Errorf("%q is not before %q, nor that before %q, but Compare(%[1]q, %[3]q) = %d", a, b, c, ac)
		}
	})
}

// FuzzParse checks that Parse and String agree: Parse returns the same Version for
// the printed name, which is not longer than the original.
func FuzzParse(f *testing.F) {
	for _, test := range sortTests {
		for name := range strings.SplitSeq(test.want, " ") {
			f.Add(name)
		}
	}
	fuzz.Run(f, func(t *testing.T, name string) {
		v, ok := Parse(name)
		if !ok {
			if v != (Version{}) {
				t.Errorf("Parse(%q) = %+v, false, want the zero Version", name, v)
			}
			return
		}
		short := v.String()
		if len(short) > len(name) {
			t.Errorf("Parse(%q) prints as %q, which is longer", name, short)
		}
		if again, ok := Parse(short); !ok || again != v {
			t.Errorf("Parse(%q) = %+v, %v, want %+v, true", short, again, ok, v)
		}
	})
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return +1
	default:
		return 0
	}
}

func BenchmarkSort(b *testing.B) {
	for _, test := range sortTests {
		want := strings.Split(test.want, " ")
		b.Run("case="+strings.ReplaceAll(test.name, " ", "_"), func(b *testing.B) {
			names := make([]string, len(want))
			b.ReportAllocs()
			for b.Loop() {
				copy(names, want)
				slices.Reverse(names)
				Sort(names)
			}
		})
	}
}
