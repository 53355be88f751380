package objectmeta

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
)

// ValidateCreate returns the problems that the strategy for custom resources finds in the
// metadata of a new object, which was read from a map, sorted by field, type and detail; nil
// if there are none. limit bounds them, and counts the others. The name must be a DNS
// subdomain. There must be a namespace if and only if the resource is namespaced.
func (m *Meta) ValidateCreate(namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.ValidCreate(namespaced) {
		return nil
	}
	return m.createProblems(namespaced, limit)
}

func (m *Meta) createProblems(namespaced bool, limit *errorlimit.Limit) []Problem {
	meta, errs := m.typed()
	if len(errs) == 0 {
		errs = newObjectErrors(meta, rootPath(), namespaced, metavalidation.NameIsDNSSubdomain)
	}
	return m.problems(errs, limit)
}

// ValidateUpdate returns the problems that the strategy for custom resources finds in the
// metadata of an object that replaces old, sorted by field, type and detail; nil if there
// are none. It finds changes of immutable members, missing members, and new values that are
// not valid. Updates of the status are checked in the same manner.
func (m *Meta) ValidateUpdate(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.ResourceVersion != "" && m.ValidUpdate(old, namespaced) {
		return nil
	}
	return m.updateProblems(old, namespaced, limit)
}

func (m *Meta) updateProblems(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	meta, errs := m.typed()
	before, oldErrs := old.typed()
	if errs = append(errs, oldErrs...); len(errs) > 0 {
		return m.problems(errs[:1], limit)
	}
	return m.problems(metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
		meta, before, namespaced, nil, rootPath(), true), limit)
}

// ValidateCommonCreate returns the problems that the generic registry finds in the metadata
// of a new object. kube-apiserver calls it after every other check. It finds one problem
// that [Meta.ValidateCreate] does not: a slash or a percent sign before the dash at the end
// of a generateName.
func (m *Meta) ValidateCommonCreate(namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.ValidCreate(namespaced) {
		return nil
	}
	return m.commonProblems(nil, namespaced, limit)
}

// ValidateCommonUpdate returns the problems that the generic registry finds in the metadata
// of an object that replaces old. kube-apiserver reports them before those of
// [Meta.ValidateUpdate] and in addition to them. It applies the rules for new objects, of
// which ValidateUpdate omits those for names, namespaces and finalizers, and then the rules
// for updates.
func (m *Meta) ValidateCommonUpdate(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.ResourceVersion != "" && m.ValidUpdate(old, namespaced) {
		return nil
	}
	return m.commonProblems(old, namespaced, limit)
}

// commonProblems checks a new object if old is nil. The strategy reports
// metadata that cannot be decoded, so this returns nil for it.
func (m *Meta) commonProblems(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	meta, invalid := m.typed()
	if len(invalid) > 0 {
		return nil
	}
	errs := metavalidation.ValidateObjectMetaAccessor(meta, namespaced, pathSegmentMessages, rootPath())
	if old != nil {
		before, invalid := old.typed()
		if len(invalid) > 0 {
			return nil
		}
		errs = append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(meta, before, rootPath())...)
	}
	return m.problems(errs, limit)
}

// typed decodes the metadata that was read from a map, as it was written last.
func (m *Meta) typed() (*metav1.ObjectMeta, field.ErrorList) {
	meta, err := typedMeta(m.raw)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(rootPath(), m.raw, err.Error())}
	}
	return meta, nil
}

// typedMeta decodes metadata as the strategy does. Missing metadata and null are empty
// metadata.
func typedMeta(raw any) (*metav1.ObjectMeta, error) {
	meta := &metav1.ObjectMeta{}
	if raw == nil {
		return meta, nil
	}
	m, ok := raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected map[string]interface{}, got %T", raw)
	}
	if err := convert(m, meta); err != nil {
		return nil, firstConvertError(m, err)
	}
	return meta, nil
}

// newObjectErrors returns the errors of the rules for new objects. name is the rule for
// their names.
func newObjectErrors(meta *metav1.ObjectMeta, path *field.Path, namespaced bool, name metavalidation.ValidateNameFunc) field.ErrorList {
	return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
		meta, nil, namespaced, name, path, true)
}

func rootPath() *field.Path { return field.NewPath("metadata") }

// problems returns the errors within the limit as problems, sorted.
func (m *Meta) problems(errs field.ErrorList, limit *errorlimit.Limit) []Problem {
	if errs = limit.Cut(errs); len(errs) == 0 {
		return nil
	}
	metadata, _ := m.raw.(map[string]any)
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

func convert(m map[string]any, meta *metav1.ObjectMeta) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(m, meta)
}

// firstConvertError returns the first error of converting m if labels and
// annotations are converted in increasing order of key. err is the error of the
// converter, which converts them in random order.
func firstConvertError(m map[string]any, err error) error {
	reduced := maps.Clone(m)
	for _, name := range [...]string{"labels", "annotations"} {
		if entries, ok := m[name].(map[string]any); ok {
			reduced[name] = firstWrongEntry(name, entries)
		}
	}
	return cmp.Or(convert(reduced, &metav1.ObjectMeta{}), err)
}

// firstWrongEntry returns the first entry that cannot be converted, as a map, and an empty
// map if there is none.
func firstWrongEntry(name string, entries map[string]any) map[string]any {
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		single := map[string]any{key: entries[key]}
		if convert(map[string]any{name: single}, &metav1.ObjectMeta{}) != nil {
			return single
		}
	}
	return map[string]any{}
}
