package controllertest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crdkit/crdkit/controllertest"
)

// warnings collects the warnings of responses.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

func TestCreateAdmitsAsTheServer(t *testing.T) {
	var got warnings
	c := newEnvironment(t, controllertest.WarningHandler(&got)).Client()
	obj := crontab("a")
	obj.Spec.Unknown = "pruned"
	obj.Status.Replicas = 7
	obj.Generation = 9
	if err := c.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	want := CronTabSpec{Schedule: "* * * * *", Replicas: 1}
	if diff := cmp.Diff(want, obj.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if obj.Status.Replicas != 0 || obj.Generation != 1 || obj.UID == "" || obj.ResourceVersion == "" || obj.CreationTimestamp.IsZero() {
		t.Errorf("created object: %+v", obj)
	}
	if diff := cmp.Diff(warnings{`unknown field "spec.unknown"`}, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestRefusals compares the texts and reasons of refused requests. Each request is made
// of a stored object "a" with finalizer "example.com/f", color red and status replicas 1.
func TestRefusals(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		name   string
		do     func(c client.Client, a *CronTab) error
		reason metav1.StatusReason
		text   string
	}{
		{"an invalid value", func(c client.Client, _ *CronTab) error {
			b := crontab("b")
			b.Spec.Replicas = 11
			return c.Create(ctx, b)
		}, metav1.StatusReasonInvalid, `CronTab.example.com "b" is invalid: spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10`},
		{"an unknown field, strictly", func(c client.Client, _ *CronTab) error {
			b := crontab("b")
			b.Spec.Unknown = "x"
			return c.Create(ctx, b, client.FieldValidation("Strict"))
		}, metav1.StatusReasonBadRequest, `CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.unknown"`},
		{"the same name", func(c client.Client, _ *CronTab) error { return c.Create(ctx, crontab("a")) },
			metav1.StatusReasonAlreadyExists, `crontabs.example.com "a" already exists`},
		{"an absent object", func(c client.Client, _ *CronTab) error {
			return c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "b"}, &CronTab{})
		}, metav1.StatusReasonNotFound, `crontabs.example.com "b" not found`},
		{"a transition rule", func(c client.Client, a *CronTab) error {
			a.Spec.Color = "blue"
			return c.Update(ctx, a)
		}, metav1.StatusReasonInvalid, `CronTab.example.com "a" is invalid: spec: Invalid value: color is immutable`},
		{"an old resource version", func(c client.Client, a *CronTab) error {
			a.ResourceVersion = "1"
			return c.Update(ctx, a)
		}, metav1.StatusReasonConflict, `Operation cannot be fulfilled on crontabs.example.com "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"no resource version", func(c client.Client, a *CronTab) error {
			a.ResourceVersion = ""
			return c.Update(ctx, a)
		}, metav1.StatusReasonInvalid, `crontabs.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"another UID", func(c client.Client, a *CronTab) error {
			a.UID = "other"
			return c.Update(ctx, a)
		}, metav1.StatusReasonConflict, `Precondition failed: UID in precondition: other`},
		{"an invalid status", func(c client.Client, a *CronTab) error {
			a.Status.Replicas = -1
			return c.Status().Update(ctx, a)
		}, metav1.StatusReasonInvalid, `.status.replicas: Invalid value: -1: should be a non-negative integer, status.replicas: Invalid value: -1: replicas in body should be greater than or equal to 0`},
		{"a patch with an old resource version", func(c client.Client, a *CronTab) error {
			return c.Patch(ctx, a, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"1"},"spec":{"replicas":2}}`)))
		}, metav1.StatusReasonConflict, `the object has been modified`},
		{"a JSON patch that does not fit", func(c client.Client, a *CronTab) error {
			return c.Patch(ctx, a, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"test","path":"/spec/replicas","value":5}]`)))
		}, metav1.StatusReasonInvalid, `the server rejected our request due to an error in our request`},
		{"a strategic merge patch", func(c client.Client, a *CronTab) error {
			return c.Patch(ctx, a, client.RawPatch(types.StrategicMergePatchType, []byte(`{}`)))
		}, metav1.StatusReasonUnsupportedMediaType, `application/merge-patch+json`},
		{"a deletion of another object", func(c client.Client, a *CronTab) error {
			return c.Delete(ctx, a, client.Preconditions{UID: new(types.UID)})
		}, metav1.StatusReasonConflict, `the UID in the precondition () does not match the UID in record`},
		{"an unknown field selector", func(c client.Client, _ *CronTab) error {
			return c.List(ctx, &CronTabList{}, client.MatchingFields{"spec.schedule": "x"})
		}, metav1.StatusReasonBadRequest, `field label not supported: spec.schedule`},
		{"a subresource that the version lacks", func(c client.Client, _ *CronTab) error {
			beta := &unstructured.Unstructured{}
			beta.SetAPIVersion("example.com/v1beta1")
			beta.SetKind("CronTab")
			beta.SetNamespace("default")
			beta.SetName("a")
			return c.SubResource("scale").Get(ctx, beta, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale"}})
		}, metav1.StatusReasonNotFound, `the server could not find the requested resource`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stored := crontab("a")
			stored.Finalizers = []string{"example.com/f"}
			stored.Spec.Color = "red"
			stored.Status.Replicas = 1
			c := newEnvironment(t, controllertest.Objects(stored)).Client()
			a := &CronTab{}
			if err := c.Get(ctx, client.ObjectKeyFromObject(stored), a); err != nil {
				t.Fatal(err)
			}
			before := a.DeepCopyObject()
			err := tt.do(c, a)
			if err == nil || apierrors.ReasonForError(err) != tt.reason || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %q of reason %q, want %q of reason %q", err, apierrors.ReasonForError(err), tt.text, tt.reason)
			}
			after := &CronTab{}
			if err := c.Get(ctx, client.ObjectKeyFromObject(stored), after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, after.DeepCopyObject()); diff != "" {
				t.Errorf("a refused request changed the object:\n%s", diff)
			}
		})
	}
}

func TestUpdateSeparatesStatus(t *testing.T) {
	ctx := t.Context()
	c := newEnvironment(t, controllertest.Objects(crontab("a"))).Client()
	obj := &CronTab{}
	key := client.ObjectKey{Namespace: "default", Name: "a"}
	step := func(what string, do func() error, replicas, status, generation int64) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := c.Get(ctx, key, obj); err != nil {
			t.Fatal(err)
		}
		if obj.Spec.Replicas != replicas || obj.Status.Replicas != status || obj.Generation != generation {
			t.Fatalf("%s: replicas %d, status %d, generation %d, want %d, %d, %d", what,
				obj.Spec.Replicas, obj.Status.Replicas, obj.Generation, replicas, status, generation)
		}
	}
	step("start", func() error { return nil }, 1, 0, 1)
	step("update", func() error {
		obj.Spec.Replicas, obj.Status.Replicas = 2, 5
		return c.Update(ctx, obj)
	}, 2, 0, 2)
	step("status update", func() error {
		obj.Spec.Replicas, obj.Status.Replicas = 3, 5
		return c.Status().Update(ctx, obj)
	}, 2, 5, 2)
	step("merge patch", func() error {
		from := obj.DeepCopyObject().(*CronTab)
		obj.Spec.Replicas, obj.Status.Replicas = 4, 6
		return c.Patch(ctx, obj, client.MergeFrom(from))
	}, 4, 5, 3)
	step("status patch", func() error {
		return c.Status().Patch(ctx, obj, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/status/replicas","value":7}]`)))
	}, 4, 7, 3)
	version := obj.ResourceVersion
	step("an update without a change", func() error { return c.Update(ctx, obj) }, 4, 7, 3)
	if obj.ResourceVersion != version {
		t.Errorf("resource version %s, want %s", obj.ResourceVersion, version)
	}
	step("dry run", func() error {
		obj.Spec.Replicas = 8
		return c.Update(ctx, obj, client.DryRunAll)
	}, 4, 7, 3)
}

func TestDeleteWaitsForFinalizers(t *testing.T) {
	ctx := t.Context()
	held := crontab("held")
	held.Finalizers = []string{"example.com/f"}
	c := newEnvironment(t, controllertest.Objects(held, crontab("free"))).Client()
	if err := c.DeleteAllOf(ctx, &CronTab{}, client.InNamespace("default")); err != nil {
		t.Fatal(err)
	}
	list := &CronTabList{}
	if err := c.List(ctx, list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].DeletionTimestamp == nil || list.Items[0].Generation != 2 {
		t.Fatalf("after the deletion: %+v", list.Items)
	}
	obj := &list.Items[0]
	obj.Finalizers = append(obj.Finalizers, "example.com/late")
	if err := c.Update(ctx, obj); !apierrors.IsInvalid(err) {
		t.Errorf("a new finalizer while the object is deleted: %v", err)
	}
	obj.Finalizers = nil
	if err := c.Update(ctx, obj); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj); !apierrors.IsNotFound(err) {
		t.Errorf("without finalizers: %v", err)
	}
}

func TestListSelects(t *testing.T) {
	ctx := t.Context()
	red, blue := crontab("red"), crontab("blue")
	red.Spec.Color, blue.Spec.Color = "red", "blue"
	blue.Labels = map[string]string{"app": "x"}
	blue.Namespace = "other"
	schedule := func(obj client.Object) []string { return []string{obj.(*CronTab).Spec.Schedule + "!"} }
	c := newEnvironment(t, controllertest.Objects(red, blue), controllertest.Index(&CronTab{}, "spec.schedule", schedule)).Client()
	for _, tt := range []struct {
		name string
		opts []client.ListOption
		want []string
	}{
		{"all", nil, []string{"red", "blue"}},
		{"a namespace", []client.ListOption{client.InNamespace("other")}, []string{"blue"}},
		{"a label", []client.ListOption{client.MatchingLabels{"app": "x"}}, []string{"blue"}},
		{"a selectable field", []client.ListOption{client.MatchingFields{"spec.color": "red"}}, []string{"red"}},
		{"a name", []client.ListOption{client.MatchingFields{"metadata.name": "blue"}}, []string{"blue"}},
		{"an index", []client.ListOption{client.MatchingFields{"spec.schedule": "* * * * *!"}}, []string{"red", "blue"}},
		{"an index without objects", []client.ListOption{client.MatchingFields{"spec.schedule": "* * * * *"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := &CronTabList{}
			if err := c.List(ctx, list, tt.opts...); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, item := range list.Items {
				got = append(got, item.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}
