package conversiontest_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/conversion/conversiontest"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// faults are conversions with a fault, and the smallest objects that show it.
var faults = []struct {
	name     string
	from, to string
	fault    func(obj *unstructured.Unstructured, to string) error
	kind     conversiontest.Kind
	path     string
	smallest []string // fields of the smallest object, besides apiVersion, kind and metadata
}{
	{"loses an element", "v1beta1", "v1", func(obj *unstructured.Unstructured, _ string) error {
		if tags, ok := obj.Object["tags"].([]any); ok && len(tags) > 1 {
			obj.Object["tags"] = tags[:1]
		}
		return nil
	}, conversiontest.Lost, "tags[1]", []string{"host", "tags"}},
	{"changes an element", "v1beta1", "v1", func(obj *unstructured.Unstructured, to string) error {
		if tags, ok := obj.Object["tags"].([]any); ok && len(tags) > 0 && to == "v1" {
			tags[0] = "changed"
		}
		return nil
	}, conversiontest.Changed, "tags[0]", []string{"host", "tags"}},
	{"adds a field", "v1beta1", "v1", func(obj *unstructured.Unstructured, to string) error {
		if _, ok := obj.Object["tags"]; !ok && to == "v1beta1" {
			obj.Object["tags"] = []any{}
		}
		return nil
	}, conversiontest.Added, "tags", []string{"host"}},
	{"adds a field that no schema knows", "v1beta1", "v1", func(obj *unstructured.Unstructured, _ string) error {
		obj.Object["unknown"] = "pruned"
		return nil
	}, "", "", nil},
	{"sets a label", "v1", "v1beta1", func(obj *unstructured.Unstructured, to string) error {
		if to == "v1" {
			obj.SetLabels(map[string]string{"converted": "yes"})
		}
		return nil
	}, conversiontest.Added, "metadata.labels", []string{"address"}},
	{"renames the object", "v1", "v1beta1", func(obj *unstructured.Unstructured, to string) error {
		if to == "v1" {
			obj.SetName("other")
		}
		return nil
	}, conversiontest.NotConvertedBack, "", []string{"address"}},
	{"fails", "v1beta1", "v1", func(obj *unstructured.Unstructured, _ string) error {
		if address, _ := obj.Object["address"].(string); strings.Contains(address, ":") {
			return errors.New("no ports, please")
		}
		return nil
	}, conversiontest.NotConverted, "", []string{"host", "port"}},
	{"panics", "v1beta1", "v1", func(*unstructured.Unstructured, string) error { panic("oh no") },
		conversiontest.NotConverted, "", []string{"host"}},
}

func TestFaults(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			tester, err := conversiontest.New(service(), conversiontest.Func(
				func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
					out, err := convert(ctx, obj, to)
					if err == nil {
						err = tt.fault(out, to)
					}
					return out, err
				}))
			if err != nil {
				t.Fatal(err)
			}
			report, err := tester.RoundTrip(context.Background(), tt.from, tt.to)
			if err != nil {
				t.Fatal(err)
			}
			if tt.kind == "" {
				if err := report.Err(); err != nil {
					t.Fatalf("unexpected failure: %v", err)
				}
				return
			}
			if len(report.Failures) == 0 {
				t.Fatalf("no failure in %d objects", report.Objects)
			}
			f := report.Failures[0]
			if f.Kind != tt.kind || f.Path.String() != tt.path {
				t.Errorf("%s at %q, want %s at %q\n%v", f.Kind, f.Path, tt.kind, tt.path, f)
			}
			if diff := cmp.Diff(tt.smallest, fields(f.Object)); diff != "" {
				t.Errorf("fields of the smallest object (-want +got):\n%s\n%v", diff, f)
			}
			if (f.Err != nil) != (f.ConvertedBack == nil) || f.Err != nil && !errors.Is(f, f.Err) {
				t.Errorf("error %v, back %v", f.Err, f.ConvertedBack)
			}
			again, err := tester.RoundTrip(context.Background(), tt.from, tt.to)
			if err != nil || again.Err().Error() != report.Err().Error() {
				t.Errorf("the second run differs: %v, %v", again.Err(), err)
			}
		})
	}
}

// fields returns the fields of an object except apiVersion, kind and metadata.
func fields(obj *unstructured.Unstructured) []string {
	var names []string
	for name := range obj.Object {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestIdenticalVersions converts objects of real schemas to a version with the
// same schema, which must not change any object.
func TestIdenticalVersions(t *testing.T) {
	corpus, err := testkit.LoadTestdata("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for _, d := range corpus.Definitions {
		crd := d.CRD.DeepCopy()
		crd.Spec.Conversion = nil
		second := crd.Spec.Versions[0].DeepCopy()
		second.Name, second.Storage = "v77", false
		crd.Spec.Versions = append(crd.Spec.Versions, *second)
		var samples []map[string]any
		for _, s := range d.Samples {
			samples = append(samples, s.Object)
		}
		tester, err := conversiontest.New(crd, conversiontest.Count(20), conversiontest.Samples(samples...))
		if err != nil {
			continue // the server could not serve it
		}
		report, err := tester.RoundTrip(context.Background(), crd.Spec.Versions[0].Name, "v77")
		if err != nil || report.Err() != nil {
			t.Errorf("%s: %v, %v", d.Path, report.Err(), err)
		}
		objects += report.Objects
	}
	if objects < 100 {
		t.Errorf("%d objects, want at least 100", objects)
	}
}

func TestSeeds(t *testing.T) {
	failureOf := func(seed uint64) string {
		tester, err := conversiontest.New(service(), conversiontest.Seed(seed), conversiontest.Count(5))
		if err != nil {
			t.Fatal(err)
		}
		report, err := tester.RoundTrip(context.Background(), "v1", "v1beta1")
		if err != nil {
			t.Fatal(err)
		}
		return report.Err().Error()
	}
	if one, two := failureOf(1), failureOf(1); one != two {
		t.Errorf("the same seed gave\n%s\nand\n%s", one, two)
	}
	seen := map[string]bool{}
	for seed := range uint64(10) {
		seen[failureOf(seed)] = true
	}
	if len(seen) < 2 {
		t.Error("all seeds give the same object")
	}
}

func TestNoVerdict(t *testing.T) {
	ctx := context.Background()
	tester, err := conversiontest.New(service())
	if err != nil {
		t.Fatal(err)
	}
	impossible := service()
	impossible.Spec.Versions[0].Schema.OpenAPIV3Schema.XValidations = apiextensionsv1.ValidationRules{{Rule: "false"}}
	never, err := conversiontest.New(impossible, conversiontest.Count(3))
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	roundTrip := func(ctx context.Context, tester *conversiontest.Tester, from, to string) error {
		report, err := tester.RoundTrip(ctx, from, to)
		if failure := report.Err(); failure != nil {
			return fmt.Errorf("unexpected failure: %w", failure)
		}
		return err
	}
	_, both := conversiontest.New(service(), conversiontest.Func(convert), conversiontest.Converter(conversion.None(service())))
	_, none := conversiontest.New(nil)
	_, noConverter := conversiontest.New(service(), conversiontest.Converter(nil))
	_, noFunc := conversiontest.New(service(), conversiontest.Func(nil))
	_, noCount := conversiontest.New(service(), conversiontest.Func(convert), conversiontest.Count(0))
	_, noPointer := conversiontest.New(service(), conversiontest.Ignore("spec"))
	_, seeded := never.Seeded(ctx, 1, "v1", "v1beta1")
	_, object := tester.Object(ctx, nil, "v1")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"an unknown version", roundTrip(ctx, tester, "v1", "v9"), `no version "v9"`},
		{"from an unknown version", roundTrip(ctx, tester, "v9", "v1"), `no version "v9"`},
		{"nothing to convert", roundTrip(ctx, tester, "v1", "v1"), "there is nothing to convert from v1 to v1"},
		{"no object", roundTrip(ctx, never, "v1", "v1beta1"), "no admitted object: none of 60 at version v1"},
		{"no seeded object", seeded, conversiontest.ErrNoObject.Error()},
		{"the context ended", roundTrip(ended, tester, "v1", "v1beta1"), context.Canceled.Error()},
		{"two conversions", both, "exclude one another"},
		{"no definition", none, "the definition is nil"},
		{"no converter", noConverter, "the converter is nil"},
		{"no function", noFunc, "the conversion function is nil"},
		{"no count", noCount, "a count of 0, want a positive number"},
		{"no pointer", noPointer, `"spec" is no JSON pointer`},
		{"a nil object", object, "the object is nil"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, tt.err, tt.want)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	tester, err := conversiontest.New(service(), conversiontest.Func(convert), conversiontest.Count(10))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if report, err := tester.RoundTrip(context.Background(), "v1", "v1beta1"); err != nil || report.Err() != nil {
				t.Errorf("%v, %v", report.Err(), err)
			}
		})
	}
	wait.Wait()
}

// FuzzSeeded shows a fuzz test of a conversion. A right conversion must keep
// every object. The smallest object of a wrong conversion must fail as the
// failure says.
func FuzzSeeded(f *testing.F) {
	sound, err := conversiontest.New(service(), conversiontest.Func(convert))
	if err != nil {
		f.Fatal(err)
	}
	wrong, err := conversiontest.New(service())
	if err != nil {
		f.Fatal(err)
	}
	def, err := crdkit.Compile(service())
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(5) {
		f.Add(seed)
	}
	fuzz.Run(f, func(t *testing.T, seed uint64) {
		ctx := context.Background()
		failure, err := sound.Seeded(ctx, seed, "v1beta1", "v1")
		if errors.Is(err, conversiontest.ErrNoObject) {
			return
		}
		if err != nil || failure != nil {
			t.Fatal(failure, err)
		}
		failure, err = wrong.Seeded(ctx, seed, "v1beta1", "v1")
		if err != nil || failure == nil {
			t.Fatal(failure, err)
		}
		if result, err := testkit.Must(def.Version("v1beta1")).Create(ctx, failure.Object.DeepCopy()); err != nil || !result.Admitted() {
			t.Errorf("the smallest object is refused: %v, %v", result, err)
		}
		again, err := wrong.Object(ctx, failure.Object, "v1")
		if err != nil || again == nil || again.Error() != failure.Error() {
			t.Errorf("the smallest object gives\n%v, %v\nand not\n%v", again, err, failure)
		}
	})
}

// TestWebhook tests a conversion through a definition that names its webhook.
func TestWebhook(t *testing.T) {
	server := httptest.NewTLSServer(conversion.Handler(convert))
	defer server.Close()
	crd := service()
	url := server.URL + "/convert"
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig: &apiextensionsv1.WebhookClientConfig{
				URL:      &url,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			ConversionReviewVersions: []string{"v1"},
		},
	}
	tester, err := conversiontest.New(crd, conversiontest.Count(20))
	if err != nil {
		t.Fatal(err)
	}
	report, err := tester.RoundTrip(context.Background(), "v1", "v1beta1")
	if err != nil || report.Err() != nil || report.Objects != 20 {
		t.Errorf("%d objects, %v, %v", report.Objects, report.Err(), err)
	}
	server.Close()
	report, err = tester.RoundTrip(context.Background(), "v1", "v1beta1")
	if err != nil || len(report.Failures) == 0 || report.Failures[0].Kind != conversiontest.NotConverted {
		t.Errorf("without the webhook: %v, %v", report.Err(), err)
	}
}
