package crdkit

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// Create does to obj what the server does to an object that a client creates. Check
// the verdict with [Result.Err]: a nil error of Create does not mean that the server
// admits the object.
//
// obj is changed in place. If it is admitted it is what the server stores at version
// v (see [Version.Store]), apart from what only a server can set: metadata.uid,
// creationTimestamp, resourceVersion, managedFields and a name made from
// generateName. If it is refused it is left as it was judged, pruned and defaulted.
// After an error it may be changed in part.
//
// The error says why there is no verdict: the context ended, the caller's [Mutate]
// step failed, an option has a value that does not exist, obj is nil, or the server's
// answer would be about a value of a Go type that decoded JSON does not have, such as
// int or []string. Nothing else may use obj meanwhile. A nil ctx never ends.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
func (v *Version) Create(ctx context.Context, obj *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	return v.doMap(ctx, creating, obj, nil, opts)
}

func (v *Version) doMap(ctx context.Context, verb verb, obj, old *unstructured.Unstructured, opts []RequestOption) (*Result, error) {
	r := newRequest(v, verb, opts)
	defer r.release()
	r.maps.given, r.maps.givenOld = obj, old
	_, res, err := r.do(orBackground(ctx))
	return res, err
}

func (r *request) create(ctx context.Context) (*Refusal, error) {
	if refusal := r.receive(); refusal != nil {
		return refusal, nil
	}
	if r.metadataDone {
		return nil, r.validateContent(ctx)
	}
	r.watchMetadata(func() { r.warn(objectmeta.PrepareCreate(r.obj.Object)...) })
	if refusal := r.enterNamespace(r.namespace); refusal != nil {
		return refusal, nil
	}
	if err := r.runMutate(ctx); err != nil {
		return nil, err
	}
	if err := r.carrier.setStatus(); err != nil {
		return nil, err
	}
	objectmeta.SetGeneration(r.obj.Object, 1)
	defer r.standInName()()
	if err := r.validate(ctx); err != nil {
		return nil, err
	}
	r.warnOfFinalizers()
	return nil, nil
}

// standInName gives an object that asks for a generated name one, for the time of
// validation, and returns a function that removes it: the name that the server
// generates is unknown.
func (r *request) standInName() (undo func()) {
	metadata, _ := r.obj.Object["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	if name, _ := metadata["name"].(string); name != "" || prefix == "" {
		return func() {}
	}
	metadata["name"] = objectmeta.StandInName(prefix)
	return func() { delete(metadata, "name") }
}

// enterNamespace puts the object into the namespace of the request, "" for its
// own.
func (r *request) enterNamespace(namespace string) *Refusal {
	var err error
	r.watchMetadata(func() {
		err = objectmeta.EnterNamespace(r.obj.Object, r.version.def.namespaced, namespace)
	})
	if err != nil {
		return badRequest(err.Error())
	}
	return nil
}

// runMutate runs the caller's mutation. The server sets defaults afterwards.
func (r *request) runMutate(ctx context.Context) error {
	if r.mutate == nil {
		return nil
	}
	if err := r.mutate(ctx, r.obj); err != nil {
		return fmt.Errorf("crdkit: mutating: %w", err)
	}
	if r.obj.Object == nil {
		return errors.New("crdkit: mutating: the object is gone")
	}
	if err := r.readyForObject(); err != nil {
		return err
	}
	r.carrier.setDefaults()
	return nil
}
