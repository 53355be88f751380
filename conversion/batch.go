package conversion

import (
	"cmp"
	"fmt"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A batch is the input of one call: an object or a list. Errors of a list have other words.
type batch struct {
	gvk  schema.GroupVersionKind // of the object, or of the list
	objs []*unstructured.Unstructured
	list bool
	to   schema.GroupVersion
}

// versions holds what a definition declares about its versions.
type versions struct {
	group    string
	listKind string
	has      map[string]bool // the apiVersion of all versions, served or not
}

// versionsOf returns the versions of a definition, none for nil.
func versionsOf(crd *apiextensionsv1.CustomResourceDefinition) versions {
	if crd == nil {
		return versions{}
	}
	v := versions{crd.Spec.Group, cmp.Or(crd.Spec.Names.ListKind, crd.Spec.Names.Kind+"List"), map[string]bool{}}
	for _, version := range crd.Spec.Versions {
		v.has[schema.GroupVersion{Group: v.group, Version: version.Name}.String()] = true
	}
	return v
}

// check returns an error if the definition lacks a version of the batch.
func (v *versions) check(b *batch) error {
	from := b.gvk.GroupVersion()
	if from.Group != v.group {
		return fmt.Errorf("%v is unstructured and is not suitable for converting to %q", b.gvk, b.to)
	}
	if !v.has[b.to.String()] {
		return fmt.Errorf("request to convert CR to an invalid group/version: %s", b.to)
	}
	if !v.has[from.String()] {
		return fmt.Errorf("request to convert CR from an invalid group/version: %s", from)
	}
	if !b.list {
		return nil
	}
	for i, obj := range b.objs {
		if !v.has[obj.GetAPIVersion()] {
			return fmt.Errorf("request to convert CR list failed, list index %d has invalid group/version: %s", i, groupVersion(obj))
		}
	}
	return nil
}

// clone is obj.DeepCopy with an error for Go types that no decoder makes, and for deep
// nesting.
func clone(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	value, err := jsonval.CloneWithin(obj.Object)
	if err != nil {
		return nil, err
	}
	object, _ := value.(map[string]any)
	return &unstructured.Unstructured{Object: object}, nil
}

// relabel returns the objects with the target apiVersion and no other change.
func (b *batch) relabel() []*unstructured.Unstructured {
	var (
		apiVersion any = b.to.String()
		objs           = make([]unstructured.Unstructured, len(b.objs))
		out            = make([]*unstructured.Unstructured, len(b.objs))
	)
	for i, obj := range b.objs {
		objs[i].Object = withAPIVersion(obj.Object, apiVersion)
		out[i] = &objs[i]
	}
	return out
}

// withAPIVersion returns a shallow copy of an object. Like the server, it adds an empty
// kind.
func withAPIVersion(object map[string]any, apiVersion any) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	out["apiVersion"] = apiVersion
	if _, ok := out["kind"].(string); !ok {
		out["kind"] = ""
	}
	return out
}
