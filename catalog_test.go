package crdkit_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/validation/cel"
)

// parsedDefinition returns cronTab with replacements applied to its text.
func parsedDefinition(t testing.TB, replacements ...string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definition.Parse([]byte(strings.NewReplacer(replacements...).Replace(cronTab)))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// newCatalog returns a catalog of definitions.
func newCatalog(t testing.TB, definitions ...*apiextensionsv1.CustomResourceDefinition) *crdkit.Catalog {
	t.Helper()
	c := crdkit.NewCatalog()
	for _, crd := range definitions {
		if err := c.Add(crd); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func cronTabKind(version string) runtimeschema.GroupVersionKind {
	return runtimeschema.GroupVersionKind{Group: "example.com", Version: version, Kind: "CronTab"}
}

// names returns the names of all definitions of a catalog.
func names(c *crdkit.Catalog) (names []string) {
	for _, d := range c.Definitions() {
		names = append(names, d.Name())
	}
	return names
}

func TestCatalog(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t), parsedDefinition(t, "example.com", "a.example.org"))
	if diff := cmp.Diff([]string{"crontabs.a.example.org", "crontabs.example.com"}, names(c)); diff != "" {
		t.Errorf("Definitions() (-want +got):\n%s", diff)
	}
	v, err := c.Version(cronTabKind("v1beta1"))
	if err != nil || v.Name() != "v1beta1" || v.Definition().Name() != "crontabs.example.com" {
		t.Fatalf("Version() = %v, %v", v, err)
	}
	if again, _ := c.Version(cronTabKind("v1beta1")); again != v {
		t.Error("Version() is not the same when called again")
	}
	byObject, err := c.VersionFor(cronTabObject("v1beta1", nil))
	if err != nil || byObject != v {
		t.Errorf("VersionFor() = %v, %v", byObject, err)
	}
	for _, kind := range []runtimeschema.GroupVersionKind{cronTabKind("v2"), {Group: "example.com", Version: "v1", Kind: "Other"}, {}} {
		if v, err := c.Version(kind); v != nil || err == nil || !strings.Contains(err.Error(), "no matches for kind") {
			t.Errorf("Version(%v) = %v, %v, want an error", kind, v, err)
		}
	}
	if v, err := c.VersionFor(nil); v != nil || err == nil {
		t.Errorf("VersionFor(nil) = %v, %v, want an error", v, err)
	}
	if !c.Remove("crontabs.example.com") || c.Remove("crontabs.example.com") {
		t.Error("Remove() does not report whether there was a definition")
	}
	if _, ok := c.Definition("crontabs.example.com"); ok {
		t.Error("a removed definition is there")
	}
	if _, err := c.Version(cronTabKind("v1")); err == nil {
		t.Error("a removed definition is served")
	}
	obj := cronTabObject("v1beta1", nil)
	if result, err := v.Create(t.Context(), obj); err != nil || !result.Admitted() {
		t.Errorf("a version of a removed definition cannot be used: %v, %v", result, err)
	}
}

// TestCatalogRequests compares requests to versions of a catalog with requests
// to compiled definitions, for each order of the versions.
func TestCatalogRequests(t *testing.T) {
	want := compiled()
	for _, version := range []string{"v1", "v1beta1"} {
		for _, other := range []string{"v1", "v1beta1"} {
			t.Run(version+" "+other, func(t *testing.T) {
				v, err := newCatalog(t, parsedDefinition(t)).Version(cronTabKind(version))
				if err != nil {
					t.Fatal(err)
				}
				w := testkit.Must(want.Version(version))
				object := func() *unstructured.Unstructured {
					return cronTabObject(other, map[string]any{"cronSpec": "* * * * *", "unknown": "x"})
				}
				got, gotResult, gotErr := v.Read(t.Context(), object())
				wanted, wantResult, wantErr := w.Read(t.Context(), object())
				if diff := cmp.Diff(fmt.Sprint(wanted, wantResult, wantErr), fmt.Sprint(got, gotResult, gotErr)); diff != "" {
					t.Errorf("Read() (-Compile +Catalog):\n%s", diff)
				}
				got, gotErr = v.Store(t.Context(), object())
				wanted, wantErr = w.Store(t.Context(), object())
				if diff := cmp.Diff(fmt.Sprint(wanted, wantErr), fmt.Sprint(got, gotErr)); diff != "" {
					t.Errorf("Store() (-Compile +Catalog):\n%s", diff)
				}
				retarget := crdkit.Mutate(func(_ context.Context, obj *unstructured.Unstructured) error {
					obj.SetAPIVersion("example.com/" + other)
					return nil
				})
				for _, opts := range [][]crdkit.RequestOption{nil, {retarget}} {
					obj, wantedObj := cronTabObject(version, map[string]any{"cronSpec": "* * * * *"}), cronTabObject(version, map[string]any{"cronSpec": "* * * * *"})
					result, err := v.Create(t.Context(), obj, opts...)
					wantedResult, wantedErr := w.Create(t.Context(), wantedObj, opts...)
					if diff := cmp.Diff(fmt.Sprint(wantedObj, wantedResult.Err(), wantedErr), fmt.Sprint(obj, result.Err(), err)); diff != "" {
						t.Errorf("Create() (-Compile +Catalog):\n%s", diff)
					}
				}
			})
		}
	}
}

// TestCatalogErrors adds definitions that cannot be served.
// TestCatalogLookups looks a version up by its resource and by an object in JSON.
func TestCatalogLookups(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t))
	want, err := c.Version(cronTabKind("v1beta1"))
	if err != nil {
		t.Fatal(err)
	}
	resource := cronTabKind("v1beta1").GroupVersion().WithResource("crontabs")
	if got, err := c.VersionForResource(resource); got != want || err != nil {
		t.Errorf("VersionForResource(%v) = %v, %v", resource, got, err)
	}
	if got, err := c.VersionForJSON([]byte(`{"kind":"CronTab","spec":3,"apiVersion":"example.com/v1beta1"}`)); got != want || err != nil {
		t.Errorf("VersionForJSON = %v, %v", got, err)
	}
	for resource, want := range map[string]string{
		"v1/crontab":  `crdkit: no matches for resource "crontab" in version "example.com/v1": the catalog has no definition of it`,
		"v2/crontabs": `crdkit: no matches for kind "CronTab" in version "example.com/v2": definition crontabs.example.com does not serve it`,
	} {
		version, name, _ := strings.Cut(resource, "/")
		if _, err := c.VersionForResource(cronTabKind(version).GroupVersion().WithResource(name)); err == nil || err.Error() != want {
			t.Errorf("VersionForResource of %s: %v, want %s", resource, err, want)
		}
	}
	for raw, want := range map[string]string{
		`[]`: "crdkit: couldn't get version/kind; json parse error",
		`{"apiVersion":"example.com/v1","kind":"Other"}`: `crdkit: no matches for kind "Other" in version "example.com/v1"`,
	} {
		if _, err := c.VersionForJSON([]byte(raw)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("VersionForJSON(%s): %v, want %s...", raw, err, want)
		}
	}
}

func TestCatalogErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		crd  *apiextensionsv1.CustomResourceDefinition
		opts []crdkit.Option
		want string
	}{
		{"nil", nil, nil, "the definition is nil"},
		{"no name", parsedDefinition(t, "crontabs.example.com", `""`), nil, "the definition has no name"},
		{"no kind", parsedDefinition(t, "kind: CronTab", `kind: ""`), nil, "spec.names.kind: Required value"},
		{"wrong option", parsedDefinition(t), []crdkit.Option{crdkit.KubernetesVersion("2.0")}, `"2.0" is not a version of Kubernetes`},
		{"same kind", parsedDefinition(t, "crontabs", "tabs"), nil, `definition tabs.example.com: the kind "CronTab" is already in use by definition crontabs.example.com`},
		{"kind of lists", parsedDefinition(t, "crontabs", "tabs", "kind: CronTab", "kind: CronTabList"), nil, `definition tabs.example.com: the kind "CronTabList" is already in use by definition crontabs.example.com`},
		{"resource", parsedDefinition(t, "name: crontabs.example.com", "name: tabs.example.com", "kind: CronTab", "kind: Tab"), nil, `definition tabs.example.com: the resource name "crontabs" is already in use by definition crontabs.example.com`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := crdkit.NewCatalog(tt.opts...)
			if len(tt.opts) == 0 {
				c = newCatalog(t, parsedDefinition(t))
			}
			before := names(c)
			if err := c.Add(tt.crd); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Add() = %v, want the error %s", err, tt.want)
			}
			if diff := cmp.Diff(before, names(c)); diff != "" {
				t.Errorf("Add() changes the catalog (-before +after):\n%s", diff)
			}
		})
	}
}

// TestCatalogSchemaErrors checks that a version that does not compile does not
// affect the others, and that requests that need it return its error.
func TestCatalogSchemaErrors(t *testing.T) {
	crd := parsedDefinition(t)
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Name == "v1beta1" {
			crd.Spec.Versions[i].Schema.OpenAPIV3Schema.Type = ""
		}
	}
	_, compileErr := crdkit.Compile(crd)
	c := newCatalog(t, crd)
	good, err := c.Version(cronTabKind("v1"))
	if err != nil {
		t.Fatal(err)
	}
	if result, err := good.Create(t.Context(), cronTabObject("v1", map[string]any{"cronSpec": "* * * * *"})); err != nil || !result.Admitted() {
		t.Errorf("Create() at the good version = %v, %v", result, err)
	}
	var errs []error
	for range 2 {
		v, err := c.Version(cronTabKind("v1beta1"))
		if v != nil {
			t.Error("Version() returns a version that does not compile")
		}
		errs = append(errs, err)
	}
	d, _ := c.Definition("crontabs.example.com")
	bad := testkit.Must(d.Version("v1beta1"))
	if bad.Schema() != nil {
		t.Error("a version that does not compile has a schema")
	}
	obj := func() *unstructured.Unstructured { return cronTabObject("v1beta1", nil) }
	_, err = bad.Create(t.Context(), obj())
	errs = append(errs, err)
	_, _, err = bad.CreateJSON(t.Context(), []byte(`{}`))
	errs = append(errs, err)
	_, _, err = good.Read(t.Context(), obj())
	errs = append(errs, err)
	_, err = good.Create(t.Context(), obj())
	errs = append(errs, err)
	if bad.ValidJSON([]byte(`{"apiVersion": "example.com/v1beta1", "kind": "CronTab", "metadata": {"name": "x"}}`)) {
		t.Error("an object of a version that does not compile is valid")
	}
	for i, err := range errs {
		if err == nil || err.Error() != compileErr.Error() {
			t.Errorf("error %d is %v, want %v", i, err, compileErr)
		}
	}
}

// TestCatalogShares checks that two definitions with equal schemas share one.
func TestCatalogShares(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t), parsedDefinition(t, "example.com", "example.org"))
	one, err := c.Version(cronTabKind("v1"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.Version(runtimeschema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "CronTab"})
	if err != nil {
		t.Fatal(err)
	}
	if one.Schema() != two.Schema() {
		t.Error("two definitions with the same schema do not share it")
	}
}

// TestCatalogConcurrently replaces and removes a definition while requests run.
func TestCatalogConcurrently(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t))
	definitions := []*apiextensionsv1.CustomResourceDefinition{parsedDefinition(t), parsedDefinition(t, "default: 1", "default: 2")}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for i := range 2 {
		writers.Go(func() {
			for range 50 {
				if err := c.Add(definitions[i].DeepCopy()); err != nil {
					t.Error(err)
				}
				if i == 1 {
					c.Remove("crontabs.example.com")
				}
			}
		})
	}
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				v, err := c.Version(cronTabKind("v1"))
				if err != nil {
					continue // it is removed at this moment
				}
				obj := cronTabObject("v1", map[string]any{"cronSpec": "* * * * *"})
				result, err := v.Create(t.Context(), obj)
				if err != nil || !result.Admitted() {
					t.Errorf("Create() = %v, %v", result, err)
				}
				if _, err := v.Store(t.Context(), obj); err != nil {
					t.Error(err)
				}
				if n, _, _ := unstructured.NestedInt64(obj.Object, "spec", "replicas"); n != 1 && n != 2 {
					t.Errorf("the object has %d replicas, want the default of one of the definitions", n)
				}
			}
		})
	}
	readers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				c.Definitions()
			}
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
}

func ExampleNewCatalog() {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		panic(err)
	}
	catalog := crdkit.NewCatalog()
	if err := catalog.Add(crd); err != nil {
		panic(err)
	}
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	v, err := catalog.VersionFor(obj)
	if err != nil {
		panic(err)
	}
	result, err := v.Create(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err(), obj.Object["spec"])
	// Output:
	// <nil> map[cronSpec:0 3 * * * replicas:1]
}

func TestZeroCatalog(t *testing.T) {
	var c crdkit.Catalog
	if n := len(c.Definitions()); n != 0 || c.Remove("crontabs.example.com") {
		t.Errorf("the zero Catalog has %d definitions", n)
	}
	if err := c.Add(parsedDefinition(t)); err != nil || len(c.Definitions()) != 1 {
		t.Errorf("Add() = %v, and there are %d definitions", err, len(c.Definitions()))
	}
}

var raceTime = flag.Duration("race-time", time.Second, "how long TestConcurrentEverything runs")

// concurrent is the number of goroutines of TestConcurrentEverything.
const concurrent = 64

// An operation is work whose outcome depends on k only, unless the context ends.
type operation func(ctx context.Context, k uint64) (string, error)

// TestConcurrentEverything runs all verbs over one Definition, one Catalog whose
// definitions are replaced and removed, one Program and one Handler in 64 goroutines.
// Every third context ends at a random moment. Each operation must return what
// it returns alone, or the error of the context. The test is meant for the race detector.
func TestConcurrentEverything(t *testing.T) {
	s := newSubject(t, 5)
	catalog := newCatalog(t, parsedDefinition(t))
	operations := []operation{verbsOf(t, s), requestsOn(catalog), evaluations(t, s), reviews()}
	const inputs = 48
	want := make([][]string, len(operations))
	for i, do := range operations {
		for k := range uint64(inputs) {
			outcome, err := do(context.Background(), k)
			if err != nil {
				t.Fatalf("operation %d, input %d: %v", i, k, err)
			}
			want[i] = append(want[i], outcome)
		}
	}
	var (
		wg           sync.WaitGroup
		done, failed atomic.Uint64
		end          = time.Now().Add(*raceTime)
	)
	wg.Go(func() { replaceDefinitions(t, catalog, end) })
	for g := range uint64(concurrent) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(g, 3))
			for time.Now().Before(end) && !t.Failed() {
				i, k := rng.IntN(len(operations)), rng.Uint64N(inputs)
				ctx, cancel := context.WithCancel(context.Background())
				if rng.IntN(3) == 0 {
					ctx, cancel = context.WithTimeout(context.Background(), time.Duration(rng.IntN(300))*time.Microsecond)
				}
				outcome, err := operations[i](ctx, k)
				cancel()
				done.Add(1)
				switch {
				case err == nil && outcome != want[i][k]:
					t.Errorf("operation %d, input %d: %s, want %s", i, k, outcome, want[i][k])
				case errors.Is(err, context.DeadlineExceeded):
					failed.Add(1)
				case err != nil:
					t.Errorf("operation %d, input %d: %v", i, k, err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d operations in %v, %d of them ended by their context", done.Load(), *raceTime, failed.Load())
}

// verbsOf makes requests in all verbs and forms on the versions of a definition.
func verbsOf(t *testing.T, s *subject) operation {
	objects := make([]*unstructured.Unstructured, 2)
	for i := range objects {
		for request := uint64(0); objects[i] == nil; request++ {
			objects[i] = s.admitted(t, i, rand.New(rand.NewPCG(request, 2)))
		}
	}
	return func(ctx context.Context, k uint64) (string, error) {
		i := int(k % 2)
		v, old := s.pairs[i].fast, objects[i]
		obj := &unstructured.Unstructured{Object: testkit.Mutate(rand.New(rand.NewPCG(k, 4)), old.Object)}
		raw, oldRaw := testkit.Encode(obj.Object), testkit.Encode(old.Object)
		var (
			res *crdkit.Result
			out []byte
			err error
		)
		switch k / 2 % 8 {
		case 0:
			res, err = v.Create(ctx, obj, crdkit.ReportChanges())
		case 1:
			out, res, err = v.CreateJSON(ctx, raw, crdkit.Strict)
		case 2:
			res, err = v.Update(ctx, obj, old)
		case 3:
			out, res, err = v.UpdateJSON(ctx, raw, oldRaw)
		case 4:
			if v.HasStatus() {
				out, res, err = v.UpdateStatusJSON(ctx, raw, oldRaw)
			}
		case 5:
			obj, err = v.Store(ctx, old)
		case 6:
			obj, _, err = v.Read(ctx, old)
		case 7:
			return fmt.Sprint(v.ValidJSON(raw)), nil
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s %v", out, testkit.Encode(obj.Object), render(res)), nil
	}
}

// requestsOn creates an object of a definition that may be replaced or removed.
func requestsOn(c *crdkit.Catalog) operation {
	return func(ctx context.Context, k uint64) (string, error) {
		c.Definitions()
		v, err := c.Version(cronTabKind("v1"))
		if err != nil {
			return "admitted", nil // it is removed at this moment
		}
		obj := cronTabObject("v1", map[string]any{"cronSpec": strings.Repeat("*", int(k)+1)})
		res, err := v.Create(ctx, obj)
		if err != nil {
			return "", err
		}
		if !res.Admitted() {
			return res.Err().Error(), nil
		}
		return "admitted", nil
	}
}

// replaceDefinitions replaces and removes the definition of a catalog.
func replaceDefinitions(t *testing.T, c *crdkit.Catalog, end time.Time) {
	for i := 0; time.Now().Before(end) && !t.Failed(); i++ {
		if err := c.Add(parsedDefinition(t, "default: UTC", fmt.Sprintf("default: UTC%d", i%3))); err != nil {
			t.Error(err)
		}
		if i%4 == 0 {
			c.Remove("crontabs.example.com")
		}
	}
}

// evaluations evaluates one program, which it compiles at first use.
func evaluations(t *testing.T, s *subject) operation {
	p, errs := cel.Compile(s.pairs[storage].fast.Schema(), celcost.Given{AtFirstUse: true})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return func(ctx context.Context, k uint64) (string, error) {
		obj := s.generate(storage, rand.New(rand.NewPCG(k, 5)))
		res := p.Eval(ctx, obj, cel.Old(obj))
		if err := ctx.Err(); err != nil {
			return "", err // the errors of the evaluation may say so, too
		}
		return fmt.Sprintf("%d %v", res.Cost, res.Errors), nil
	}
}

// reviews sends reviews of conversions to one handler.
func reviews() operation {
	h := conversion.Handler(func(ctx context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		return obj, ctx.Err()
	}, conversion.MaxConcurrent(concurrent))
	return func(ctx context.Context, k uint64) (string, error) {
		review := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u%d","desiredAPIVersion":"example.com/v1",
			"objects":[{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"spec":{"n":%d}}]}}`, k, k)
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/convert", strings.NewReader(review))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, request)
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return answer.Body.String(), nil
	}
}
