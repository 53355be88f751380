package format

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

func lookup(t testing.TB, name string) Func {
	t.Helper()
	f, ok := Lookup(name, DefaultMinor)
	if !ok {
		t.Fatalf("Lookup(%q) found nothing", name)
	}
	return f
}

func TestFormats(t *testing.T) {
	for _, test := range formatTests {
		t.Run(test.name, func(t *testing.T) {
			f := lookup(t, test.name)
			judge := func(s string, want bool) {
				if upstream := strfmt.Default.Validates(test.name, s); upstream != want {
					t.Errorf("strfmt.Default.Validates(%q, %q) = %v; the table says %v", test.name, s, upstream, want)
				}
				if got := f(s); got != want {
					t.Errorf("%s(%q) = %v, want %v", test.name, s, got, want)
				}
			}
			for _, s := range append(slices.Clip(test.common), test.valid...) {
				judge(s, true)
			}
			for _, s := range test.invalid {
				judge(s, false)
			}
		})
	}
}

// scanned reports whether a format has a scan of its own.
func scanned(name string) bool {
	return name == "byte" || name == "date" || name == "date-time" || name == "hostname"
}

// TestNear inserts and replaces pieces at every index of every short string of the
// formats with scans, and compares the verdicts on the results with strfmt.
func TestNear(t *testing.T) {
	pieces := []string{"", "0", "1", "2", "3", "5", "6", "9", "a", "b", "f", "g", "s", "t", "z", "A", "K", "T", "X", "Z", "-", "--", ".", "..", ":", "::", "/", "=", "+",
		"_", "@", "#", "(", ")", ",", "%", "?", "~", "$", " ", "\n", "\v", "\x00", "\x7f", "\x80", "\xff", "é", "İ", "\u212a", "00", "％"}
	for _, test := range formatTests {
		if !scanned(test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			f := lookup(t, test.name)
			valid := 0
			judge := func(s string) {
				want := strfmt.Default.Validates(test.name, s)
				if got := f(s); got != want {
					t.Errorf("%s(%q) = %v, want %v", test.name, s, got, want)
				}
				if want {
					valid++
				}
			}
			for _, s := range slices.Concat(test.common, test.valid, test.invalid) {
				if len(s) > 80 {
					continue
				}
				for i := range len(s) + 1 {
					for _, piece := range pieces {
						judge(s[:i] + piece + s[i:])
						if i < len(s) {
							judge(s[:i] + piece + s[i+1:])
						}
					}
				}
			}
			if valid == 0 {
				t.Errorf("no damaged string is valid: the damage is too coarse")
			}
		})
	}
}

// TestEveryByte compares the verdicts on short strings with every byte with strfmt.
func TestEveryByte(t *testing.T) {
	for _, test := range formatTests {
		f := lookup(t, test.name)
		for c := range 256 {
			for _, s := range []string{string([]byte{byte(c)}), "a" + string([]byte{byte(c)}), string([]byte{byte(c)}) + "a.com", "https://a" + string([]byte{byte(c)}) + "b/", "/" + string([]byte{byte(c)})} {
				if got, want := f(s), strfmt.Default.Validates(test.name, s); got != want {
					t.Errorf("%s(%q) = %v, want %v", test.name, s, got, want)
				}
			}
		}
	}
}

func FuzzFormats(f *testing.F) {
	for _, test := range formatTests {
		for _, s := range slices.Concat(test.common, test.valid, test.invalid) {
			f.Add(s)
		}
	}
	fuzz.Run(f, func(t *testing.T, s string) {
		for _, name := range documentedNames(DefaultMinor) {
			if got, want := lookup(t, name)(s), strfmt.Default.Validates(name, s); got != want {
				t.Errorf("%s(%q) = %v, want %v", name, s, got, want)
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	for _, test := range formatTests {
		f := lookup(t, test.name)
		for _, s := range test.common {
			if !scanned(test.name) {
				continue
			}
			if got := testing.AllocsPerRun(10, func() { f(s) }); got != 0 {
				t.Errorf("%s(%q) allocated %v times, want 0", test.name, s, got)
			}
		}
	}
}

// TestRegistry compares the names with the registry of strfmt, so that it fails
// if strfmt adds a format. The registry exports no names; reflection reads them.
func TestRegistry(t *testing.T) {
	var want []string
	data := reflect.ValueOf(strfmt.Default).Elem().FieldByName("data")
	for i := range data.Len() {
		want = append(want, data.Index(i).FieldByName("Name").String())
	}
	slices.Sort(want)
	var got, tested []string
	for _, name := range documentedNames(DefaultMinor) {
		if _, ok := Registered(name); !ok {
			t.Errorf("Registered(%q) found nothing", name)
		}
		got = append(got, Normalize(name))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, test := range formatTests {
		tested = append(tested, Normalize(test.name))
	}
	slices.Sort(tested)
	if diff := cmp.Diff(want, tested); diff != "" {
		t.Errorf("names in the table (-want +got):\n%s", diff)
	}
}

var supportedTests = []struct {
	typ, format string
	minor       int
	want        bool
}{
	{"string", "date-time", 36, true},
	{"string", "datetime", 36, true},
	{"string", "-d-a-te--time-", 36, true},
	{"string", "Date-Time", 36, false},
	{"string", "date_time", 36, false},
	{"string", "", 36, false},
	{"string", "-", 36, false},
	{"string", "nope", 36, false},
	{"string", "int32", 36, false},
	{"string", "int-or-string", 36, false},
	{"string", "k8s-short-name", 33, false},
	{"string", "k8s-short-name", 34, true},
	{"string", "k8sshortname", 36, true},
	{"string", "k8s-long-name", 33, false},
	{"string", "k8s-long-name", 34, true},
	{"string", "date", 0, true},
	{"", "uuid", 36, true},
	{"", "int32", 36, false},
	{"integer", "int32", 36, true},
	{"integer", "int64", 0, true},
	{"integer", "int-32", 36, false},
	{"integer", "int16", 36, false},
	{"integer", "date", 36, false},
	{"integer", "float", 36, false},
	{"number", "float", 36, true},
	{"number", "double", 36, true},
	{"number", "dou-ble", 36, false},
	{"number", "int32", 36, false},
	{"boolean", "date", 36, false},
	{"array", "date", 36, false},
	{"object", "date", 36, false},
	{"null", "date", 36, false},
}

func TestSupported(t *testing.T) {
	for _, test := range supportedTests {
		if got := Supported(test.typ, test.format, test.minor); got != test.want {
			t.Errorf("Supported(%q, %q, %d) = %v, want %v", test.typ, test.format, test.minor, got, test.want)
		}
		if test.typ != "string" {
			continue
		}
		if f, ok := Lookup(test.format, test.minor); ok != test.want || (f != nil) != test.want {
			t.Errorf("Lookup(%q, %d) = %v, %v, want %v", test.format, test.minor, f != nil, ok, test.want)
		}
	}
}

// documentedNames returns the formats of strings that Kubernetes 1.minor honours, sorted,
// in the spelling of the Kubernetes documentation.
func documentedNames(minor int) []string {
	names := []string{
		"bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time",
		"duration", "email", "hexcolor", "hostname", "ipv4", "ipv6", "isbn",
		"isbn10", "isbn13",
	}
	if minor >= 34 {
		names = append(names, "k8s-long-name", "k8s-short-name")
	}
	return append(names,
		"mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5")
}

func TestSupportedNames(t *testing.T) {
	for _, minor := range []int{0, 33, 34, 36, 99} {
		known := documentedNames(minor)
		for _, name := range append(documentedNames(99), "int32", "float", "Date-Time") {
			for _, typ := range []string{"", "string", "integer", "number", "boolean", "array", "object"} {
				want := (typ == "" || typ == "string") && slices.Contains(known, name) ||
					typ == "integer" && name == "int32" || typ == "number" && name == "float"
				if got := Supported(typ, name, minor); got != want {
					t.Errorf("Supported(%q, %q, %d) = %v, want %v", typ, name, minor, got, want)
				}
			}
		}
	}
}

// TestRegisteredIgnoresVersion checks that Registered knows the formats of all
// versions, because kube-apiserver validates defaults with all of them.
func TestRegisteredIgnoresVersion(t *testing.T) {
	f, ok := Registered("k8s-short-name")
	if !ok || !f("a") || f("A") {
		t.Errorf("Registered(\"k8s-short-name\") = %v; want a check", ok)
	}
	if f, ok := Registered("nope"); ok || f != nil {
		t.Errorf("Registered(\"nope\") = %v, want nothing", ok)
	}
}

func BenchmarkFormats(b *testing.B) {
	for _, test := range formatTests {
		if !scanned(test.name) {
			continue
		}
		s := test.common[0]
		f := lookup(b, test.name)
		b.Run("case="+test.name+"/way=scan", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f(s)
			}
		})
		b.Run("case="+test.name+"/way=strfmt", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				strfmt.Default.Validates(test.name, s)
			}
		})
	}
}
