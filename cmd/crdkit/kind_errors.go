package main

import (
	"errors"
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/manifest"
)

// errUnknownKind is the error of an object whose kind has no definition.
type errUnknownKind schema.GroupVersionKind

func (e errUnknownKind) Error() string {
	gvk := schema.GroupVersionKind(e)
	return fmt.Sprintf("no matches for kind %q in version %q: no given definition has it", gvk.Kind, gvk.GroupVersion())
}

// errUnserved is the error of an object at a version that its definition does not serve.
type errUnserved struct {
	gvk        schema.GroupVersionKind
	definition string
}

func (e *errUnserved) Error() string {
	return fmt.Sprintf("no matches for kind %q in version %q: %s does not serve it", e.gvk.Kind, e.gvk.GroupVersion(), e.definition)
}

func isUnknownKind(err error) bool {
	_, ok := errors.AsType[errUnknownKind](err)
	return ok
}

// isOfKind reports whether all objects of a kind and version have an error.
func isOfKind(err error) bool {
	_, unserved := errors.AsType[*errUnserved](err)
	return unserved || isUnknownKind(err) || errors.Is(err, errNeedsWebhook)
}

// unknownKindsHint follows the errors of kinds without a definition.
const unknownKindsHint = "hint: crdkit judges kinds that have a definition. Name more definitions with -c, or pass over other kinds with --skip-kind GROUP/KIND or --unknown-kinds skip"

// kindErrors are the errors that all objects of a kind and version have, in the order of
// the first objects.
type kindErrors struct {
	objects skippedKinds
	errs    map[schema.GroupVersionKind]error
	unknown bool // a kind has no definition
}

// add reports whether the object is the first one of its kind.
func (k *kindErrors) add(o *manifest.Object, err error) bool {
	if k.errs == nil {
		k.errs = map[schema.GroupVersionKind]error{}
	}
	n := len(k.objects.kinds)
	k.objects.add(o)
	k.errs[o.GroupVersionKind] = err
	k.unknown = k.unknown || isUnknownKind(err)
	return len(k.objects.kinds) > n
}

// report calls print with the error of each kind, which says how many objects have it and
// where the first one is.
func (k *kindErrors) report(print func(error)) {
	for kind, err := range k.all() {
		print(locate(kind.first, err))
	}
}

// all yields each kind with its error, which says how many objects have it.
func (k *kindErrors) all() iter.Seq2[*skippedKind, error] {
	return func(yield func(*skippedKind, error) bool) {
		for _, kind := range k.objects.kinds {
			if !yield(kind, fmt.Errorf("%w: %s", k.errs[kind.gvk], kind.count())) {
				return
			}
		}
	}
}
