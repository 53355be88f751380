package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
)

// An oldKey identifies the object that a request replaces.
type oldKey struct {
	kind            schema.GroupKind
	namespace, name string
}

// oldObjects are the objects of --old.
type oldObjects map[oldKey]oldObject

type oldObject struct {
	location string
	obj      *unstructured.Unstructured
}

func (a *admitter) loadOld(ctx context.Context) error {
	if a.old == "" {
		return nil
	}
	a.olds = oldObjects{}
	for doc := range documents(a.old, a.recursive, a.in) {
		if doc.err != nil {
			return fmt.Errorf("--old %s: %w", doc.location(), doc.err)
		}
		if err := a.addOld(doc); err != nil {
			return fmt.Errorf("--old %s: %w", doc.location(), err)
		}
	}
	return ctx.Err()
}

func (a *admitter) addOld(doc inputDocument) error {
	head, err := headerOf(doc)
	if err != nil {
		return err
	}
	data := doc.data
	if doc.yaml {
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return err
		}
	}
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &obj.Object); err != nil {
		return err
	}
	key := a.key(head.GroupKind(), head.namespace, head.name)
	if other, ok := a.olds[key]; ok {
		return fmt.Errorf("%s %q is already in %s", head.Kind, head.name, other.location)
	}
	a.olds[key] = oldObject{location: doc.location(), obj: obj}
	return nil
}

// key returns the key of an object. A namespaced object without a namespace is
// in "default".
func (a *admitter) key(kind schema.GroupKind, namespace, name string) oldKey {
	e := a.kinds.kinds[kind]
	switch {
	case e == nil || e.definition == nil:
	case !e.definition.Namespaced():
		namespace = ""
	case namespace == "":
		namespace = "default"
	}
	return oldKey{kind: kind, namespace: namespace, name: name}
}

// find returns the object that v replaces as JSON, as the server reads it at
// version. It returns nil if there is none.
func (o oldObjects) find(ctx context.Context, version *crdkit.Version, v *verdict) ([]byte, error) {
	if o == nil {
		return nil, nil
	}
	namespace := v.namespace
	switch {
	case !version.Definition().Namespaced():
		namespace = ""
	case namespace == "":
		namespace = "default"
	}
	old, ok := o[oldKey{kind: v.gvk.GroupKind(), namespace: namespace, name: v.name}]
	if !ok {
		return nil, nil
	}
	read, _, err := version.Read(ctx, old.obj)
	if err != nil {
		return nil, fmt.Errorf("reading the old object of %s: %w", old.location, err)
	}
	// The server stores the object with this namespace.
	switch namespaced := version.Definition().Namespaced(); {
	case !namespaced:
		read.SetNamespace("")
	case read.GetNamespace() == "":
		read.SetNamespace("default")
	}
	return read.MarshalJSON()
}
