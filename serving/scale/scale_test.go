package scale_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/serving/scale"
)

// internal/oracle compares results and errors with the server. These tests pin
// them, and cover the cases that the server cannot have.

var scaleTests = []struct {
	name   string
	object string
	read   string // spec, status and selector, or the error
	update string // the object after a write of 5, or the error
	wrong  []string
}{{
	name:   "all fields are present",
	object: `{"spec":{"replicas":3},"status":{"labelSelector":"a=b","replicas":2}}`,
	read:   `[3,2,"a=b"]`,
	update: `{"spec":{"replicas":5},"status":{"labelSelector":"a=b","replicas":2}}`,
}, {
	name:   "no status",
	object: `{"spec":{"replicas":3,"x":1}}`,
	read:   `[3,0,""]`,
	update: `{"spec":{"replicas":5,"x":1}}`,
}, {
	name:   "nothing",
	object: `{}`,
	read:   `Internal error occurred: the spec replicas field ".spec.replicas" does not exist`,
	update: `{"spec":{"replicas":5}}`,
}, {
	name:   "null",
	object: `{"spec":{"replicas":null}}`,
	read:   `.spec.replicas accessor error: <nil> is of the type <nil>, expected int64`,
	update: `.spec.replicas accessor error: <nil> is of the type <nil>, expected int64`,
	wrong:  []string{`.spec.replicas: Invalid value: 0: .spec.replicas accessor error: <nil> is of the type <nil>, expected int64`},
}, {
	name:   "number with a fraction",
	object: `{"spec":{"replicas":1.5}}`,
	read:   `.spec.replicas accessor error: 1.5 is of the type float64, expected int64`,
	update: `.spec.replicas accessor error: 1.5 is of the type float64, expected int64`,
	wrong:  []string{`.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64`},
}, {
	name:   "spec is no object",
	object: `{"spec":"x"}`,
	read:   `.spec.replicas accessor error: x is of the type string, expected map[string]interface{}`,
	update: `.spec.replicas accessor error: x is of the type string, expected map[string]interface{}`,
	wrong:  []string{`.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected map[string]interface{}`},
}, {
	name:   "spec is null",
	object: `{"spec":null}`,
	read:   `Internal error occurred: the spec replicas field ".spec.replicas" does not exist`,
	update: `value cannot be set because .spec is not a map[string]interface{}`,
}, {
	name:   "status of other types",
	object: `{"spec":{"replicas":1},"status":{"labelSelector":7,"replicas":"2"}}`,
	read:   `.status.replicas accessor error: 2 is of the type string, expected int64`,
	update: `.status.replicas accessor error: 2 is of the type string, expected int64`,
	wrong: []string{
		`.status.replicas: Invalid value: 0: .status.replicas accessor error: 2 is of the type string, expected int64`,
		`.status.labelSelector: Invalid value: "": .status.labelSelector accessor error: 7 is of the type int64, expected string`,
	},
}, {
	name:   "out of range",
	object: `{"spec":{"replicas":-1},"status":{"replicas":4294967297}}`,
	read:   `[-1,1,""]`,
	update: `{"spec":{"replicas":5},"status":{"replicas":4294967297}}`,
	wrong: []string{
		`.spec.replicas: Invalid value: -1: should be a non-negative integer`,
		`.status.replicas: Invalid value: 4294967297: should be less than or equal to 2147483647`,
	},
}}

func TestScaler(t *testing.T) {
	s, err := scale.New(declared)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range scaleTests {
		t.Run(tt.name, func(t *testing.T) {
			obj := decode(t, tt.object)
			var wrong []string
			for _, err := range s.Validate(obj.Object) {
				wrong = append(wrong, err.Error())
			}
			if diff := cmp.Diff(tt.wrong, wrong); diff != "" {
				t.Errorf("Validate (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.read, readText(t, s, obj)); diff != "" {
				t.Errorf("Read (-want +got):\n%s", diff)
			}
			err := s.Update(obj, func(current *autoscalingv1.Scale) error {
				current.Spec.Replicas = 5
				return nil
			})
			got := encode(t, obj.Object)
			if err != nil {
				if got != tt.object {
					t.Errorf("Update failed and left %s", got)
				}
				got = err.Error()
			}
			if diff := cmp.Diff(tt.update, got); diff != "" {
				t.Errorf("Update (-want +got):\n%s", diff)
			}
		})
	}
}

func readText(t *testing.T, s *scale.Scaler, obj *unstructured.Unstructured) string {
	t.Helper()
	got, err := s.Read(obj)
	if err != nil {
		return err.Error()
	}
	return encode(t, []any{got.Spec.Replicas, got.Status.Replicas, got.Status.Selector})
}

// A change that leaves the number unset is refused. Update returns the error of
// a change that fails. Neither changes the object.
func TestUpdateRefused(t *testing.T) {
	s, err := scale.New(declared)
	if err != nil {
		t.Fatal(err)
	}
	obj := decode(t, `{"metadata":{"resourceVersion":"7"}}`)
	err = s.Update(obj, func(current *autoscalingv1.Scale) error {
		if current.Spec.Replicas != scale.Unset || current.ResourceVersion != "7" {
			t.Errorf("current = %v", current)
		}
		current.ResourceVersion = "8"
		return nil
	})
	if !apierrors.IsBadRequest(err) || err.Error() != `the spec replicas field ".spec.replicas" cannot be empty` {
		t.Errorf("Update without a number = %v", err)
	}
	want := errors.New("no")
	if err := s.Update(obj, func(*autoscalingv1.Scale) error { return want }); !errors.Is(err, want) {
		t.Errorf("Update = %v, want %v", err, want)
	}
	if diff := cmp.Diff(`{"metadata":{"resourceVersion":"7"}}`, encode(t, obj.Object)); diff != "" {
		t.Errorf("the object (-want +got):\n%s", diff)
	}
}

// The server would move spec.replicas from its manager to the manager of the
// request. Update does not change managers (scale/managed_fields in
// docs/DIFFERENCES.md).
func TestDifferenceManagedFields(t *testing.T) {
	s, err := scale.New(declared)
	if err != nil {
		t.Fatal(err)
	}
	managers := `[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"a","operation":"Update"}]`
	obj := decode(t, `{"metadata":{"managedFields":`+managers+`},"spec":{"replicas":1}}`)
	err = s.Update(obj, func(current *autoscalingv1.Scale) error {
		if current.ManagedFields != nil {
			t.Errorf("the Scale has managed fields: %v", current.ManagedFields)
		}
		current.Spec.Replicas = 2
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"metadata":{"managedFields":`+managers+`},"spec":{"replicas":2}}`, encode(t, obj.Object)); diff != "" {
		t.Errorf("Update (-want +got):\n%s", diff)
	}
}

func TestBadInput(t *testing.T) {
	for _, d := range []*apiextensionsv1.CustomResourceSubresourceScale{nil, {}, {SpecReplicasPath: ".spec.x"}, {StatusReplicasPath: ".status.x"}} {
		if s, err := scale.New(d); err == nil || s != nil {
			t.Errorf("New(%v) = %v, %v", d, s, err)
		}
	}
	s, err := scale.New(declared)
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range []*unstructured.Unstructured{nil, {}} {
		if _, err := s.Read(obj); err == nil {
			t.Errorf("Read(%v) = nil error", obj)
		}
		if err := s.Update(obj, func(*autoscalingv1.Scale) error { return nil }); err == nil {
			t.Errorf("Update(%v) = nil error", obj)
		}
	}
	if errs := s.Validate(nil); errs != nil {
		t.Errorf("Validate(nil) = %v", errs)
	}
}

func TestValidateAllocatesNothing(t *testing.T) {
	s, err := scale.New(declared)
	if err != nil {
		t.Fatal(err)
	}
	obj := decode(t, scaleTests[0].object)
	if got := testing.AllocsPerRun(100, func() { s.Validate(obj.Object) }); got > 0 {
		t.Errorf("Validate allocates %v times", got)
	}
}

func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var obj map[string]any
	if err := utiljson.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: obj}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestMetadata checks the metadata that a Scale takes from its object, and the
// metadata that an update takes from the Scale.
func TestMetadata(t *testing.T) {
	empty := ""
	paths := *declared
	paths.LabelSelectorPath = &empty // counts as absent
	s, err := scale.New(&paths)
	if err != nil {
		t.Fatal(err)
	}
	obj := decode(t, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z","name":"a","namespace":"b","resourceVersion":"7","uid":"u"},"spec":{"replicas":1},"status":{"labelSelector":"a=b"}}`)
	got, err := s.Read(obj)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"7","creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"replicas":1},"status":{"replicas":0}}`
	if diff := cmp.Diff(want, encode(t, got)); diff != "" {
		t.Errorf("Read (-want +got):\n%s", diff)
	}
	for version, want := range map[string]string{"": "7", "8": "8"} {
		obj := obj.DeepCopy()
		err := s.Update(obj, func(current *autoscalingv1.Scale) error {
			current.ResourceVersion, current.Name = version, "other"
			return nil
		})
		if err != nil || obj.GetResourceVersion() != want || obj.GetName() != "a" {
			t.Errorf("Update with resourceVersion %q: %v, %v", version, err, obj)
		}
	}
}

func TestNewWithoutSelector(t *testing.T) {
	empty := ""
	for name, path := range map[string]*string{"absent": nil, "empty": &empty} {
		s, err := scale.New(&apiextensionsv1.CustomResourceSubresourceScale{
			SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: path,
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := s.Read(&unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(1)}}})
		if err != nil || got.Status.Selector != "" {
			t.Errorf("%s: %v, %v, want a scale without a selector", name, got, err)
		}
	}
}
