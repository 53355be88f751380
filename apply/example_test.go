package apply_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema: &schema
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, minimum: 0}
              mode: {type: string, default: slow}
              env:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, protocol]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    protocol: {type: string, default: TCP}
                    value: {type: string}
          status:
            type: object
            properties:
              replicas: {type: integer}
  - name: v2
    served: true
    storage: false
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema: *schema
`

// noon is the time of all requests of the examples.
func noon() time.Time { return time.Date(2024, 1, 2, 12, 0, 0, 0, time.UTC) }

// appliers returns the Appliers of the versions of the definition above.
func appliers() map[string]*apply.Applier {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(widgets), crd); err != nil {
		panic(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	all, err := apply.NewAll(d, crd, apply.Clock(noon))
	if err != nil {
		panic(err)
	}
	return all
}

// widget returns an object with the given members in YAML.
func widget(members string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	text := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\n" + members
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = u.UnmarshalJSON(encoded)
	}
	if err != nil {
		panic(err)
	}
	return u
}

// applied returns the object of an apply that must be admitted.
func applied(live *unstructured.Unstructured, members, manager string) *unstructured.Unstructured {
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: widget(members), Manager: manager})
	if err != nil {
		panic(err)
	}
	if err := res.Err(); err != nil {
		panic(err)
	}
	return res.Object
}

func ExampleNew() {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(widgets), crd); err != nil {
		fmt.Println(err)
		return
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		fmt.Println(err)
		return
	}
	applier, err := apply.New(d.Storage(), crd)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := applier.Apply(context.Background(), apply.Request{Config: widget("spec: {replicas: 1}"), Manager: "deployer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err(), res.Created, res.Object.Object["spec"])
	// Output: <nil> true map[mode:slow replicas:1]
}

// Two groups have the same kind, and share the typed schema of its versions.
func ExampleShare() {
	catalog, schemas := crdkit.NewCatalog(), &apply.Schemas{}
	for _, group := range []string{"example.com", "example.org"} {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(widgets, "example.com", group)), crd); err != nil {
			fmt.Println(err)
			return
		}
		if err := catalog.Add(crd); err != nil {
			fmt.Println(err)
			return
		}
		d, _ := catalog.Definition(crd.Name)
		appliers, err := apply.NewAll(d, crd, apply.Share(schemas))
		fmt.Println(d.Name(), len(appliers), err)
	}
	// Output:
	// widgets.example.com 2 <nil>
	// widgets.example.org 2 <nil>
}

func ExampleNewAll() {
	for _, version := range []string{"v1", "v2"} {
		_, ok := appliers()[version]
		fmt.Println(version, ok)
	}
	// Output:
	// v1 true
	// v2 true
}

func ExampleApplier_Apply() {
	live := applied(nil, "spec: {replicas: 1, mode: fast}", "deployer")
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: widget("spec: {replicas: 3}"), Manager: "autoscaler"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err())
	for _, c := range res.Conflicts {
		fmt.Println(c)
	}
	// Output:
	// Apply failed with 1 conflict: conflict with "deployer": .spec.replicas
	// .spec.replicas: 1, wanted 3, owned by "deployer" (Apply)
}

func ExampleApplier_Apply_yaml() {
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Body: []byte(`
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: default}
spec: {replica: 1}
`), Manager: "deployer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err())
	// Output: failed to create typed patch object (default/w; example.com/v1, Kind=Widget): .spec.replica: field not declared in schema
}

func ExampleApplier_ApplyJSON() {
	a, ctx := appliers()["v1"], context.Background()
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},"spec":{"replicas":1}}`)
	stored, res, err := a.ApplyJSON(ctx, nil, apply.Request{Body: body, Manager: "deployer"})
	if err != nil || res.Err() != nil {
		fmt.Println(err, res.Err())
		return
	}
	_, res, err = a.ApplyJSON(ctx, stored, apply.Request{Body: body, Manager: "deployer"})
	if err != nil || res.Err() != nil {
		fmt.Println(err, res.Err())
		return
	}
	fmt.Println("unchanged:", res.Unchanged)
	// Output: unchanged: true
}

func ExampleApplier_Apply_status() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: widget("status: {replicas: 1}"), Manager: "controller", Subresource: "status"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err(), res.Object.Object["status"])
	// Output: <nil> map[replicas:1]
}

func ExampleApplier_Create() {
	res, err := appliers()["v1"].Create(context.Background(), widget("spec: {replicas: 1}"), "editor")
	if err != nil {
		fmt.Println(err)
		return
	}
	printOwners(res.Object)
	// Output:
	// .spec: editor (Update, 2024-01-02T12:00:00Z)
	// .spec.mode: editor (Update, 2024-01-02T12:00:00Z)
	// .spec.replicas: editor (Update, 2024-01-02T12:00:00Z)
}

func ExampleApplier_Update() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	obj := live.DeepCopy()
	obj.Object["spec"].(map[string]any)["replicas"] = int64(2)
	res, err := appliers()["v1"].Update(context.Background(), obj, apply.Request{Live: live, Manager: "editor"})
	if err != nil {
		fmt.Println(err)
		return
	}
	printOwners(res.Object)
	// Output: .spec.replicas: editor (Update, 2024-01-02T12:00:00Z)
}

func ExampleApplier_Update_status() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	obj := live.DeepCopy()
	obj.Object["spec"] = map[string]any{"replicas": int64(9)} // has no effect
	obj.Object["status"] = map[string]any{"replicas": int64(1)}
	res, err := appliers()["v1"].Update(context.Background(), obj, apply.Request{Live: live, Manager: "controller", Subresource: "status"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Object.Object["spec"], res.Object.Object["status"])
	printOwners(res.Object)
	// Output:
	// map[mode:slow replicas:1] map[replicas:1]
	// .spec.replicas: deployer (Apply, 2024-01-02T12:00:00Z)
	// .status: controller (Update of status, 2024-01-02T12:00:00Z)
	// .status.replicas: controller (Update of status, 2024-01-02T12:00:00Z)
}

func ExampleApplier_UpdateScale() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	res, err := appliers()["v1"].UpdateScale(context.Background(), live, func(s *autoscalingv1.Scale) error {
		s.Spec.Replicas = 5
		return nil
	}, "autoscaler")
	if err != nil {
		fmt.Println(err)
		return
	}
	printOwners(res.Object)
	// Output: .spec.replicas: autoscaler (Update of scale)
}

func ExampleApplier_Patch_scale() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	res, err := appliers()["v1"].Patch(context.Background(), apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(`{"spec":{"replicas":5}}`), Manager: "autoscaler", Subresource: "scale"})
	if err != nil {
		fmt.Println(err)
		return
	}
	printOwners(res.Object)
	// Output: .spec.replicas: autoscaler (Update of scale)
}

func ExampleApplier_Apply_scale() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": map[string]any{"replicas": int64(5)},
	}}
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: "autoscaler", Subresource: "scale"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err())
	// Output: Apply failed with 1 conflict: conflict with "deployer": .spec.replicas
}

func ExampleApplier_Patch() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	res, err := appliers()["v1"].Patch(context.Background(), apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(`{"spec":{"mode":"fast"}}`), Manager: "editor"})
	if err != nil {
		fmt.Println(err)
		return
	}
	printOwners(res.Object)
	// Output:
	// .spec.mode: editor (Update, 2024-01-02T12:00:00Z)
	// .spec.replicas: deployer (Apply, 2024-01-02T12:00:00Z)
}

func ExampleApplier_Patch_status() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	res, err := appliers()["v1"].Patch(context.Background(), apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(`{"status":{"replicas":1}}`), Manager: "controller", Subresource: "status"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err(), res.Object.Object["status"])
	// Output: <nil> map[replicas:1]
}

func ExampleClock() {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	fmt.Println(live.GetManagedFields()[0].Time.UTC())
	// Output: 2024-01-02 12:00:00 +0000 UTC
}

func ExampleOwners() {
	printOwners(applied(nil, `spec: {env: [{name: A, value: x}]}`, "deployer"))
	// Output:
	// .spec.env[name="A",protocol="TCP"]: deployer (Apply, 2024-01-02T12:00:00Z)
	// .spec.env[name="A",protocol="TCP"].name: deployer (Apply, 2024-01-02T12:00:00Z)
	// .spec.env[name="A",protocol="TCP"].value: deployer (Apply, 2024-01-02T12:00:00Z)
}

func printOwners(obj *unstructured.Unstructured) {
	fields, err := apply.Owners(obj)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range fields {
		for _, owner := range f.Owners {
			fmt.Printf("%s: %s\n", f.Path, owner)
		}
	}
}

func ExampleApplier_Explain() {
	live := applied(nil, `spec: {replicas: 1, mode: fast, env: [{name: A, value: x}]}`, "deployer")
	live = applied(live, `spec: {replicas: 1}`, "autoscaler")
	explained, err := appliers()["v1"].Explain(context.Background(), apply.Request{Live: live, Config: widget(`spec: {mode: fast}`), Manager: "deployer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range explained.Dropped {
		fmt.Println(d)
	}
	// Output:
	// .spec.env[name="A",protocol="TCP"]: {"name":"A","protocol":"TCP","value":"x"} is removed: deployer applied it before, its configuration no longer has it, and nobody else owns it
	// .spec.replicas: 1 is kept: autoscaler (Apply) owns it too
}

func ExampleApplier_Preview() {
	live := applied(nil, `spec: {replicas: 1}`, "deployer")
	other := widget(`spec: {replicas: -1}`)
	other.SetName("x")
	steps, err := appliers()["v1"].Preview(context.Background(), []*unstructured.Unstructured{live},
		[]*unstructured.Unstructured{widget(`spec: {replicas: 2}`), widget(`spec: {replicas: 2}`), other}, "deployer", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range steps {
		fmt.Println(s.Config.GetName(), s.Action())
	}
	// Output:
	// w changed
	// w unchanged
	// x refused
}

func ExampleMigrate() {
	obj := widget(`spec: {replicas: 1}`)
	obj.SetAnnotations(map[string]string{apply.LastApplied: "{}"})
	res, err := appliers()["v1"].Create(context.Background(), obj, "kubectl-client-side-apply")
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := apply.Migrate(res.Object, "kubectl")
	fmt.Println(changed, err)
	fmt.Println(res.Object.GetManagedFields()[0].Manager, res.Object.GetManagedFields()[0].Operation)
	// Output:
	// true <nil>
	// kubectl Apply
}

// Fields that only client-side apply has set are removed when the configuration no longer
// has them.
func ExampleApplier_ApplyAsKubectl() {
	ctx, a := context.Background(), appliers()["v1"]
	obj := widget(`spec: {replicas: 1, mode: fast}`)
	obj.SetAnnotations(map[string]string{apply.LastApplied: "{}"})
	res, err := a.Create(ctx, obj, "kubectl-client-side-apply")
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err = a.ApplyAsKubectl(ctx, apply.Request{Live: res.Object, Config: widget(`spec: {replicas: 1}`), Manager: "kubectl"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Object.Object["spec"])
	for _, e := range res.Object.GetManagedFields() {
		fmt.Println(e.Manager, e.Operation)
	}
	// Output:
	// map[mode:slow replicas:1]
	// kubectl-last-applied Apply
	// kubectl Apply
}
