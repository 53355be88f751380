package apply_test

import (
	"context"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/apply"
)

// TestGoTypes tests that a request names a value of a Go type that JSON is not decoded to,
// and an object that contains itself. The library of the server panics at both.
func TestGoTypes(t *testing.T) {
	a, ctx := appliers()["v1"], context.Background()
	mistyped, good, endless := widget("spec: {}"), widget("spec: {}"), widget("spec: {}")
	mistyped.Object["spec"] = map[string]any{"replicas": 1}
	endless.Object["spec"] = endless.Object
	list := func(u *unstructured.Unstructured) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{u}
	}
	for object, want := range map[*unstructured.Unstructured]string{mistyped: "apply: spec.replicas is of the Go type int", endless: "apply: the object: "} {
		for name, err := range map[string]error{
			"config":       second(a.Apply(ctx, apply.Request{Config: object, Manager: "m"})),
			"live":         second(a.Apply(ctx, apply.Request{Live: object, Config: good, Manager: "m", Force: true})),
			"explain":      explainError(ctx, object),
			"preview":      previewError(ctx, list(object), list(good)),
			"create":       second(a.Create(ctx, object, "m")),
			"update":       second(a.Update(ctx, object, apply.Request{Live: good, Manager: "m"})),
			"patch":        second(a.Patch(ctx, apply.Request{Live: object, PatchType: types.MergePatchType, Body: []byte(`{}`), Manager: "m"})),
			"update scale": second(a.UpdateScale(ctx, object, func(*autoscalingv1.Scale) error { return nil }, "m")),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
}

func explainError(ctx context.Context, config *unstructured.Unstructured) error {
	_, err := appliers()["v1"].Explain(ctx, apply.Request{Config: config, Manager: "m"})
	return err
}

func previewError(ctx context.Context, live, configs []*unstructured.Unstructured) error {
	_, err := appliers()["v1"].Preview(ctx, live, configs, "m", false)
	return err
}
