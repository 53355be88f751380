package crdkit

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/validation"
)

// Create judges obj as the server does when a client creates it. Call [Result.Err] for the
// verdict: it returns nil if the server admits obj. The error of Create is not the verdict.
//
// Create changes obj in place, and nothing else may use obj meanwhile:
//
//   - An admitted object is what the server stores at version v (see [Version.Store]). It lacks
//     only the fields that a running server sets: metadata.uid, creationTimestamp, resourceVersion,
//     managedFields, and a name made from generateName.
//   - A refused object is pruned and defaulted, as the server judged it.
//   - After an error obj may be changed in part.
//
// Create returns an error if there is no verdict: ctx ended, a [Mutate] step failed, an
// option has an invalid value, obj is nil, or the verdict would depend on a value of a Go
// type that decoded JSON does not have, such as int or []string. A nil ctx never ends.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
func (v *Version) Create(ctx context.Context, obj *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	r, err := newMapRequest(ctx, v, obj, nil, opts)
	if err != nil {
		return nil, err
	}
	return r.answer(r.create())
}

// CreateJSON is [Version.Create] for the body of a request: JSON, or YAML with [YAML]. It
// returns the object to store as the server encodes it: JSON with sorted keys, without a line
// break at the end. If the server refuses the object, CreateJSON returns no bytes, and
// [Result.Err] says why. A body that the server cannot read is refused too. raw is not
// changed and not kept. With [AppendTo] the caller provides the memory of the output.
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

// ValidJSON reports whether the server would admit the object in raw if a client created it.
// It has the verdict of [Version.CreateJSON] without options.
func (v *Version) ValidJSON(raw []byte) bool {
	_, res, err := v.CreateJSON(context.Background(), raw, Ignore)
	return err == nil && res.Admitted()
}

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

	r.setPlaceholderName()
	defer r.dropPlaceholder()
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

// setPlaceholderName gives an object with generateName a name while it is validated.
func (r *request) setPlaceholderName() {
	if r.meta.Name == "" && r.meta.GenerateName != "" {
		r.meta.Name, r.placeholder = objectmeta.PlaceholderName(r.meta.GenerateName), "name"
	}
}

func (r *request) dropPlaceholder() {
	if r.placeholder == "" {
		return
	}
	if metadata, ok := r.obj.Object["metadata"].(map[string]any); ok {
		delete(metadata, r.placeholder)
	}
}
