package apply_test

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/apply"
)

// clientSide returns an object that client-side apply has created.
func clientSide(t *testing.T, spec string) *unstructured.Unstructured {
	t.Helper()
	obj := widget(spec)
	obj.SetAnnotations(map[string]string{apply.LastApplied: "{}"})
	res, err := appliers()["v1"].Create(context.Background(), obj, "kubectl-client-side-apply")
	return admitted(t, res, err)
}

// TestApplyAsKubectl tests what happens after the first apply.
func TestApplyAsKubectl(t *testing.T) {
	for name, tt := range map[string]struct {
		manager, config string
		code            int
		managers        string // of the result
		annotated       bool
	}{
		"default manager": {"kubectl", "spec: {replicas: 1}", 0, "kubectl-last-applied kubectl", true},
		"other manager":   {"deployer", "spec: {replicas: 1}", 0, "deployer", false},
		"conflict":        {"deployer", "spec: {replicas: 2}", 409, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			live := clientSide(t, "spec: {replicas: 1, mode: fast}")
			before := encode(t, live)
			res, err := appliers()["v1"].ApplyAsKubectl(context.Background(), apply.Request{Live: live, Config: widget(tt.config), Manager: tt.manager})
			if err != nil || code(t, res) != tt.code || encode(t, live) != before {
				t.Fatalf("%v, %v, want code %d and an unchanged live object", err, res.Err(), tt.code)
			}
			if tt.code != 0 {
				return
			}
			var managers []string
			for _, e := range res.Object.GetManagedFields() {
				managers = append(managers, e.Manager)
			}
			if got := strings.Join(managers, " "); got != tt.managers {
				t.Errorf("managers %q, want %q", got, tt.managers)
			}
			if mode, _, _ := unstructured.NestedString(res.Object.Object, "spec", "mode"); mode != "slow" || res.Unchanged {
				t.Errorf("mode %q, unchanged %v, want the default and a change", mode, res.Unchanged)
			}
			if _, found := res.Object.GetAnnotations()[apply.LastApplied]; found != tt.annotated {
				t.Errorf("annotated is %v, want %v", found, tt.annotated)
			}
			again, err := appliers()["v1"].ApplyAsKubectl(context.Background(), apply.Request{Live: res.Object, Config: widget(tt.config), Manager: tt.manager})
			if admitted(t, again, err); !again.Unchanged {
				t.Error("the same apply again changes the object")
			}
		})
	}
}

// TestApplyAsKubectlWarns tests that the server may refuse a later request: without the
// fields that client-side apply has set, the object is invalid.
func TestApplyAsKubectlWarns(t *testing.T) {
	a, ctx := appliersOf(t, `
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, required: [size], properties: {size: {type: integer}, mode: {type: string}}}}
`)["v1"], context.Background()
	const head = "{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g, namespace: default"
	res, err := a.Create(ctx, objectOf(t, head+`, annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}, size: 1}`), "kubectl-client-side-apply")
	live := admitted(t, res, err)
	res, err = a.ApplyAsKubectl(ctx, apply.Request{Live: live, Config: objectOf(t, head+"}, mode: x}"), Manager: "deployer"})
	obj := admitted(t, res, err)
	if len(res.Warnings) != 1 || !strings.HasPrefix(res.Warnings[0], "failed to re-apply configuration after performing Server-Side Apply migration. ") {
		t.Errorf("warnings %q, want that the second apply failed", res.Warnings)
	}
	if obj.Object["size"] != int64(1) || obj.GetManagedFields()[0].Manager != "deployer" || len(obj.GetManagedFields()) != 1 {
		t.Errorf("got %s, want the migrated object", encode(t, obj))
	}
}
