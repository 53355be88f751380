package crdkit_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/validation"
)

func TestCompileErrors(t *testing.T) {
	for _, tt := range []struct {
		name, old, new, want string
	}{
		{"not structural", "cronSpec: {type: string}\n              replicas", "cronSpec: {}\n              replicas",
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[cronSpec].type: Required value: must not be empty for specified object fields"},
		{"rule", "self.replicas >=", "self.replica >=", "undefined field 'replica'"},
		{"no storage version", "storage: true", "storage: false", "must have exactly one version marked as storage version"},
		{"two storage versions", "storage: false", "storage: true", "must have exactly one version marked as storage version"},
		{"two versions of one name", "name: v1beta1", "name: v1", "must contain unique version names"},
		{"no kind", ", kind: CronTab", "", "spec.names.kind: Required value"},
		{"no scope", "scope: Namespaced", "scope: ''", "spec.scope: Required value"},
		{"unknown scope", "scope: Namespaced", "scope: cluster", `spec.scope: Unsupported value: "cluster": supported values: "Cluster", "Namespaced"`},
		{"no group", "group: example.com", "group: ''", "spec.group: Required value"},
		{"strategy", "scope:", "conversion: {strategy: Magic}\n  scope:", `unknown conversion strategy "Magic"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(cronTab, tt.old, tt.new, 1)
			if text == cronTab {
				t.Fatal("nothing was replaced")
			}
			crd, err := definition.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			def, err := crdkit.Compile(crd)
			if def != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Compile = %v, %v; want an error with %q", def, err, tt.want)
			}
		})
	}
	if _, err := crdkit.Compile(nil); err == nil {
		t.Error("Compile(nil) succeeds")
	}
}

func TestCompileLeavesDefinitionAlone(t *testing.T) {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		t.Fatal(err)
	}
	before := crd.DeepCopy()
	if _, err := crdkit.Compile(crd); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, crd); diff != "" {
		t.Errorf("Compile changed the definition (-before +after):\n%s", diff)
	}
}

// TestNonStructuralDefinitions checks that Compile returns an error for
// definitions whose objects no server can serve. Compile accepts definitions
// that a server would refuse to create but could serve.
func TestNonStructuralDefinitions(t *testing.T) {
	paths, err := filepath.Glob("testdata/nonstructural/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		crd, err := definition.Parse(data)
		if err == nil {
			_, err = crdkit.Compile(crd)
		}
		servable := map[string]bool{"defaults.yaml": true, "lists.yaml": true}[filepath.Base(path)]
		if (err == nil) != servable {
			t.Errorf("%s: Compile: %v", path, err)
		}
	}
}

// TestTestdata checks that each object in testdata is admitted or refused as
// the name of its directory says, and that the fast and the reference
// implementation agree.
func TestTestdata(t *testing.T) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for _, d := range corpus.Definitions {
		if strings.Contains(d.Path, "nonstructural") {
			continue
		}
		fast, reference := compileBoth(t, d.CRD)
		for _, s := range d.Samples {
			v, ok := fast.Version(s.Version())
			if !ok || !v.Served() {
				continue
			}
			objects++
			got := create(t, v, s.Object)
			if want := create(t, testkit.Must(reference.Version(s.Version())), s.Object); got != want {
				t.Errorf("%s: reference (-) and fast (+):\n%s", s.Path, cmp.Diff(want, got))
			}
			switch {
			case strings.Contains(s.Path, "/invalid/") && !strings.HasPrefix(got, "refused"):
				t.Errorf("%s: admitted", s.Path)
			case strings.Contains(s.Path, "/valid/") && strings.HasPrefix(got, "refused"):
				t.Errorf("%s: %s", s.Path, got)
			}
		}
	}
	if objects < 20 {
		t.Errorf("only %d objects", objects)
	}
}

func compileBoth(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) (fast, reference *crdkit.Definition) {
	t.Helper()
	fast, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatalf("%s: %v", crd.Name, err)
	}
	if reference, err = crdkit.Compile(crd, crdkit.Reference()); err != nil {
		t.Fatalf("%s: %v", crd.Name, err)
	}
	return fast, reference
}

// create returns the complete result of creating a copy of obj, as text.
func create(t testing.TB, v *crdkit.Version, obj map[string]any) string {
	t.Helper()
	u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
	res, err := v.Create(context.Background(), u, crdkit.ReportChanges(), crdkit.Strict)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		t.Fatal(err)
	}
	verdict := "admitted"
	if !res.Admitted() {
		verdict = "refused"
	}
	return fmt.Sprintf("%s\n%s\n%v", verdict, text, render(res))
}

func TestConcurrentRequests(t *testing.T) {
	v := testkit.Must(compiled().Version("v1"))
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "colour": "red", "replicas": int64(3)}).Object
	want := create(t, v, obj)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := create(t, v, obj); got != want {
					t.Errorf("a concurrent request differs (-want +got):\n%s", cmp.Diff(want, got))
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestNoVerdict(t *testing.T) {
	v := testkit.Must(compiled().Version("v1"))
	ctx := context.Background()
	obj := func() *unstructured.Unstructured {
		return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := v.Create(cancelled, obj()); !errors.Is(err, context.Canceled) {
		t.Errorf("Create after cancel: %v", err)
	}
	if _, err := v.Create(ctx, nil); err == nil {
		t.Error("Create of nil succeeds")
	}
	if _, err := v.Create(ctx, &unstructured.Unstructured{}); err == nil {
		t.Error("Create of an empty object succeeds")
	}
	if _, err := v.Update(ctx, obj(), nil); err == nil {
		t.Error("Update of nil succeeds")
	}
	broken := errors.New("broken")
	_, err := v.Create(ctx, obj(), crdkit.Mutate(func(context.Context, *unstructured.Unstructured) error { return broken }))
	if !errors.Is(err, broken) {
		t.Errorf("Create with a mutation that fails: %v", err)
	}
	if _, err := testkit.Must(compiled().Version("v1beta1")).UpdateStatus(ctx, obj(), obj()); err == nil {
		t.Error("UpdateStatus without a status subresource succeeds")
	}
	if _, _, err := v.Read(ctx, cronTabObject("v9", nil)); err == nil {
		t.Error("Read of an unknown version succeeds")
	}
	otherKind := cronTabObject("v1", nil)
	otherKind.SetKind("Other")
	for _, other := range []*unstructured.Unstructured{{Object: map[string]any{}}, otherKind, cronTabObject("v1beta1", nil), cronTabObject("v9", nil)} {
		if _, err := v.Store(ctx, other); err == nil || !strings.Contains(err.Error(), "want a example.com/v1, Kind=CronTab") {
			t.Errorf("Store of %v: %v", other.Object, err)
		}
	}
	if _, _, err := v.UpdateJSON(ctx, []byte("{}"), []byte("[")); err != nil {
		t.Errorf("UpdateJSON looks at the old object of a body that is refused: %v", err)
	}
}

func TestWebhookConversion(t *testing.T) {
	server := httptest.NewTLSServer(conversion.Handler(func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		if to == "v1" {
			return nil, errors.New("there is no way back")
		}
		return obj, unstructured.SetNestedField(obj.Object, "converted to "+to, "spec", "cronSpec")
	}))
	defer server.Close()
	webhook := func(url string, bundle []byte) *apiextensionsv1.CustomResourceDefinition {
		crd, err := definition.Parse([]byte(strings.Replace(cronTab, "scope:", `conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "`+url+`"}}
  scope:`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		crd.Spec.Conversion.Webhook.ClientConfig.CABundle = bundle
		return crd
	}
	crd := webhook(server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	def, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	stored := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	before := stored.DeepCopy()
	obj, _, err := testkit.Must(def.Version("v1beta1")).Read(ctx, stored)
	if err != nil {
		t.Fatal(err)
	}
	spec, _, _ := unstructured.NestedString(obj.Object, "spec", "cronSpec")
	if obj.GetAPIVersion() != "example.com/v1beta1" || spec != "converted to v1beta1" {
		t.Errorf("Read at v1beta1 = %v", obj)
	}
	if diff := cmp.Diff(before, stored); diff != "" {
		t.Errorf("Read changed what is stored (-want +got):\n%s", diff)
	}
	want := "conversion webhook for example.com/v1beta1, Kind=CronTab failed: objects[0] CronTab "
	if _, _, err := testkit.Must(def.Version("v1")).Read(ctx, obj); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ": there is no way back") {
		t.Errorf("Read of what cannot be converted: %v, want %s...", err, want)
	}
	if def, err = crdkit.Compile(crd, crdkit.WithConverter(conversion.None(crd))); err != nil {
		t.Fatal(err)
	}
	if obj, _, err = testkit.Must(def.Version("v1beta1")).Read(ctx, stored); err != nil || obj.GetAPIVersion() != "example.com/v1beta1" {
		t.Errorf("Read with a converter: %v, %v", obj, err)
	}
}

func TestReadAndStoreJSONErrors(t *testing.T) {
	v, ctx := testkit.Must(compiled().Version("v1")), context.Background()
	for raw, want := range map[string]string{
		`{`:  "object: unexpected end of JSON input",
		`{}`: "Object 'Kind' is missing in '{}'",
		`{"apiVersion":"example.com/v1","kind":"Other"}`: "want a ",
	} {
		if _, _, err := v.ReadJSON(ctx, []byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadJSON(%s): %v, want %s", raw, err, want)
		}
		if _, err := v.StoreJSON(ctx, []byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("StoreJSON(%s): %v, want %s", raw, err, want)
		}
	}
}

func TestNoWebhookToCall(t *testing.T) {
	crd, err := definition.Parse([]byte(strings.Replace(cronTab, "scope:", `conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "http://example.com"}}
  scope:`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	stored := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	if _, _, err := testkit.Must(def.Version("v1")).Read(ctx, stored); err != nil {
		t.Errorf("Read without conversion: %v", err)
	}
	if _, _, err := testkit.Must(def.Version("v1beta1")).Read(ctx, stored); !errors.Is(err, conversion.ErrNoWebhook) {
		t.Errorf("Read with conversion: %v, want ErrNoWebhook", err)
	}
}

func TestTooLarge(t *testing.T) {
	raw := make([]byte, crdkit.MaxRequestBytes+1)
	_, res, err := testkit.Must(compiled().Version("v1")).CreateJSON(context.Background(), raw)
	if err != nil || res.Refusal == nil || res.Refusal.Code != 413 || res.Err().Error() != "Request entity too large: limit is 3145728" {
		t.Errorf("CreateJSON = %+v, %v", res, err)
	}
}

// FuzzCreate compares the fast with the reference implementation. It also
// checks that an admitted object is admitted again and does not change.
func FuzzCreate(f *testing.F) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		f.Fatal(err)
	}
	type pair struct{ fast, reference *crdkit.Version }
	var versions []pair
	for _, d := range corpus.Definitions {
		if strings.Contains(d.Path, "nonstructural") {
			continue
		}
		fast, reference := compileBoth(f, d.CRD)
		for _, v := range fast.Versions() {
			versions = append(versions, pair{v, testkit.Must(reference.Version(v.Name()))})
			for _, s := range d.Samples {
				if s.Version() == v.Name() {
					f.Add(uint8(len(versions)-1), testkit.Encode(s.Object))
				}
			}
		}
	}
	fuzz.Run(f, func(t *testing.T, i uint8, raw []byte) {
		v := versions[int(i)%len(versions)]
		ctx := context.Background()
		out, res, err := v.fast.CreateJSON(ctx, raw, crdkit.ReportChanges())
		if err != nil {
			t.Fatal(err)
		}
		referenceOut, referenceRes, err := v.reference.CreateJSON(ctx, raw, crdkit.ReportChanges())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(referenceOut), string(out)); diff != "" {
			t.Errorf("object (-reference +fast):\n%s", diff)
		}
		if diff := cmp.Diff(render(referenceRes), render(res)); diff != "" {
			t.Errorf("result (-reference +fast):\n%s", diff)
		}
		if out == nil {
			return
		}
		again, res, err := v.fast.CreateJSON(ctx, out)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(out) {
			t.Errorf("what was admitted is not admitted as it is: %v\n%s\n%s", render(res), out, again)
		}
	})
}

func BenchmarkCreate(b *testing.B) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range corpus.Definitions {
		if strings.Contains(d.Path, "nonstructural") || len(d.Samples) == 0 {
			continue
		}
		def, err := crdkit.Compile(d.CRD)
		if err != nil {
			b.Fatal(err)
		}
		s := d.Samples[0]
		v, ok := def.Version(s.Version())
		if !ok {
			continue
		}
		raw := testkit.Encode(s.Object)
		b.Run("crd="+d.CRD.Spec.Names.Singular+"/step=bytes", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, _, err := v.CreateJSON(context.Background(), raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestConflict checks the reason and the details of a conflict, which clients
// read.
func TestConflict(t *testing.T) {
	v := testkit.Must(compiled().Version("v1"))
	obj, old := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(1)}), cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(1)})
	obj.SetResourceVersion("4")
	old.SetResourceVersion("5")
	res, err := v.Update(context.Background(), obj, old)
	if err != nil {
		t.Fatal(err)
	}
	var status *apierrors.StatusError
	if !errors.As(res.Err(), &status) || !apierrors.IsConflict(status) {
		t.Fatalf("Err = %v, want a conflict", res.Err())
	}
	want := &metav1.StatusDetails{Name: "nightly", Group: "example.com", Kind: "crontabs"}
	if diff := cmp.Diff(want, status.Status().Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

// A stubbornConverter returns every object as it is.
type stubbornConverter struct{}

func (stubbornConverter) Convert(_ context.Context, objs []*unstructured.Unstructured, _ string) ([]*unstructured.Unstructured, error) {
	return objs, nil
}

func TestConverterOfAnotherVersion(t *testing.T) {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		t.Fatal(err)
	}
	c := crdkit.NewCatalog(crdkit.WithConverter(stubbornConverter{}))
	if err := c.Add(crd); err != nil {
		t.Fatal(err)
	}
	v, err := c.Version(runtimeschema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "CronTab"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "the converter returned a example.com/v1beta1, Kind=CronTab, want a example.com/v1, Kind=CronTab"
	if _, _, err := v.Read(context.Background(), cronTabObject("v1beta1", nil)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Read = %v, want the error %s", err, want)
	}
}

// TestErrOfResultsThatNameNoObject checks results that no request has made.
func TestErrOfResultsThatNameNoObject(t *testing.T) {
	failed := validation.NewError(field.Required(field.NewPath("spec"), ""), validation.StepSchema, "/spec", "")
	for _, tt := range []struct {
		res  crdkit.Result
		want string
	}{
		{crdkit.Result{}, "<nil>"},
		{crdkit.Result{Refusal: &crdkit.Refusal{Code: 400, Message: "no"}}, "no"},
		{crdkit.Result{Errors: validation.ErrorList{failed}}, ` "" is invalid: spec: Required value`},
	} {
		if got := fmt.Sprint(tt.res.Err()); got != tt.want {
			t.Errorf("Err() = %q, want %q", got, tt.want)
		}
	}
}

// TestRefusalOfNil checks errors that are nil, or hold a nil pointer.
func TestRefusalOfNil(t *testing.T) {
	if r := crdkit.RefusalOf(nil); r != nil {
		t.Errorf("got %v for no error", r)
	}
	if r := crdkit.RefusalOf((*apierrors.StatusError)(nil)); r == nil || r.Code != http.StatusInternalServerError {
		t.Errorf("got %v for a nil pointer, want a refusal with 500", r)
	}
}
