package crdkit_test

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
)

const cronTab = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [cronSpec]
            properties:
              cronSpec: {type: string}
              replicas: {type: integer, default: 1, maximum: 10}
            x-kubernetes-validations:
            - rule: self.replicas >= oldSelf.replicas
              message: replicas must not shrink
          status:
            type: object
            properties:
              ready: {type: boolean}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec: {type: string}
              timeZone: {type: string, default: UTC}
`

func compiled() *crdkit.Definition {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		panic(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	return def
}

func compiledVersion(name string) *crdkit.Version {
	v, ok := compiled().Version(name)
	if !ok {
		panic(name)
	}
	return v
}

func cronTabObject(version string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/" + version,
		"kind":       "CronTab",
		"metadata":   map[string]any{"name": "nightly", "namespace": "jobs"},
		"spec":       spec,
	}}
}

func ExampleCompile() {
	for _, v := range compiled().Versions() {
		fmt.Printf("%s storage=%t %q\n", v.Name(), v.IsStorage(), v.Warning())
	}
	// Output:
	// v1 storage=true ""
	// v1beta1 storage=false "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab"
}

func ExampleVersion_Create() {
	obj := cronTabObject("v1", map[string]any{"replicas": int64(11)})
	result, err := compiledVersion("v1").Create(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	for _, e := range result.Errors {
		fmt.Printf("%q: %s\n", e.Pointer, e)
	}
	// Output:
	// "": <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
	// "/spec/cronSpec": spec.cronSpec: Required value
	// "/spec/replicas": spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10
}

func ExampleVersion_Create_strict() {
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "colour": "red"})
	result, err := compiledVersion("v1").Create(context.Background(), obj, crdkit.Strict)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err())
	// Output:
	// CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.colour"
}

func ExampleReportChanges() {
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "colour": "red", "replicas": nil})
	result, err := compiledVersion("v1").Create(context.Background(), obj, crdkit.ReportChanges())
	if err != nil {
		panic(err)
	}
	for _, c := range result.Changes {
		fmt.Println(c)
	}
	// Output:
	// pruned spec.colour
	// defaulted spec.replicas
	// reset metadata.generation
}

func ExampleVersion_Update() {
	old := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(3)})
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(2)})
	result, err := compiledVersion("v1").Update(context.Background(), obj, old)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err())
	// Output:
	// CronTab.example.com "nightly" is invalid: spec: Invalid value: replicas must not shrink
}

func ExampleVersion_UpdateStatus() {
	old := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(3)})
	obj := cronTabObject("v1", map[string]any{"cronSpec": "ignored"})
	obj.Object["status"] = map[string]any{"ready": true}
	result, err := compiledVersion("v1").UpdateStatus(context.Background(), obj, old)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Admitted(), obj.Object["spec"], obj.Object["status"])
	// Output:
	// true map[cronSpec:0 3 * * * replicas:3] map[ready:true]
}

func ExampleVersion_Read() {
	stored := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	obj, _, err := compiledVersion("v1beta1").Read(context.Background(), stored)
	if err != nil {
		panic(err)
	}
	// Read sets the default of replicas at v1, but v1beta1 does not have that
	// field. It does not set the default of timeZone, because the object is
	// stored at v1.
	fmt.Println(obj.GetAPIVersion(), obj.Object["spec"])
	// Output:
	// example.com/v1beta1 map[cronSpec:0 3 * * *]
}

func ExampleVersion_Store() {
	v := compiledVersion("v1beta1")
	obj := cronTabObject("v1beta1", map[string]any{"cronSpec": "0 3 * * *", "timeZone": "CET"})
	stored, err := v.Store(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	fmt.Println(stored.GetAPIVersion(), stored.Object["spec"])
	// Output:
	// example.com/v1 map[cronSpec:0 3 * * *]
}

func ExampleVersion_StoreJSON() {
	raw := []byte(`{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"generation":1,"name":"nightly"},"spec":{"cronSpec":"0 3 * * *"}}`)
	stored, err := compiledVersion("v1beta1").StoreJSON(context.Background(), raw)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(stored))
	served, _, err := compiledVersion("v1beta1").ReadJSON(context.Background(), stored)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(served))
	// Output:
	// {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"generation":1,"name":"nightly"},"spec":{"cronSpec":"0 3 * * *"}}
	// {"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"generation":1,"name":"nightly"},"spec":{"cronSpec":"0 3 * * *"}}
}

func ExampleResult_Status() {
	raw := []byte(`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"nightly"},"spec":{"cronSpec":3}}`)
	_, result, err := compiledVersion("v1").CreateJSON(context.Background(), raw)
	if err != nil {
		panic(err)
	}
	status := result.Status() // the body of the server's answer
	fmt.Println(status.APIVersion, status.Kind, status.Code, status.Reason, status.Details.Causes[1].Field)
	// Output:
	// v1 Status 422 Invalid spec.cronSpec
}

// A store makes the name from generateName, and what else only a server sets.
func ExampleVersion_Create_generateName() {
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	obj.SetName("")
	obj.SetGenerateName("nightly-")
	result, err := compiledVersion("v1").Create(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	if err := result.Err(); err != nil {
		panic(err)
	}
	base := obj.GetGenerateName()
	obj.SetName(base[:min(len(base), 58)] + "x7k2p") // five random letters and digits
	obj.SetUID("5f7a6b1c-0000-4000-8000-000000000001")
	fmt.Println(obj.GetName())
	// Output:
	// nightly-x7k2p
}

func ExampleMutate_uid() {
	raw := []byte(`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"nightly"},"spec":{"cronSpec":"0 3 * * *"}}`)
	stamp := crdkit.Mutate(func(_ context.Context, obj *unstructured.Unstructured) error {
		obj.SetUID("5f7a6b1c-0000-4000-8000-000000000001")
		return nil
	})
	stored, result, err := compiledVersion("v1").CreateJSON(context.Background(), raw, stamp)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err(), strings.Contains(string(stored), `"uid":"5f7a6b1c-`))
	// Output:
	// <nil> true
}

func ExampleVersion_CreateJSON() {
	raw := []byte(`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"nightly"},"spec":{"cronSpec":"0 3 * * *","cronSpec":"0 4 * * *"}}`)
	out, result, err := compiledVersion("v1").CreateJSON(context.Background(), raw)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Warnings)
	fmt.Println(string(out))
	// Output:
	// [duplicate field "spec.cronSpec"]
	// {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"generation":1,"name":"nightly","namespace":"default"},"spec":{"cronSpec":"0 4 * * *","replicas":1}}
}

func ExampleVersion_UpdateJSON() {
	old := []byte(`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"default","generation":1},"spec":{"cronSpec":"0 3 * * *","replicas":1}}`)
	raw := []byte("apiVersion: example.com/v1\nkind: CronTab\nmetadata: {name: nightly}\nspec: {cronSpec: 0 4 * * *}\n")
	out, _, err := compiledVersion("v1").UpdateJSON(context.Background(), raw, old, crdkit.YAML())
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"generation":2,"name":"nightly","namespace":"default"},"spec":{"cronSpec":"0 4 * * *","replicas":1}}
}

func ExampleDefinition_Convert() {
	objs := []*unstructured.Unstructured{cronTabObject("v1", map[string]any{"replicas": int64(1)})}
	out, err := compiled().Convert(context.Background(), objs, "v1beta1")
	if err != nil {
		panic(err)
	}
	// Only the version changes; Read also prunes.
	fmt.Println(out[0].GetAPIVersion(), out[0].Object["spec"])
	// Output:
	// example.com/v1beta1 map[replicas:1]
}

func ExampleMutate() {
	addLabel := func(_ context.Context, obj *unstructured.Unstructured) error {
		obj.SetLabels(map[string]string{"team": "a"})
		return nil
	}
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	if _, err := compiledVersion("v1").Create(context.Background(), obj, crdkit.Mutate(addLabel)); err != nil {
		panic(err)
	}
	fmt.Println(obj.GetLabels())
	// Output:
	// map[team:a]
}

func ExampleKubernetesVersion() {
	text := strings.Replace(cronTab, "rule: self.replicas >= oldSelf.replicas", "rule: isIP(self.cronSpec)", 1)
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	for _, version := range []string{"1.29", "1.31"} {
		_, err := crdkit.Compile(crd, crdkit.KubernetesVersion(version))
		fmt.Printf("compiles for %s: %t\n", version, err == nil)
	}
	// Output:
	// compiles for 1.29: false
	// compiles for 1.31: true
}

// spelled is an object in the spelling of a client, with an unknown field.
const spelled = `{ "kind": "CronTab", "apiVersion": "example.com/v1",
  "metadata": { "namespace": "default", "name": "a", "generation": 1 },
  "spec": { "cronSpec": "* * * * *", "typo": true } }`

// CreateJSON returns the object as the server encodes it. The default is set, and the unknown
// field is dropped.
func ExampleVersion_CreateJSON_canonical() {
	v := compiledVersion("v1")
	out, _, err := v.CreateJSON(context.Background(), []byte(spelled))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"generation":1,"name":"a","namespace":"default"},"spec":{"cronSpec":"* * * * *","replicas":1}}
}

// AppendTo reuses memory for the output.
func ExampleAppendTo() {
	v := compiledVersion("v1")
	var buf []byte
	for range 2 {
		out, _, err := v.CreateJSON(context.Background(), []byte(spelled), crdkit.AppendTo(buf[:0]))
		if err != nil {
			panic(err)
		}
		buf = out
	}
	fmt.Println(len(buf))
	// Output: 154
}

func ExampleVersion_ValidJSON() {
	v := compiledVersion("v1")
	fmt.Println(v.ValidJSON([]byte(spelled)))
	fmt.Println(v.ValidJSON([]byte(`{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {}}`)))
	// Output:
	// true
	// false
}
