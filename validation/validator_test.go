package validation_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// implementations has what makes a validator of each implementation.
var implementations = []struct {
	name string
	new  func(*schema.Node) *validation.Validator
}{
	{"fast", func(n *schema.Node) *validation.Validator { return validation.New(n) }},
	{"reference", func(n *schema.Node) *validation.Validator { return validation.Collecting(validation.New(n)) }},
}

func TestValues(t *testing.T) {
	tests := valueTests(t)
	for _, impl := range implementations {
		for i, test := range tests {
			t.Run(impl.name+"/"+test.Name, func(t *testing.T) {
				v := impl.new(compile(t, string(test.Schema)))
				obj := decode(t, string(test.Object))
				before := testkit.Encode(obj)
				other := map[string]any{"another": "object"}
				got := describe(v.Validate(obj))
				if testkit.Update() {
					tests[i].Want = got
				} else if diff := cmp.Diff(test.Want, got); diff != "" {
					t.Errorf("Validate (-want +got):\n%s", diff)
				}
				if v.Valid(obj) != (len(got) == 0) {
					t.Errorf("Valid = %v, but Validate found %d errors", v.Valid(obj), len(got))
				}
				if diff := cmp.Diff(got, describe(v.ValidateUpdate(obj, other).Errors)); diff != "" {
					t.Errorf("ValidateUpdate of another object differs from Validate:\n%s", diff)
				}
				if after := testkit.Encode(obj); string(before) != string(after) {
					t.Errorf("object was changed from %s to %s", before, after)
				}
			})
		}
	}
	if testkit.Update() {
		writeValueTests(t, tests)
	}
}

// TestUnshared runs the table over trees in which no two locations share a node.
func TestUnshared(t *testing.T) {
	for _, test := range valueTests(t) {
		props := properties(t, string(test.Schema))
		n, errs := schema.Compile(props, testopt.Unshared{})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		got := describe(validation.New(n).Validate(decode(t, string(test.Object))))
		if diff := cmp.Diff(test.Want, got); diff != "" {
			t.Errorf("%s: Validate (-want +got):\n%s", test.Name, diff)
		}
	}
}

func TestBehaviour(t *testing.T) {
	sections := []string{"schema.yaml", "object.yaml", "old.yaml", "subresource", "errors", "forgiven"}
	for _, impl := range implementations {
		t.Run(impl.name, func(t *testing.T) {
			testkit.RunTxtar(t, "testdata/*.txtar", sections, func(t *testing.T, c *testkit.Case) {
				v := impl.new(compile(t, c.Section("schema.yaml")))
				obj, old := c.Object(t, "object.yaml"), c.Object(t, "old.yaml")
				validate := v.ValidateUpdate
				if c.Has("subresource") {
					validate = v.ValidateStatus
				}
				res := validate(obj, old)
				c.Want(t, "errors", lines(res.Errors))
				c.Want(t, "forgiven", lines(res.Ratcheted))
			})
		})
	}
}

func lines(errs validation.ErrorList) string {
	var s string
	for _, e := range describe(errs) {
		s += e + "\n"
	}
	return s
}

// An error unwraps to the error that the server reports.
func TestErrorUnwraps(t *testing.T) {
	errs := validation.New(compile(t, `{type: object, properties: {v: {type: string}}}`)).Validate(map[string]any{"v": int64(1)})
	var reported *field.Error
	if len(errs) != 1 || !errors.As(errs[0], &reported) || reported != errs[0].FieldError() || reported.Field != "v" {
		t.Errorf("errors %v unwrap to %v", errs, reported)
	}
}

func TestNoSchema(t *testing.T) {
	for _, impl := range implementations {
		v := impl.new(nil)
		obj := map[string]any{"a": []any{int64(1), int64(1)}, "status": nil}
		if errs := v.Validate(obj); !v.Valid(obj) || len(errs) > 0 {
			t.Errorf("%s: Valid = %v, Validate = %v; a nil schema declares nothing", impl.name, v.Valid(obj), errs)
		}
		if res := v.ValidateUpdate(obj, obj); len(res.Errors)+len(res.Ratcheted) > 0 {
			t.Errorf("%s: ValidateUpdate = %v", impl.name, res)
		}
		if res := v.ValidateStatus(obj, nil); len(res.Errors)+len(res.Ratcheted) > 0 {
			t.Errorf("%s: ValidateStatus = %v", impl.name, res)
		}
	}
}

// TestCollectingIsTheReference tells the implementations apart by allocations: the
// reference collects the errors of an invalid object for its verdict.
func TestCollectingIsTheReference(t *testing.T) {
	n := compile(t, `{type: object, properties: {v: {type: string, pattern: "^[a-z]+$"}}}`)
	bad := map[string]any{"v": "UPPER"}
	fast, reference := validation.New(n), validation.Collecting(validation.New(n))
	if got := testing.AllocsPerRun(100, func() { fast.Valid(bad) }); got != 0 {
		t.Errorf("Valid of an invalid object allocated %v times: it does not stop at the verdict", got)
	}
	if got := testing.AllocsPerRun(100, func() { reference.Valid(bad) }); got == 0 {
		t.Error("Valid of a reference allocated nothing: it did not collect errors")
	}
}

func TestKubernetesVersion(t *testing.T) {
	n := compile(t, `{type: object, properties: {v: {type: string, format: k8s-short-name}}}`)
	bad := map[string]any{"v": "-"}
	for version, want := range map[string]bool{"1.29": true, "1.33": true, "1.34": true, "v1.34.2": true, "1.35": false, "1.37": false, "": false} {
		if got := validation.New(n, validation.KubernetesVersion(version)).Valid(bad); got != want {
			t.Errorf("version %q: Valid = %v, want %v", version, got, want)
		}
	}
}

// A wrong version is an error of every verdict, also about valid objects, as in packages
// cel and definition.
func TestWrongKubernetesVersionIsAnError(t *testing.T) {
	n := compile(t, `{type: object, properties: {status: {type: string}}}`)
	valid := map[string]any{"status": "a"}
	for _, version := range []string{"v", "2.0", "1.28", "1.38", "latest"} {
		want := "<nil>: Invalid value: \"" + version + "\": must be a version of Kubernetes from 1.29 to 1.37"
		v := validation.New(n, validation.KubernetesVersion(version))
		if v.Valid(valid) {
			t.Errorf("version %q: Valid", version)
		}
		for name, errs := range map[string]validation.ErrorList{
			"Validate":       v.Validate(valid),
			"ValidateUpdate": v.ValidateUpdate(valid, valid).Errors,
			"ValidateStatus": v.ValidateStatus(valid, valid).Errors,
		} {
			if len(errs) != 1 || errs[0].Error() != want {
				t.Errorf("version %q: %s = %v, want %s", version, name, errs, want)
			}
		}
		if v := validation.New(n, validation.KubernetesVersion(version), validation.KubernetesVersion("1.33")); !v.Valid(valid) {
			t.Errorf("version %q: a later option does not win", version)
		}
	}
}

// TestDeterministic checks that the order of Go maps has no effect.
func TestDeterministic(t *testing.T) {
	for _, test := range valueTests(t) {
		v := validation.New(compile(t, string(test.Schema)))
		for range 5 {
			got := describe(v.Validate(decode(t, string(test.Object))))
			if diff := cmp.Diff(test.Want, got); diff != "" {
				t.Fatalf("%s: Validate (-want +got):\n%s", test.Name, diff)
			}
		}
	}
}

// TestImplementationsAgreeOnCorpus compares the implementations on real
// definitions.
func TestImplementationsAgreeOnCorpus(t *testing.T) {
	corpus := testkit.FindCorpus(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, d := range corpus.Definitions {
		for i, sample := range d.Samples {
			if i == 2 {
				break // two samples of a definition are enough
			}
			version := d.Version(sample.Version())
			if version == nil || version.Schema == nil {
				continue
			}
			n, errs := schema.Compile(version.Schema.OpenAPIV3Schema)
			if len(errs) > 0 {
				continue
			}
			w := newImplementations(n)
			changed := testkit.Mutate(rng, sample.Object)
			w.compare(t, sample.Object, changed)
			w.compare(t, changed, sample.Object)
		}
	}
}

// bothImplementations are two validators of one schema.
type bothImplementations struct{ fast, reference *validation.Validator }

func newImplementations(n *schema.Node) bothImplementations {
	return bothImplementations{fast: validation.New(n), reference: validation.Collecting(validation.New(n))}
}

// compare fails the test if the implementations differ.
func (w bothImplementations) compare(t testing.TB, obj, old map[string]any) {
	t.Helper()
	fast, reference := w.fast, w.reference
	want := describe(reference.Validate(obj))
	if got := describe(fast.Validate(obj)); !cmp.Equal(want, got) {
		t.Errorf("Validate(%s) (-reference +fast):\n%s", testkit.Encode(obj), cmp.Diff(want, got))
	}
	if got := fast.Valid(obj); got != (len(want) == 0) {
		t.Errorf("Valid(%s) = %v, but the reference finds %q", testkit.Encode(obj), got, want)
	}
	for _, both := range [][2]validation.Result{
		{reference.ValidateUpdate(obj, old), fast.ValidateUpdate(obj, old)},
		{reference.ValidateStatus(obj, old), fast.ValidateStatus(obj, old)},
	} {
		if want, got := describe(both[0].Errors), describe(both[1].Errors); !cmp.Equal(want, got) {
			t.Errorf("update of %s to %s (-reference +fast):\n%s", testkit.Encode(old), testkit.Encode(obj), cmp.Diff(want, got))
		}
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	for _, test := range valueTests(t) {
		v := validation.New(compile(t, string(test.Schema)))
		obj := decode(t, string(test.Object))
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if got := len(v.Validate(obj)); got != len(test.Want) {
					t.Errorf("%s: %d errors, want %d", test.Name, got, len(test.Want))
				}
			})
		}
		wg.Wait()
	}
}
