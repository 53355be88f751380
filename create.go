package crdkit

import (
	"context"

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

// prepareCreate clears what clients cannot set in metadata.
func (r *request) prepareCreate() {
	r.watchMetadata(func() { objectmeta.PrepareCreate(r.obj.Object) })
}

// enterNamespace puts the object into the namespace of the request.
func (r *request) enterNamespace() *Refusal { return r.enter(r.namespace) }

func (r *request) setFirstGeneration() { objectmeta.SetGeneration(r.obj.Object, 1) }

// standInName gives an object that asks for a generated name one, for the time of
// validation: the name that the server generates is unknown.
func (r *request) standInName() {
	metadata, _ := r.obj.Object["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	if name, _ := metadata["name"].(string); name == "" && prefix != "" {
		metadata["name"], r.standIn = objectmeta.StandInName(prefix), "name"
	}
}

func (r *request) validateCreate() {
	if !r.otherType {
		r.addProblems(objectmeta.ValidateCreate(r.obj.Object, r.version.def.namespaced, r.bounds()))
	}
}

// validateCommonCreate makes the checks that the server makes of valid objects only.
func (r *request) validateCommonCreate() {
	if len(r.result.Errors) == 0 {
		r.addProblems(objectmeta.ValidateCommonCreate(r.obj.Object, r.version.def.namespaced, r.bounds()))
	}
}
