package objectmeta

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
)

// ValidateCreate returns the problems that the strategy for custom resources
// finds in the metadata of a new object, sorted by field, type and detail; nil
// if there are none. limit bounds them, and counts the others. The name must be a DNS subdomain. There must be a
// namespace if and only if the resource is namespaced.
func ValidateCreate(obj map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	if ValidCreate(obj, namespaced) {
		return nil
	}
	return createProblems(obj, namespaced, limit)
}

// ValidCreate reports whether the fast checks accept the metadata of a new
// object. [ValidateCreate] then finds no problem. If they do not, it may still
// find none. ValidCreate does not allocate.
func ValidCreate(obj map[string]any, namespaced bool) bool {
	m, ok := obj["metadata"].(map[string]any)
	return ok && fastValidCreate(m, namespaced)
}

func createProblems(obj map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	meta, errs := typedMeta(obj)
	if len(errs) > 0 {
		return rootProblems(obj, errs, limit)
	}
	return rootProblems(obj, newObjectErrors(meta, rootPath(), namespaced, metavalidation.NameIsDNSSubdomain), limit)
}

// ValidateUpdate returns the problems that the strategy for custom resources
// finds in the metadata of an object that replaces old, sorted by field, type
// and detail; nil if there are none. It finds changes of immutable members,
// missing members, and new values that are not valid. Updates of the status are
// checked in the same manner.
func ValidateUpdate(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	if ValidUpdate(obj, old) {
		return nil
	}
	return updateProblems(obj, old, namespaced, limit)
}

// ValidUpdate is to [ValidateUpdate] what [ValidCreate] is to [ValidateCreate].
func ValidUpdate(obj, old map[string]any) bool {
	m, ok := obj["metadata"].(map[string]any)
	before, okOld := old["metadata"].(map[string]any)
	return ok && okOld && fastValidUpdate(m, before)
}

func updateProblems(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	meta, errs := typedMeta(obj)
	if len(errs) > 0 {
		return rootProblems(obj, errs, limit)
	}
	before, errs := typedMeta(old)
	if len(errs) > 0 {
		return rootProblems(obj, errs, limit)
	}
	return rootProblems(obj, metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
		meta, before, namespaced, nil, rootPath(), true), limit)
}

// ValidateCommonCreate returns the problems that the generic registry finds in
// the metadata of a new object. kube-apiserver calls it after every other
// check. It finds one problem that [ValidateCreate] does not: a slash or a
// percent sign before the dash at the end of a generateName.
func ValidateCommonCreate(obj map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	m, ok := obj["metadata"].(map[string]any)
	if ok && fastValidCommonCreate(m, namespaced) {
		return nil
	}
	return commonProblems(obj, nil, namespaced, limit)
}

// ValidateCommonUpdate returns the problems that the generic registry finds in
// the metadata of an object that replaces old. kube-apiserver reports them
// before those of [ValidateUpdate] and in addition to them. It applies the
// rules for new objects, of which ValidateUpdate omits those for names,
// namespaces and finalizers, and then the rules for updates.
func ValidateCommonUpdate(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	m, ok := obj["metadata"].(map[string]any)
	before, okOld := old["metadata"].(map[string]any)
	if ok && okOld && fastValidCommonCreate(m, namespaced) && fastValidUpdate(m, before) {
		return nil
	}
	if old == nil {
		old = map[string]any{}
	}
	return commonProblems(obj, old, namespaced, limit)
}

// commonProblems checks a new object if old is nil. The strategy reports
// metadata that cannot be decoded, so this returns nil for it.
func commonProblems(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	meta, errs := typedMeta(obj)
	if len(errs) > 0 {
		return nil
	}
	errs = metavalidation.ValidateObjectMetaAccessor(meta, namespaced, pathSegmentMessages, rootPath())
	if old != nil {
		before, invalid := typedMeta(old)
		if len(invalid) > 0 {
			return nil
		}
		errs = append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(meta, before, rootPath())...)
	}
	return rootProblems(obj, errs, limit)
}

// newObjectErrors returns the errors of the rules for new objects. name is the rule for
// their names.
func newObjectErrors(meta *metav1.ObjectMeta, path *field.Path, namespaced bool, name metavalidation.ValidateNameFunc) field.ErrorList {
	return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
		meta, nil, namespaced, name, path, true)
}

func rootPath() *field.Path { return field.NewPath("metadata") }

// rootProblems returns the errors within the limit as problems, sorted.
func rootProblems(obj map[string]any, errs field.ErrorList, limit *errorlimit.Limit) []Problem {
	if errs = limit.Cut(errs, nil); len(errs) == 0 {
		return nil
	}
	metadata, _ := obj["metadata"].(map[string]any)
	l := newLocator(metadata, "metadata", "")
	problems := make([]Problem, len(errs))
	details := map[string]string{} // equal texts share memory; a text may have 200 bytes
	for i, err := range errs {
		if detail, ok := details[err.Detail]; ok {
			err.Detail = detail
		} else {
			details[err.Detail] = err.Detail
		}
		problems[i] = Problem{Err: err, Pointer: l.pointer(err)}
	}
	slices.SortStableFunc(problems, compareProblems)
	return problems
}
