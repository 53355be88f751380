package crdkit

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
)

// An origin says how the server got the object that a request writes.
type origin uint8

const (
	fromClient origin = iota // the server decoded the body of the request
	fromPatch                // the server decoded the result of a patch
	fromMerge                // the server merged the live object and an applied configuration
)

// invalidPatch is the answer of the server to a patch whose result cannot be decoded.
func (r *request) invalidPatch(why string, details ...string) *Refusal {
	refusal := invalid(runtimeschema.GroupKind{}, "", field.Invalid(field.NewPath("patch"), string(r.raw), why))
	refusal.Details = details
	return refusal
}

// invalid returns a refusal that the server sends as 422 Invalid with one error.
func invalid(kind runtimeschema.GroupKind, name string, err *field.Error) *Refusal {
	return RefusalOf(errorlist.Invalid(kind, name, field.ErrorList{err}, 0))
}

// dropDuplicateOwners drops duplicate owner references before mutation and warns of them. In a
// PATCH the server drops them after mutation, with another warning.
func (r *request) dropDuplicateOwners() {
	r.changeMetadata(func() {
		switch {
		case r.origin == fromClient:
			r.warn(r.meta.DropDuplicateOwners()...)
		case r.mutate == nil:
			r.warn(r.meta.DropMutatedOwners()...)
		default: // dropMutatedOwners drops them
			seen := *r.meta
			r.warn(seen.DropMutatedOwners()...)
		}
	})
}

// dropMutatedOwners drops the duplicate owner references that an object has after mutation.
func (r *request) dropMutatedOwners() {
	r.changeMetadata(func() {
		for _, text := range r.meta.DropMutatedOwners() {
			if !slices.Contains(r.result.Warnings, text) {
				r.warn(text)
			}
		}
	})
}

// checkVersions compares resource versions as the store does: as numbers, or as texts if the
// version of the old object (want) is not a number.
func (r *request) checkVersions(want, got string) *Refusal {
	had, err := strconv.ParseUint(want, 10, 64)
	switch {
	case err == nil:
	case got == "" && want != "":
		r.meta.ResourceVersion = want
		return nil
	case got == want || want == "":
		return nil
	default:
		return r.conflict(modified)
	}
	var has uint64
	if got != "" {
		if has, err = strconv.ParseUint(got, 10, 64); err != nil {
			return RefusalOf(err)
		}
	}
	switch {
	case had == 0 || has == had:
		return nil
	case has == 0:
		d := r.version.def
		return invalid(runtimeschema.GroupKind{Group: d.group, Kind: d.plural}, r.meta.Name,
			field.Invalid(field.NewPath("metadata", "resourceVersion"), has, "must be specified for an update"))
	}
	return r.conflict(modified)
}

// checkTyped refuses an object without apiVersion, as the store does.
func (r *request) checkTyped() *Refusal {
	if r.obj.GroupVersionKind().Version != "" {
		return nil
	}
	return RefusalOf(apierrors.NewInternalError(missingVersion()))
}

func missingVersion() error { return runtime.NewMissingVersionErr("object has no apiVersion field") }

// checkUID refuses an object with another uid than the old object, as the store does.
func (r *request) checkUID() *Refusal {
	got, want := r.meta.UID, r.oldMeta.UID
	if got == "" || want == "" || got == want {
		return nil
	}
	d := r.version.def
	key := path.Join("/registry", d.group, d.plural, r.meta.Namespace, r.meta.Name)
	return r.conflict(fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
		key, got, want))
}

func (r *request) conflict(why string) *Refusal {
	d := r.version.def
	return &Refusal{
		Code:     http.StatusConflict,
		Reason:   "Conflict",
		resource: d.plural,
		Message:  fmt.Sprintf("Operation cannot be fulfilled on %s.%s %q: %s", d.plural, d.group, r.meta.Name, why),
	}
}

const modified = "the object has been modified; please apply your changes to the latest version and try again"
