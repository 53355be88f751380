package objectmeta

import (
	"context"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
)

// Bounds limit the check of metadata.
type Bounds struct {
	// Limit is how many problems are returned. It counts the others. nil admits any
	// number.
	Limit *errorlimit.Limit
	// Watch ends the check early. What it returns is then of no use.
	Watch *interrupt.Watch
}

// piece is the number of labels, annotations or finalizers that one call of the rules
// checks.
const piece = 64

// Rules are rules of the server for metadata.
type rules struct {
	path  *field.Path // of the metadata
	check func(*metav1.ObjectMeta) field.ErrorList
	// distinct: of errors with equal texts, check returns the first.
	distinct bool
	// finalizersAlone: check looks at each finalizer alone, apart from conflicts.
	finalizersAlone bool
}

func createRules(namespaced bool) rules {
	return newObjectRules(rootPath(), namespaced, metavalidation.NameIsDNSSubdomain)
}

// embeddedRules are the rules for an embedded resource with metadata at path.
func embeddedRules(path *field.Path, namespaced bool) rules {
	return newObjectRules(path, namespaced, pathSegmentMessages)
}

func newObjectRules(path *field.Path, namespaced bool, name metavalidation.ValidateNameFunc) rules {
	return rules{path: path, distinct: true, finalizersAlone: true, check: func(meta *metav1.ObjectMeta) field.ErrorList {
		return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
			meta, nil, namespaced, name, path, true)
	}}
}

func updateRules(old *metav1.ObjectMeta, namespaced bool) rules {
	return rules{path: rootPath(), distinct: true, check: func(meta *metav1.ObjectMeta) field.ErrorList {
		return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
			meta, old, namespaced, nil, rootPath(), true)
	}}
}

func commonCreateRules(namespaced bool) rules {
	return rules{path: rootPath(), finalizersAlone: true, check: func(meta *metav1.ObjectMeta) field.ErrorList {
		return metavalidation.ValidateObjectMetaAccessor(meta, namespaced, pathSegmentMessages, rootPath())
	}}
}

func commonUpdateRules(old *metav1.ObjectMeta) rules {
	return rules{path: rootPath(), check: func(meta *metav1.ObjectMeta) field.ErrorList {
		return metavalidation.ValidateObjectMetaAccessorUpdate(meta, old, rootPath())
	}}
}

// inPieces adds the errors of the rules to list. It calls the rules for the labels and the
// annotations in pieces, and for the finalizers if the rules look at each alone, because a
// call cannot be ended and returns all errors at once. The server checks these entries
// alone, except for the total size of the annotations.
func (r rules) inPieces(meta *metav1.ObjectMeta, list *errorlimit.List, watch *interrupt.Watch) {
	e := entryErrors{rules: r, list: list, seen: map[entryError]bool{}, details: map[string]string{}}
	labels, annotations, finalizers := r.path.Child("labels").String(), r.path.Child("annotations").String(), r.path.Child("finalizers").String()
	rest := *meta
	if len(meta.Labels) > piece {
		rest.Labels = nil
		for part := range mapPieces(meta.Labels, watch) {
			e.add(&metav1.ObjectMeta{Labels: part}, labels)
		}
	}
	if len(meta.Annotations) > piece {
		rest.Annotations = ofSize(meta.Annotations)
		for part := range mapPieces(meta.Annotations, watch) {
			e.add(&metav1.ObjectMeta{Annotations: part}, annotations)
		}
	}
	if len(meta.Finalizers) > piece && r.finalizersAlone && !conflicting(meta.Finalizers) {
		rest.Finalizers = nil
		for part := range listPieces(meta.Finalizers, watch) {
			e.add(&metav1.ObjectMeta{Finalizers: part}, finalizers)
		}
	}
	if !watch.Poll() {
		list.Add(r.check(&rest)...)
	}
}

// mapPieces returns parts of m, each valid until the next one. It ends when the watch ends.
func mapPieces[V any](m map[string]V, watch *interrupt.Watch) iter.Seq[map[string]V] {
	return func(yield func(map[string]V) bool) {
		part := make(map[string]V, piece)
		for k, v := range m {
			if part[k] = v; len(part) < piece {
				continue
			}
			if watch.Poll() || !yield(part) {
				return
			}
			clear(part)
		}
		if len(part) > 0 && !watch.Poll() {
			yield(part)
		}
	}
}

// listPieces is mapPieces for a list.
func listPieces[V any](list []V, watch *interrupt.Watch) iter.Seq[[]V] {
	return func(yield func([]V) bool) {
		for part := range slices.Chunk(list, piece) {
			if watch.Poll() || !yield(part) {
				return
			}
		}
	}
}

// entryErrors adds the errors of single labels, annotations and finalizers to a list.
type entryErrors struct {
	rules
	list    *errorlimit.List
	seen    map[entryError]bool // if the rules are distinct
	details map[string]string   // equal texts share memory
}

// An entryError has what tells errors apart.
type entryError struct{ field, value, detail string }

// add adds the errors about the field of part.
func (e *entryErrors) add(part *metav1.ObjectMeta, name string) {
	for _, err := range e.check(part) {
		if err.Field != name || err.Type == field.ErrorTypeTooLong {
			continue
		}
		if detail, ok := e.details[err.Detail]; ok {
			err.Detail = detail
		} else {
			e.details[err.Detail] = err.Detail
		}
		if value, ok := err.BadValue.(string); ok && e.distinct {
			text := entryError{name, value, err.Detail}
			if e.seen[text] {
				continue
			}
			e.seen[text] = true
		}
		e.list.Add(err)
	}
}

// ofSize returns a valid annotation that is too large if the annotations are, and nothing
// otherwise.
func ofSize(annotations map[string]string) map[string]string {
	if metavalidation.ValidateAnnotationsSize(annotations) == nil {
		return nil
	}
	return map[string]string{"a": strings.Repeat("a", metavalidation.TotalAnnotationSizeLimitB)}
}

// conflicting reports whether the server refuses the finalizers together.
func conflicting(finalizers []string) bool {
	orphan, foreground := false, false
	for _, f := range finalizers {
		orphan = orphan || f == metav1.FinalizerOrphanDependents
		foreground = foreground || f == metav1.FinalizerDeleteDependents
	}
	return orphan && foreground
}
