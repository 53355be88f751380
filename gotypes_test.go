package crdkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestGoTypes checks that requests return an error for values of Go types that
// no JSON decoder returns. A verdict on such a value could be wrong: the same
// object, sent as JSON, may be admitted.
func TestGoTypes(t *testing.T) {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		t.Fatal(err)
	}
	fast, reference := compileBoth(t, crd)
	ctx := context.Background()
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"int", 3, "spec.replicas is of the Go type int;"},
		{"int32", int32(3), "spec.replicas is of the Go type int32;"},
		{"number", json.Number("3"), "spec.replicas is of the Go type json.Number;"},
		{"pointer", new(int64), "spec.replicas is of the Go type *int64;"},
		{"list of strings", []string{"a"}, "spec.replicas is of the Go type []string;"},
		{"in a list", []any{int64(1), []any{uint8(1)}}, "spec.replicas[1][0] is of the Go type uint8;"},
		{"map of strings", map[string]string{}, "spec.replicas is of the Go type map[string]string;"},
		{"right type", int64(3), ""},
		{"wrong value", "three", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			newObject := func() *unstructured.Unstructured {
				return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": tt.value})
			}
			refused := func() *unstructured.Unstructured {
				return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": "three"})
			}
			for _, def := range []*crdkit.Definition{fast, reference} {
				v := testkit.Must(def.Version("v1"))
				_, err := v.Create(ctx, newObject())
				wantError(t, "Create", err, tt.want)
				_, err = v.Update(ctx, newObject(), refused())
				wantError(t, "Update", err, tt.want)
				_, err = v.Create(ctx, refused(), crdkit.Mutate(func(_ context.Context, obj *unstructured.Unstructured) error {
					obj.Object = newObject().Object
					return nil
				}))
				wantError(t, "Create after Mutate", err, tt.want)
				_, err = v.Update(ctx, refused(), newObject())
				wantError(t, "Update of it", err, strings.Replace(tt.want, " is of", " of the old object is of", 1))
				// Read and Store give no verdict, so they accept the value.
				if _, _, err := v.Read(ctx, newObject()); err != nil {
					t.Errorf("Read: %v", err)
				}
				if _, err := v.Store(ctx, newObject()); err != nil {
					t.Errorf("Store: %v", err)
				}
			}
		})
	}
}

func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want an error with %q", name, err, want)
	}
}

func TestFieldValidationUnknown(t *testing.T) {
	v := testkit.Must(compiled().Version("v1"))
	ctx := context.Background()
	const raw = `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"cronSpec":"0 3 * * *","x":1}}`
	obj := func() *unstructured.Unstructured { return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"}) }
	const want = `field validation is "strict", want "Warn", "Ignore" or "Strict"`
	for _, opts := range [][]crdkit.RequestOption{{crdkit.FieldValidation("strict")}, {crdkit.Strict, crdkit.FieldValidation("strict")}} {
		_, err := v.Create(ctx, obj(), opts...)
		wantError(t, "Create", err, want)
		_, err = v.Update(ctx, obj(), obj(), opts...)
		wantError(t, "Update", err, want)
		encoded := jsonOptions(opts)
		_, _, err = v.CreateJSON(ctx, []byte(raw), encoded...)
		wantError(t, "CreateJSON", err, want)
		_, _, err = v.CreateJSON(ctx, []byte("{"), encoded...)
		wantError(t, "CreateJSON of a malformed body", err, want)
		_, _, err = v.UpdateJSON(ctx, []byte(raw), []byte(raw), encoded...)
		wantError(t, "UpdateJSON", err, want)
	}
	_, res, err := v.CreateJSON(ctx, []byte(raw), crdkit.FieldValidation("strict"), crdkit.FieldValidation(""))
	if err != nil || len(res.Warnings) != 1 {
		t.Errorf("with an empty field validation: %v, %v; want one warning", res, err)
	}
}

// TestNilArguments checks that a nil context never ends and that nil options
// have no effect.
func TestNilArguments(t *testing.T) {
	var never context.Context
	def := compiled()
	v := testkit.Must(def.Version("v1"))
	const raw = `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a","namespace":"default"},"spec":{"cronSpec":"0 3 * * *","replicas":1}}`
	obj := func() *unstructured.Unstructured {
		return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(1)})
	}
	stored := obj()
	for _, none := range []*unstructured.Unstructured{nil, {}} {
		if _, _, err := v.Read(never, none); err == nil {
			t.Error("Read of nothing returns no error")
		}
		if _, err := v.Store(never, none); err == nil {
			t.Error("Store of nothing returns no error")
		}
	}
	admitted := func(name string, res *crdkit.Result, err error) {
		t.Helper()
		if err != nil || !res.Admitted() {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
	res, err := v.Create(never, obj(), nil)
	admitted("Create", res, err)
	res, err = v.Update(never, obj(), stored, nil)
	admitted("Update", res, err)
	_, res, err = v.CreateJSON(never, []byte(raw), nil)
	admitted("CreateJSON", res, err)
	_, res, err = v.CreateJSON(never, []byte(raw), nil, crdkit.YAML())
	admitted("CreateJSON of YAML", res, err)
	_, res, err = v.UpdateJSON(never, []byte(raw), []byte(raw), nil)
	admitted("UpdateJSON", res, err)
	if _, _, err := v.Read(never, stored, nil); err != nil {
		t.Errorf("Read: %v", err)
	}
	if _, err := v.Store(never, stored); err != nil {
		t.Errorf("Store: %v", err)
	}
	if _, err := def.Convert(never, []*unstructured.Unstructured{stored}, "v1beta1"); err != nil {
		t.Errorf("Convert: %v", err)
	}
}

// A typedTab is a CronTab as controllers declare it in Go.
type typedTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              typedSpec   `json:"spec"`
	Status            typedStatus `json:"status,omitempty"`
}

type typedSpec struct {
	CronSpec string                          `json:"cronSpec"`
	Replicas *int32                          `json:"replicas,omitempty"`
	Paused   bool                            `json:"paused,omitempty"`
	Port     *intstr.IntOrString             `json:"port,omitempty"`
	Memory   *resource.Quantity              `json:"memory,omitempty"`
	Limits   map[string]resource.Quantity    `json:"limits,omitempty"`
	Start    *metav1.Time                    `json:"start,omitempty"`
	Stop     metav1.Time                     `json:"stop"`
	Every    *metav1.Duration                `json:"every,omitempty"`
	Raw      *runtime.RawExtension           `json:"raw,omitempty"`
	Embedded runtime.RawExtension            `json:"embedded"`
	Ratio    float64                         `json:"ratio,omitempty"`
	Count    uint64                          `json:"count,omitempty"`
	Data     []byte                          `json:"data,omitempty"`
	Texts    []string                        `json:"words"`
	Ports    map[string][]intstr.IntOrString `json:"ports,omitempty"`
	Any      any                             `json:"any,omitempty"`
}

type typedStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Observed   int64              `json:"observed,omitempty"`
}

func (t *typedTab) DeepCopyObject() runtime.Object {
	out := *t
	return &out
}

var typedTests = []struct {
	name string
	obj  typedTab
	// integral is set if the server decodes an integer where
	// runtime.DefaultUnstructuredConverter returns a float64 with a zero
	// fraction.
	integral bool
}{
	{name: "empty"},
	{name: "type", obj: typedTab{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "CronTab"}}},
	{name: "metadata", obj: typedTab{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"a": "b"}, Generation: 3}}},
	{name: "creationTimestamp", obj: typedTab{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Unix(1700000000, 0)}}},
	{name: "pointers", obj: typedTab{Spec: typedSpec{Replicas: new(int32(0)), Every: &metav1.Duration{Duration: time.Minute}}}},
	{name: "integer or string", obj: typedTab{Spec: typedSpec{Port: new(intstr.FromInt32(80)), Ports: map[string][]intstr.IntOrString{"a": {intstr.FromString("10%"), intstr.FromInt32(1)}}}}},
	{name: "quantity", obj: typedTab{Spec: typedSpec{Memory: new(resource.MustParse("1.50Gi")), Limits: map[string]resource.Quantity{"cpu": resource.MustParse("0.1"), "zero": {}}}}},
	{name: "times", obj: typedTab{Spec: typedSpec{Start: new(metav1.Unix(1700000000, 5)), Stop: metav1.Unix(0, 0)}}},
	{name: "raw text", obj: typedTab{Spec: typedSpec{Raw: &runtime.RawExtension{Raw: []byte(`{"a": [1, 2.5, 1e2, null, "x"], "b": 9223372036854775807}`)}}}},
	{name: "raw object", obj: typedTab{Spec: typedSpec{Raw: &runtime.RawExtension{Object: &typedTab{Spec: typedSpec{CronSpec: "x"}}}}}},
	{name: "status", obj: typedTab{Status: typedStatus{Observed: 7, Conditions: []metav1.Condition{{Type: "Ready", Status: "True"}}}}},
	{name: "bytes and strings", obj: typedTab{Spec: typedSpec{Data: []byte("\x00\xff"), Texts: []string{"<&>", "\u2028", "é"}}}},
	{name: "fractions", obj: typedTab{Spec: typedSpec{Ratio: 0.25}}},
	{name: "integral float", obj: typedTab{Spec: typedSpec{Ratio: 3}}, integral: true},
	{name: "huge float", obj: typedTab{Spec: typedSpec{Ratio: 1e300}}},
	{name: "huge integer", obj: typedTab{Spec: typedSpec{Count: math.MaxUint64}}, integral: true},
}

// TestToUnstructured compares the objects with what a server decodes from the request of a
// client, and with what the converter of apimachinery returns.
func TestToUnstructured(t *testing.T) {
	v := compiledVersion("v1")
	for _, tt := range typedTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := crdkit.ToUnstructured(&tt.obj, v)
			if err != nil {
				t.Fatal(err)
			}
			sent := tt.obj
			sent.TypeMeta = metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "CronTab"}
			if diff := cmp.Diff(throughClient(t, &sent), got.Object); diff != "" {
				t.Errorf("ToUnstructured() (-client +got):\n%s", diff)
			}
			if fromValue, err := crdkit.ToUnstructured(tt.obj, v); err != nil || !cmp.Equal(fromValue, got) {
				t.Errorf("ToUnstructured(value) = %v, %v, want the same as with a pointer", fromValue, err)
			}
			if tt.integral {
				return
			}
			converted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&sent)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(converted, got.Object); diff != "" {
				t.Errorf("ToUnstructured() (-converter +got):\n%s", diff)
			}
		})
	}
}

// throughClient returns what a server decodes when a client sends obj.
func throughClient(t *testing.T, obj runtime.Object) map[string]any {
	t.Helper()
	var text bytes.Buffer
	if err := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, nil, nil, serializer.SerializerOptions{}).Encode(obj, &text); err != nil {
		t.Fatal(err)
	}
	decoded, _, err := unstructured.UnstructuredJSONScheme.Decode(text.Bytes(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return decoded.(*unstructured.Unstructured).Object
}

// TestToUnstructuredByHand converts objects that are made of maps.
func TestToUnstructuredByHand(t *testing.T) {
	v := compiledVersion("v1")
	content := map[string]any{
		"kind": "CronTab",
		"spec": map[string]any{"int": 1, "uint8": uint8(2), "float32": float32(0.5), "float64": 3.0, "list": []string{"a"}, "maps": []map[string]int{{"a": 1}}},
	}
	want := map[string]any{
		"apiVersion": "example.com/v1", "kind": "CronTab",
		"spec": map[string]any{"int": int64(1), "uint8": int64(2), "float32": 0.5, "float64": int64(3), "list": []any{"a"}, "maps": []any{map[string]any{"a": int64(1)}}},
	}
	for _, typed := range []any{content, &content, &unstructured.Unstructured{Object: content}, unstructured.Unstructured{Object: content}} {
		got, err := crdkit.ToUnstructured(typed, v)
		if err != nil {
			t.Errorf("ToUnstructured(%T): %v", typed, err)
			continue
		}
		if diff := cmp.Diff(want, got.Object); diff != "" {
			t.Errorf("ToUnstructured(%T) (-want +got):\n%s", typed, diff)
		}
	}
	if _, ok := content["apiVersion"]; ok {
		t.Error("ToUnstructured changed its argument")
	}
}

func TestToUnstructuredErrors(t *testing.T) {
	v := compiledVersion("v1")
	var none *typedTab
	cycle := map[string]any{}
	cycle["spec"] = cycle
	for _, tt := range []struct {
		name  string
		typed any
		v     *crdkit.Version
		want  string
	}{
		{"no version", &typedTab{}, nil, "the version is nil"},
		{"nil", nil, v, "the object is nil"},
		{"nil pointer", none, v, "the object is nil"},
		{"nil map", map[string]any(nil), v, "the object is nil"},
		{"nil unstructured", (*unstructured.Unstructured)(nil), v, "the object is nil"},
		{"empty unstructured", &unstructured.Unstructured{}, v, "the object is nil"},
		{"another version", &typedTab{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1beta1"}}, v, `apiVersion of the object is "example.com/v1beta1", want "example.com/v1"`},
		{"another kind", &typedTab{TypeMeta: metav1.TypeMeta{Kind: "Pod"}}, v, `kind of the object is "Pod", want "CronTab"`},
		{"kind of another type", map[string]any{"kind": 3}, v, `kind of the object is not a string, want "CronTab"`},
		{"a string", "x", v, "a value of type string is not encoded as a JSON object"},
		{"a list", []int{}, v, "a value of type []int is not encoded as a JSON object"},
		{"no number", map[string]any{"spec": math.NaN()}, v, "encoding a value of type map[string]interface {}: json: unsupported value: NaN"},
		{"a function", map[string]any{"spec": func() {}}, v, "json: unsupported type: func()"},
		{"a cycle", cycle, v, "json: unsupported value: encountered a cycle"},
		{"raw text", &typedTab{Spec: typedSpec{Raw: &runtime.RawExtension{Raw: []byte(`{`)}}}, v, "unexpected end of JSON input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := crdkit.ToUnstructured(tt.typed, tt.v)
			if got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ToUnstructured() = %v, %v, want the error %s", got, err, tt.want)
			}
		})
	}
}

func ExampleToUnstructured() {
	type spec struct {
		CronSpec string `json:"cronSpec"`
		Replicas int32  `json:"replicas"`
	}
	type cronTab struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              spec `json:"spec"`
	}
	typed := &cronTab{Spec: spec{CronSpec: "0 3 * * *", Replicas: 2}}
	typed.Name = "nightly"
	obj, err := crdkit.ToUnstructured(typed, compiledVersion("v1"))
	if err != nil {
		panic(err)
	}
	fmt.Println(obj.GetAPIVersion(), obj.GetKind(), obj.Object["spec"])
	// Output:
	// example.com/v1 CronTab map[cronSpec:0 3 * * * replicas:2]
}
