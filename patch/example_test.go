package patch_test

import (
	"context"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/patch"
)

// version returns the version of a definition whose objects have spec.replicas, from 0.
func version() *crdkit.Version {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(widgets), crd); err != nil {
		panic(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	return d.Storage()
}

func object() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(live), u); err != nil {
		panic(err)
	}
	return u
}

func ExampleNew() {
	p := patch.New(version())
	res, err := p.Patch(context.Background(), object(), types.MergePatchType, []byte(`{"spec":{"replicas":3}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err(), res.Unchanged, res.Object.Object["spec"])
	// Output: <nil> false map[mode:slow replicas:3 size:5]
}

func ExamplePatcher_Patch() {
	p := patch.New(version())
	res, err := p.Patch(context.Background(), object(), types.JSONPatchType,
		[]byte(`[{"op":"test","path":"/spec/size","value":5},{"op":"replace","path":"/spec/size","value":4}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err())
	// Output: Widget.example.com "w" is invalid: spec.size: Invalid value: 4: must not shrink
}

func ExamplePatcher_PatchStatus() {
	p := patch.New(version())
	res, err := p.PatchStatus(context.Background(), object(), types.MergePatchType, []byte(`{"status":{"replicas":3}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err(), res.Object.Object["status"])
	// Output: <nil> map[replicas:3]
}

func ExamplePatcher_PatchJSON() {
	p := patch.New(version())
	out, res, err := p.PatchJSON(context.Background(), []byte(live), types.MergePatchType, []byte(`{"status":null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Err(), res.Unchanged, string(out) == live) // a status changes with its subresource only
	// Output: <nil> true true
}

func ExamplePatcher_PatchStatusJSON() {
	p := patch.New(version())
	_, res, err := p.PatchStatusJSON(context.Background(), []byte(live), types.StrategicMergePatchType, []byte(`{}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Refusal.Code, res.Refusal.Reason)
	// Output: 415 UnsupportedMediaType
}

func ExampleResult_Patched() {
	p := patch.New(version())
	res, err := p.Patch(context.Background(), object(), types.MergePatchType, []byte(`{"spec":{"mode":null,"replicas":-1}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Admitted(), res.Object == nil, res.Patched().Object["spec"])
	// Output: false true map[replicas:-1 size:5]
}
