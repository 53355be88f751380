package apply_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
)

// The tests of this file repeat the integration tests about apply of
// k8s.io/apiextensions-apiserver, which need a server.

// noxus is a definition of objects of kind Noxu with any fields, at two versions. The paths
// of the replicas differ.
const noxus = `
metadata: {name: noxus.mygroup.example.com}
spec:
  group: mygroup.example.com
  scope: Cluster
  names: {plural: noxus, singular: noxu, kind: Noxu, listKind: NoxuList}
  versions:
  - name: v1beta1
    served: true
    storage: true
    subresources: {scale: {specReplicasPath: ".spec.replicas[0]", statusReplicasPath: .status.replicas}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1
    served: true
    storage: false
    subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

func appliersOf(t *testing.T, text string) map[string]*apply.Applier {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	all, err := apply.NewAll(d, crd, apply.Clock(noon))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func objectOf(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	encoded, err := u.MarshalJSON()
	if err == nil {
		err = u.UnmarshalJSON(encoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func admitted(t *testing.T, res *apply.Result, err error) *unstructured.Unstructured {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if res.Err() != nil {
		t.Fatal(res.Err())
	}
	return res.Object
}

// TestApplyBasic: a change by another manager makes the same apply conflict, unless it is
// forced.
func TestApplyBasic(t *testing.T) {
	a, ctx := appliersOf(t, noxus)["v1beta1"], context.Background()
	const body = `
apiVersion: mygroup.example.com/v1beta1
kind: Noxu
metadata:
  name: mytest
values:
  numVal: 1
  boolVal: true
  stringVal: "1"`
	res, err := a.Apply(ctx, apply.Request{Body: []byte(body), Manager: "apply_test"})
	live := admitted(t, res, err)
	res, err = a.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(`{"values":{"numVal": 5}}`)})
	live = admitted(t, res, err)
	res, err = a.Apply(ctx, apply.Request{Live: live, Body: []byte(body), Manager: "apply_test"})
	if err != nil || code(t, res) != 409 || len(res.Conflicts) != 1 {
		t.Errorf("the apply after the patch: %v, %v, want a conflict", err, res.Err())
	}
	res, err = a.Apply(ctx, apply.Request{Live: live, Body: []byte(body), Manager: "apply_test", Force: true})
	if got, _, _ := unstructured.NestedInt64(admitted(t, res, err).Object, "values", "numVal"); got != 1 {
		t.Errorf("the forced apply makes numVal %d, want 1", got)
	}
}

// TestApplyNullToObject: a null replaces an object if it is nullable.
func TestApplyNullToObject(t *testing.T) {
	for i := range 8 {
		nullable, required, subfieldRequired := i&1 != 0, i&2 != 0, i&4 != 0
		t.Run(fmt.Sprintf("nullable=%v,required=%v,subfieldRequired=%v", nullable, required, subfieldRequired), func(t *testing.T) {
			a, ctx := appliersOf(t, nullDefinition(nullable, required, subfieldRequired))["v1"], context.Background()
			const head = "{apiVersion: stable.example.com/v1, kind: Widget, metadata: {name: w}, spec: {field: {inner: "
			res, err := a.Apply(ctx, apply.Request{Config: objectOf(t, head+`{a: "1", b: "2"}}}}`), Manager: "apply_test"})
			live := admitted(t, res, err)
			res, err = a.Apply(ctx, apply.Request{Live: live, Config: objectOf(t, head+"null}}}"), Manager: "apply_test"})
			if !nullable {
				if err != nil || code(t, res) != 422 || !strings.Contains(res.Err().Error(), "must be of type object") {
					t.Errorf("got %v, %v, want that it must be of type object", err, res.Err())
				}
				return
			}
			if inner, found, err := unstructured.NestedFieldNoCopy(admitted(t, res, err).Object, "spec", "field", "inner"); inner != nil || !found || err != nil {
				t.Errorf("inner is %v, want null", inner)
			}
		})
	}
}

func nullDefinition(nullable, required, subfieldRequired bool) string {
	names := map[bool]string{true: "[inner]"}[required]
	subfields := map[bool]string{true: "[a, b]"}[subfieldRequired]
	return fmt.Sprintf(`
metadata: {name: widgets.stable.example.com}
spec:
  group: stable.example.com
  scope: Cluster
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              field:
                type: object
                required: %s
                properties:
                  inner: {type: object, nullable: %v, required: %s, properties: {a: {type: string}, b: {type: string}}}
`, names, nullable, subfields)
}

// TestApplyScale: the paths of the replicas differ between the versions, and a write of the
// scale takes the replicas of both versions from the managers that have set them.
func TestApplyScale(t *testing.T) {
	all, ctx := appliersOf(t, noxus), context.Background()
	res, err := all["v1beta1"].Create(ctx, objectOf(t, `{apiVersion: mygroup.example.com/v1beta1, kind: Noxu, metadata: {name: foo}, spec: {num: 1, "replicas[0]": 3}}`), "integration.test")
	live := admitted(t, res, err)
	live.SetAPIVersion("mygroup.example.com/v1")
	res, err = all["v1"].Apply(ctx, apply.Request{Live: live, Body: []byte(`{"metadata": {"name": "foo"}, "kind": "Noxu", "apiVersion": "mygroup.example.com/v1", "spec": {"replicas": 3}}`), Manager: "applier"})
	live = admitted(t, res, err)
	if got := len(live.GetManagedFields()); got != 2 {
		t.Errorf("%d entries after the apply, want 2: %v", got, live.GetManagedFields())
	}
	res, err = all["v1"].UpdateScale(ctx, live, func(s *autoscalingv1.Scale) error { s.Spec.Replicas = 5; return nil }, "scaler")
	var got []string
	for _, e := range admitted(t, res, err).GetManagedFields() {
		got = append(got, fmt.Sprintf("%s %s %s %q %s", e.Manager, e.Operation, e.APIVersion, e.Subresource, e.FieldsV1.GetRawString()))
	}
	want := []string{
		`applier Apply mygroup.example.com/v1 "" {"f:spec":{}}`,
		`scaler Update mygroup.example.com/v1 "scale" {"f:spec":{"f:replicas":{}}}`,
		`integration.test Update mygroup.example.com/v1beta1 "" {"f:spec":{".":{},"f:num":{}}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("managers (-want +got):\n%s", diff)
	}
}
