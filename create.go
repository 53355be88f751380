package crdkit

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/validation"
)

// Create does to obj what the server does when a client creates it. The server admits obj if
// [Result.Err] returns nil; a nil error of Create does not mean that.
//
// obj is changed in place. If it is admitted it is what the server stores at version v (see
// [Version.Store]), apart from what only a server can set: metadata.uid, creationTimestamp,
// resourceVersion, managedFields and a name made from generateName. If it is refused it is
// left as it was judged, pruned and defaulted. After an error it may be changed in part.
//
// The error says why there is no verdict: the context ended, the caller's [Mutate]
// step failed, an option has a value that does not exist, obj is nil, or the server's
// answer would be about a value of a Go type that decoded JSON does not have, such as
// int or []string. Nothing else may use obj meanwhile. A nil ctx never ends.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
func (v *Version) Create(ctx context.Context, obj *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	r, err := newMapRequest(ctx, v, obj, nil, opts)
	if err != nil {
		return nil, err
	}
	return r.answer(r.create())
}

// CreateJSON is [Version.Create] for the body of a request: JSON, or YAML with
// [YAML]. It returns the object to store as JSON, as the server encodes it: with
// sorted keys and without a line break at the end. It returns no bytes for an object
// that the server refuses; [Result.Err] says why. raw is not changed and not kept.
// [AppendTo] changes where the object is written.
//
// A body that the server cannot read is a [Refusal], not an error.
func (v *Version) CreateJSON(ctx context.Context, raw []byte, opts ...JSONOption) ([]byte, *Result, error) {
	r, err := newJSONRequest(ctx, v, raw, opts)
	if err != nil {
		return nil, nil, err
	}
	if r.origin == fromPatch {
		return nil, nil, errNotPatched
	}
	if plan := r.fastPath(); plan != nil {
		if out, ok := plan.Create(raw, &r.fast); ok {
			return r.answerFast(out)
		}
	}
	if refusal, err := r.decode(); refusal != nil || err != nil {
		return r.answerJSON(refusal, err)
	}
	return r.answerJSON(r.create())
}

// ValidJSON reports whether the server would admit raw, the JSON of an object, if a
// client created it: whether [Version.CreateJSON] without options would. It does not say what is
// wrong.
func (v *Version) ValidJSON(raw []byte) bool {
	_, res, err := v.CreateJSON(context.Background(), raw, Ignore)
	return err == nil && res.Admitted()
}

// create takes the object through the steps of a POST.
func (r *request) create() (*Refusal, error) {
	if refusal, err := r.receive(); refusal != nil || err != nil {
		return refusal, err
	}
	r.changeMetadata(r.meta.PrepareCreate)
	refusal := r.enterNamespace(r.namespace)
	if r.meta.Write(r.obj.Object); refusal != nil {
		return refusal, nil
	}
	r.dropDuplicateOwners()
	if err := r.runMutate(); err != nil {
		return nil, err
	}
	if r.version.status {
		r.restore("status", nil, false)
	}
	r.meta.Generation = 1

	r.standInName()
	defer r.dropStandIn()
	r.meta.Write(r.obj.Object)
	r.checkType()
	if !r.otherType {
		r.addProblems(r.meta.Validate(nil, r.version.def.namespaced, r.newMetadataLimit()))
	}
	r.checkScale(true)
	r.addValidation(r.version.engines.validate().ValidateCreate(r.obj.Object, validation.MaxErrors(r.mostErrors())))
	if err := r.evaluateRules(); err != nil {
		return nil, err
	}
	if len(r.result.Errors) == 0 {
		r.addProblems(r.meta.ValidateCommon(nil, r.version.def.namespaced, r.newMetadataLimit()))
	}
	r.warnOfFinalizers()
	return nil, nil
}

// standInName gives an object a name while it is validated, in place of a generated one.
func (r *request) standInName() {
	if r.meta.Name == "" && r.meta.GenerateName != "" {
		r.meta.Name, r.standIn = objectmeta.StandInName(r.meta.GenerateName), "name"
	}
}

// dropStandIn removes from the metadata of the object what only validation needs.
func (r *request) dropStandIn() {
	if r.standIn == "" {
		return
	}
	if metadata, ok := r.obj.Object["metadata"].(map[string]any); ok {
		delete(metadata, r.standIn)
	}
}
