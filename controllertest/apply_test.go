package controllertest_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// configuration returns an apply configuration of the CronTab "a".
func configuration(members map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: members}
	u.SetAPIVersion("example.com/v1")
	u.SetKind("CronTab")
	u.SetNamespace("default")
	u.SetName("a")
	return u
}

func TestApply(t *testing.T) {
	ctx := t.Context()
	c := newEnvironment(t).Client()
	apply := func(owner string, members map[string]any, opts ...client.ApplyOption) error {
		opts = append(opts, client.FieldOwner(owner))
		return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(configuration(members)), opts...)
	}
	spec := func(schedule string, replicas int64) map[string]any {
		return map[string]any{"spec": map[string]any{"schedule": schedule, "replicas": replicas}}
	}
	if err := apply("one", spec("* * * * *", 2)); err != nil {
		t.Fatal(err)
	}
	err := apply("two", spec("* * * * *", 3))
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "one": .spec.replicas`) {
		t.Errorf("conflict: %v", err)
	}
	if err := apply("two", spec("* * * * *", 3), client.ForceOwnership); err != nil {
		t.Error(err)
	}
	if err := apply("", spec("* * * * *", 3)); !apierrors.IsInvalid(err) {
		t.Errorf("without an owner: %v", err)
	}
	if err := apply("two", spec("* * * * *", 11)); !apierrors.IsInvalid(err) {
		t.Errorf("an invalid configuration: %v", err)
	}
	status := configuration(map[string]any{"status": map[string]any{"replicas": int64(4)}})
	if err := c.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), client.FieldOwner("three")); err != nil {
		t.Error(err)
	}
	got := &CronTab{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "a"}, got); err != nil {
		t.Fatal(err)
	}
	if got.Spec.Replicas != 3 || got.Status.Replicas != 4 || len(got.ManagedFields) != 3 {
		t.Errorf("%+v", got)
	}
}
