package objectmeta

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// seeds returns the sections of this name in the cases.
func seeds(t testing.TB, pattern, section string) [][]byte {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %q (%v)", pattern, err)
	}
	var out [][]byte
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == section {
				out = append(out, f.Data)
			}
		}
	}
	return out
}

// addPairs adds every object with the next one to the corpus of f.
func addPairs(f *testing.F) {
	objects := slices.Concat(seeds(f, "testdata/coerce/*.txtar", "object"),
		seeds(f, "testdata/validate/*.txtar", "object"), seeds(f, "testdata/embedded/*.txtar", "object"))
	for i, obj := range objects {
		next := objects[(i+1)%len(objects)]
		f.Add(obj, next, uint64(0))
		f.Add(obj, next, uint64(0x5a5a5a5a5a5a5a5a))
	}
}

// cross decodes two objects and returns one with metadata whose members come
// from either, as the bits of mask select.
func cross(a, b []byte, mask uint64) (map[string]any, bool) {
	x, errX := testkit.DecodeJSON(a)
	y, errY := testkit.DecodeJSON(b)
	obj, ok := x.(map[string]any)
	if errX != nil || errY != nil || !ok {
		return nil, false
	}
	other, _ := y.(map[string]any)
	mix(obj, other, mask)
	m, okM := obj["metadata"].(map[string]any)
	n, okN := other["metadata"].(map[string]any)
	if okM && okN {
		mix(m, n, mask>>8)
	}
	return obj, true
}

func mix(into, from map[string]any, mask uint64) {
	for i, name := range slices.Sorted(maps.Keys(from)) {
		if mask>>(i%56)&1 == 1 {
			into[name] = from[name]
		}
	}
}

// The fast verdict must agree with the round trip.
func FuzzCoerce(f *testing.F) {
	addPairs(f)
	fuzz.Run(f, func(t *testing.T, a, b []byte, mask uint64) {
		obj, ok := cross(a, b, mask)
		if !ok {
			return
		}
		for _, drop := range []bool{false, true} {
			fast, reference := jsonval.Clone(obj).(map[string]any), jsonval.Clone(obj).(map[string]any)
			o := Options{DropInvalid: drop, ReportUnknown: true}
			fastUnknown, fastErr := Coerce(fast, o)
			referenceUnknown, referenceErr := roundTrip(reference, o)
			if diff := cmp.Diff(pathLines(referenceUnknown)+errorText(referenceErr), pathLines(fastUnknown)+errorText(fastErr)); diff != "" {
				t.Errorf("drop %v of %s (-reference +fast):\n%s", drop, testkit.Encode(obj), diff)
			}
			if !jsonval.Equal(fast, reference) {
				t.Errorf("drop %v of %s (-reference +fast):\n%s", drop, testkit.Encode(obj), cmp.Diff(reference, fast))
			}
			again := jsonval.Clone(fast).(map[string]any)
			if _, err := Coerce(again, o); fastErr == nil && !drop && !jsonval.Equal(again, fast) && !unusualTimes(fast) {
				t.Errorf("%s is not the same twice, %v:\n%s", testkit.Encode(obj), err, cmp.Diff(fast, again))
			}
		}
	})
}

// unusualTimes reports whether there are times that are written in a form that
// cannot be decoded, or as null. Coercing them again changes something.
func unusualTimes(obj map[string]any) bool {
	text := string(testkit.Encode(obj["metadata"]))
	return strings.Contains(text, `"-0001-`) || strings.Contains(text, `"10000-`) ||
		strings.Contains(text, `imestamp":null`) || strings.Contains(text, `"time":null`) || strings.Contains(text, `"fieldsV1":null`)
}

// The rules of apimachinery must accept what the fast checks accept.
func FuzzValidate(f *testing.F) {
	addPairs(f)
	fuzz.Run(f, func(t *testing.T, a, b []byte, mask uint64) {
		obj, ok := cross(a, b, mask)
		old, okOld := cross(b, a, mask>>3)
		if !ok || !okOld {
			return
		}
		for _, namespaced := range []bool{false, true} {
			if problems := createProblems(obj, namespaced, nil); validCreate(obj, namespaced) && len(problems) > 0 {
				t.Errorf("create of %s: not seen:\n%s", testkit.Encode(obj), problemLines(problems))
			}
			if problems := updateProblems(obj, old, namespaced, nil); validUpdate(obj, old, namespaced) && len(problems) > 0 {
				t.Errorf("update of %s to %s: not seen:\n%s", testkit.Encode(old), testkit.Encode(obj), problemLines(problems))
			}
			fast, reference := readMap(obj).ValidateCommon(nil, namespaced, nil), commonProblems(obj, nil, namespaced, nil)
			if diff := cmp.Diff(problemLines(reference), problemLines(fast)); diff != "" {
				t.Errorf("common create of %s (-reference +fast):\n%s", testkit.Encode(obj), diff)
			}
			fast, reference = readMap(obj).ValidateCommon(readMap(old), namespaced, nil), commonProblems(obj, old, namespaced, nil)
			if diff := cmp.Diff(problemLines(reference), problemLines(fast)); diff != "" {
				t.Errorf("common update of %s (-reference +fast):\n%s", testkit.Encode(obj), diff)
			}
		}
		if diff := cmp.Diff(addedWarnings(readMap(obj), readMap(old)), finalizerWarningsOf(obj, old)); diff != "" {
			t.Errorf("warnings about %s (-want +got):\n%s", testkit.Encode(obj), diff)
		}
	})
}

// addedWarnings is the definition of [Meta.FinalizerWarnings].
func addedWarnings(m, old *Meta) []string {
	var out []string
	for _, f := range slices.Compact(slices.Sorted(slices.Values(m.finalizers))) {
		if !slices.Contains(old.finalizers, f) {
			out = append(out, finalizerWarnings(f)...)
		}
	}
	return out
}

// The fast verdicts must agree with the walks, the round trip and the rules.
func FuzzEmbedded(f *testing.F) {
	addPairs(f)
	var resources []*Embedded
	for _, text := range seeds(f, "testdata/embedded/*.txtar", "schema.yaml") {
		n := enginetest.MustCompileYAML(f, string(text))
		resources = append(resources, &Embedded{Schema: n}, &Embedded{Schema: n, IsResource: true})
	}
	fuzz.Run(f, func(t *testing.T, a, b []byte, mask uint64) {
		obj, ok := cross(a, b, mask)
		if !ok {
			return
		}
		e := resources[int(mask>>40)%len(resources)]
		o := Options{DropInvalid: mask>>30&1 == 1, ReportUnknown: true}
		x, y := jsonval.Clone(obj), jsonval.Clone(obj)
		fastUnknown, fastErr := e.Coerce(x, o)
		referenceUnknown, referenceErr := e.walkAndCoerce(y, o)
		if diff := cmp.Diff(pathLines(referenceUnknown)+fieldErrorText(referenceErr), pathLines(fastUnknown)+fieldErrorText(fastErr)); diff != "" {
			t.Errorf("%s (-reference +fast):\n%s", testkit.Encode(obj), diff)
		}
		if !jsonval.Equal(x, y) {
			t.Errorf("%s (-reference +fast):\n%s", testkit.Encode(obj), cmp.Diff(y, x))
		}
		problems := e.walkProblems(obj)
		if diff := cmp.Diff(problemLines(problems), problemLines(e.Validate(obj))); diff != "" {
			t.Errorf("%s (-reference +fast):\n%s", testkit.Encode(obj), diff)
		}
		if e.Valid(obj) != (len(problems) == 0) {
			t.Errorf("%s: Valid is %v with:\n%s", testkit.Encode(obj), e.Valid(obj), problemLines(problems))
		}
	})
}

func fieldErrorText(err *field.Error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
