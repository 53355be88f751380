package objectmeta_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

func ExampleDecode() {
	obj := map[string]any{"metadata": map[string]any{"name": "web", "labels": map[string]any{"tier": int64(1)}}}
	_, _, err := objectmeta.Decode(obj, objectmeta.Options{})
	fmt.Println(err)

	meta, _, err := objectmeta.Decode(obj, objectmeta.Options{DropInvalid: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	meta.Restore(obj)
	objectmeta.RepairGeneration(obj)
	fmt.Println(obj["metadata"])
	// Output:
	// json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string
	// map[generation:1 name:web]
}

func ExampleEmbedded() {
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"template": {Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: new(true)},
		},
	})
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	e := objectmeta.Embedded{Schema: n}
	obj := map[string]any{"template": map[string]any{
		"apiVersion": "v1",
		"metadata":   map[string]any{"name": "web", "labels": map[string]any{"tier": "no way"}},
	}}
	fmt.Println(e.Valid(obj))
	for _, p := range e.Validate(obj) {
		fmt.Println(p.Pointer, p.Err.Type, p.Err.Field)
	}
	// Output:
	// false
	// /template/kind Required value template.kind
	// /template/metadata/labels/tier Invalid value template.metadata.labels
}

// read returns the metadata of an object with the members.
func read(metadata map[string]any) *objectmeta.Meta {
	m := new(objectmeta.Meta)
	m.ReadMap(map[string]any{"metadata": metadata})
	return m
}

func ExampleMeta_Validate() {
	for _, p := range read(map[string]any{"name": "web"}).Validate(nil, true, nil) {
		fmt.Println(p.Err)
	}
	// Output: metadata.namespace: Required value
}

func ExampleMeta_Validate_update() {
	old := read(map[string]any{"name": "web", "resourceVersion": "1"})
	m := read(map[string]any{"name": "web2", "resourceVersion": "1"})
	for _, p := range m.Validate(old, false, nil) {
		fmt.Println(p.Err)
	}
	// Output: metadata.name: Invalid value: "web2": field is immutable
}

func ExampleMeta_ValidateCommon() {
	m := read(map[string]any{"name": "web", "generateName": "a/-"})
	fmt.Println(m.Validate(nil, false, nil))
	for _, p := range m.ValidateCommon(nil, false, nil) {
		fmt.Println(p.Err)
	}
	// Output:
	// []
	// metadata.generateName: Invalid value: "a/-": may not contain '/'
}

func ExampleMeta_ValidateCommon_update() {
	old := read(map[string]any{"name": "web", "resourceVersion": "1"})
	m := read(map[string]any{"name": "web", "resourceVersion": "1", "finalizers": []any{"a/b/c"}})
	fmt.Println(m.Validate(old, false, nil))
	for _, p := range m.ValidateCommon(old, false, nil) {
		fmt.Println(p.Pointer, p.Err.Type)
	}
	// Output:
	// []
	// /metadata/finalizers/0 Invalid value
}

func ExampleMeta_FinalizerWarnings() {
	m := read(map[string]any{"finalizers": []any{"cleanup", "example.com/cleanup"}})
	fmt.Println(m.FinalizerWarnings(new(objectmeta.Meta)))
	// Output: [metadata.finalizers: "cleanup": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers]
}

func ExampleMeta_PrepareUpdate() {
	old := read(map[string]any{"name": "web", "uid": "8f2c", "generation": int64(7)})
	obj := map[string]any{"metadata": map[string]any{"name": "web"}, "spec": "changed"}
	var m objectmeta.Meta
	m.ReadMap(obj)
	m.PrepareUpdate(old)
	m.Generation++
	m.Write(obj)
	fmt.Println(obj["metadata"])
	// Output: map[generation:8 name:web uid:8f2c]
}
