package objectmeta

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateCreate returns what the strategy for custom resources finds wrong
// with the metadata of a new object, sorted by field, type and detail; nil if
// nothing is. The name must be a DNS subdomain; a namespace must be there if
// and only if the resource is namespaced.
func ValidateCreate(obj map[string]any, namespaced bool) []Problem {
	if ValidCreate(obj, namespaced) {
		return nil
	}
	return createProblems(obj, namespaced)
}

// ValidCreate reports whether the metadata of a new object is plainly right,
// in which case [ValidateCreate] finds nothing. It may be right even if
// ValidCreate does not see it. ValidCreate allocates nothing.
func ValidCreate(obj map[string]any, namespaced bool) bool {
	m, ok := obj["metadata"].(map[string]any)
	return ok && fastValidCreate(m, namespaced)
}

func createProblems(obj map[string]any, namespaced bool) []Problem {
	meta, errs := typedMeta(obj)
	if len(errs) == 0 {
		errs = metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
			meta, nil, namespaced, metavalidation.NameIsDNSSubdomain, rootPath(), true)
	}
	return rootProblems(obj, errs)
}

// ValidateUpdate returns what the strategy for custom resources finds wrong
// with the metadata of an object that replaces old: what may not change, what
// is missing, and new values that are not valid. Updates of the status are
// checked in the same way. The result is sorted by field, type and detail; nil
// if nothing is wrong.
func ValidateUpdate(obj, old map[string]any, namespaced bool) []Problem {
	if ValidUpdate(obj, old) {
		return nil
	}
	return updateProblems(obj, old, namespaced)
}

// ValidUpdate is to [ValidateUpdate] what [ValidCreate] is to [ValidateCreate].
func ValidUpdate(obj, old map[string]any) bool {
	m, ok := obj["metadata"].(map[string]any)
	before, okOld := old["metadata"].(map[string]any)
	return ok && okOld && fastValidUpdate(m, before)
}

func updateProblems(obj, old map[string]any, namespaced bool) []Problem {
	meta, errs := typedMeta(obj)
	if len(errs) > 0 {
		return rootProblems(obj, errs)
	}
	before, errs := typedMeta(old)
	if len(errs) == 0 {
		errs = metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
			meta, before, namespaced, nil, rootPath(), true)
	}
	return rootProblems(obj, errs)
}

// ValidateCommonCreate returns what the generic registry finds wrong with the
// metadata of a new object, which kube-apiserver asks only after everything
// else was right. Beyond [ValidateCreate] it finds a slash or a percent sign
// before the dash at the end of a generateName.
func ValidateCommonCreate(obj map[string]any, namespaced bool) []Problem {
	m, ok := obj["metadata"].(map[string]any)
	if ok && fastValidCommonCreate(m, namespaced) {
		return nil
	}
	return commonProblems(obj, nil, namespaced)
}

// ValidateCommonUpdate returns what the generic registry finds wrong with the
// metadata of an object that replaces old, which kube-apiserver reports before
// what [ValidateUpdate] finds and in addition to it: the rules for new objects,
// of which ValidateUpdate leaves out those about names, namespaces and
// finalizers, and once more the rules for updates.
func ValidateCommonUpdate(obj, old map[string]any, namespaced bool) []Problem {
	m, ok := obj["metadata"].(map[string]any)
	before, okOld := old["metadata"].(map[string]any)
	if ok && okOld && fastValidCommonCreate(m, namespaced) && fastValidUpdate(m, before) {
		return nil
	}
	if old == nil {
		old = map[string]any{}
	}
	return commonProblems(obj, old, namespaced)
}

// commonProblems checks a new object if old is nil. Metadata that cannot be
// decoded is for the strategy to report.
func commonProblems(obj, old map[string]any, namespaced bool) []Problem {
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
	return rootProblems(obj, errs)
}

func rootPath() *field.Path { return field.NewPath("metadata") }

// typedMeta decodes the metadata of an object as the strategy does. Metadata
// that is missing or null is empty.
func typedMeta(obj map[string]any) (*metav1.ObjectMeta, field.ErrorList) {
	meta := &metav1.ObjectMeta{}
	raw := obj["metadata"]
	if raw == nil {
		return meta, nil
	}
	m, ok := raw.(map[string]any)
	if !ok {
		return nil, field.ErrorList{field.Invalid(rootPath(), raw, fmt.Sprintf("expected map[string]interface{}, got %T", raw))}
	}
	if err := convert(m, meta); err != nil {
		return nil, field.ErrorList{field.Invalid(rootPath(), raw, firstConvertError(m, err).Error())}
	}
	return meta, nil
}

func convert(m map[string]any, meta *metav1.ObjectMeta) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(m, meta)
}

// firstConvertError returns the error of converting m that comes first when
// labels and annotations are converted in increasing order of key. The
// converter takes them in any order; it returned err.
func firstConvertError(m map[string]any, err error) error {
	reduced := maps.Clone(m)
	for _, name := range [...]string{"labels", "annotations"} {
		entries, _ := m[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			single := map[string]any{key: entries[key]}
			if convert(map[string]any{name: single}, &metav1.ObjectMeta{}) != nil {
				reduced[name] = single
				break
			}
		}
	}
	if first := convert(reduced, &metav1.ObjectMeta{}); first != nil {
		return first
	}
	return err
}

func rootProblems(obj map[string]any, errs field.ErrorList) []Problem {
	if len(errs) == 0 {
		return nil
	}
	metadata, _ := obj["metadata"].(map[string]any)
	l := newLocator(metadata, "metadata", "")
	problems := make([]Problem, len(errs))
	for i, err := range errs {
		problems[i] = Problem{Err: err, Pointer: l.pointer(err)}
	}
	sortProblems(problems)
	return problems
}
