package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/manifest"
)

// An oldKey identifies the object that a request replaces.
type oldKey struct {
	kind            schema.GroupKind
	namespace, name string
}

// oldObjects are the objects of --old.
type oldObjects map[oldKey]*manifest.Object

func (a *admitter) loadOld(ctx context.Context) error {
	if a.old == "" {
		return nil
	}
	a.olds = oldObjects{}
	for o := range a.reader.Objects(ctx, a.old) {
		err := o.Err
		if err == nil {
			err = a.addOld(ctx, o)
		}
		if err != nil {
			return fmt.Errorf("--old %w", locate(o, err))
		}
	}
	return ctx.Err()
}

func (a *admitter) addOld(ctx context.Context, o *manifest.Object) error {
	key := a.key(ctx, o.GroupKind(), o.Namespace, o.Name)
	if other, ok := a.olds[key]; ok {
		return fmt.Errorf("%s %q is already in %s", o.Kind, o.Name, other.Location())
	}
	a.olds[key] = o
	return nil
}

// key returns the key of an object. A namespaced object without a namespace is
// in "default".
func (a *admitter) key(ctx context.Context, kind schema.GroupKind, namespace, name string) oldKey {
	switch namespaced, known := a.kinds.namespaced(ctx, kind); {
	case !known:
	case !namespaced:
		namespace = ""
	case namespace == "":
		namespace = "default"
	}
	return oldKey{kind: kind, namespace: namespace, name: name}
}

// find returns the object that v replaces, as the server reads it at version. It returns
// nil if there is none.
func (o oldObjects) find(ctx context.Context, version *crdkit.Version, v *verdict) (*unstructured.Unstructured, error) {
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
	old, ok := o[oldKey{kind: v.gvk.GroupKind(), namespace: namespace, name: v.object}]
	if !ok {
		return nil, nil
	}
	obj, err := objectOf(old)
	if err != nil {
		return nil, locate(old, err)
	}
	read, _, err := version.Read(ctx, obj)
	if err != nil {
		return nil, fmt.Errorf("reading the old object of %w", locate(old, err))
	}
	// The server stores the object with this namespace.
	switch namespaced := version.Definition().Namespaced(); {
	case !namespaced:
		read.SetNamespace("")
	case read.GetNamespace() == "":
		read.SetNamespace("default")
	}
	return read, nil
}
