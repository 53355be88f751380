package crdkit

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// enter puts the object into a namespace, "" for its own.
func (r *request) enter(namespace string) *Refusal {
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
func (r *request) runMutate(ctx context.Context) (*Refusal, error) {
	if r.mutate == nil {
		return nil, nil
	}
	if err := r.mutate(ctx, r.obj); err != nil {
		return nil, fmt.Errorf("crdkit: mutating: %w", err)
	}
	if r.obj.Object == nil {
		return nil, errors.New("crdkit: mutating: the object is gone")
	}
	if err := r.readyForObject(); err != nil {
		return nil, err
	}
	r.carrier.setDefaults()
	r.dropMutatedOwners()
	return nil, nil
}

// setStatus makes the status what the verb sets it to.
func (r *request) setStatus() error { return r.carrier.setStatus() }

// dropStandIn removes from the metadata of the object what only validation needs.
func (r *request) dropStandIn() {
	if r.standIn == "" {
		return
	}
	if metadata, ok := r.obj.Object["metadata"].(map[string]any); ok {
		delete(metadata, r.standIn)
	}
	r.standIn = ""
}
