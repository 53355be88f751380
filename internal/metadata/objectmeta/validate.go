package objectmeta

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
)

// Validate returns the problems that the strategy for custom resources finds in metadata that
// was read from a map, sorted by field, type and detail; nil if there are none. limit bounds
// them, and counts the others. There must be a namespace if and only if the resource is
// namespaced.
//
// old is nil for a new object, whose name must be a DNS subdomain. Otherwise it is the
// metadata of the object that is replaced, and the problems are changes of immutable members,
// missing members, and new values that are not valid. Updates of the status are checked in
// the same manner.
func (m *Meta) Validate(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.valid(old, namespaced) {
		return nil
	}
	return m.problems(m.strategyErrors(old, namespaced), limit)
}

// ValidateCommon returns the problems that the generic registry finds in the metadata of a new
// object, or of one that replaces old.
//
//   - For a new object kube-apiserver calls it after every other check. It finds one problem
//     that [Meta.Validate] does not: a slash or a percent sign before the dash at the end of a
//     generateName.
//   - For an update kube-apiserver reports its problems before those of [Meta.Validate] and in
//     addition to them. It applies the rules for new objects, of which Validate omits those
//     for names, namespaces and finalizers, and then the rules for updates.
func (m *Meta) ValidateCommon(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.valid(old, namespaced) {
		return nil
	}
	return m.problems(m.registryErrors(old, namespaced), limit)
}

// valid reports whether the metadata is certainly valid.
func (m *Meta) valid(old *Meta, namespaced bool) bool {
	if old == nil {
		return m.ValidCreate(namespaced)
	}
	return m.ResourceVersion != "" && m.ValidUpdate(old, namespaced)
}

func (m *Meta) strategyErrors(old *Meta, namespaced bool) field.ErrorList {
	meta, errs := m.typed()
	if old == nil && len(errs) == 0 {
		return newObjectErrors(meta, rootPath(), namespaced, metavalidation.NameIsDNSSubdomain)
	}
	if old == nil {
		return errs
	}
	before, oldErrs := old.typed()
	if errs = append(errs, oldErrs...); len(errs) > 0 {
		return errs[:1]
	}
	return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
		meta, before, namespaced, nil, rootPath(), true)
}

// registryErrors returns nil for metadata that cannot be decoded, which the strategy reports.
func (m *Meta) registryErrors(old *Meta, namespaced bool) field.ErrorList {
	meta, invalid := m.typed()
	if len(invalid) > 0 {
		return nil
	}
	errs := metavalidation.ValidateObjectMetaAccessor(meta, namespaced, pathSegmentMessages, rootPath())
	if old == nil {
		return errs
	}
	before, invalid := old.typed()
	if len(invalid) > 0 {
		return nil
	}
	return append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(meta, before, rootPath())...)
}

// typed decodes the metadata that was read from a map, as it was written last. It does so as
// the strategy does: missing metadata and null are empty metadata.
func (m *Meta) typed() (*metav1.ObjectMeta, field.ErrorList) {
	meta := &metav1.ObjectMeta{}
	if m.raw == nil {
		return meta, nil
	}
	values, ok := m.raw.(map[string]any)
	err := fmt.Errorf("expected map[string]interface{}, got %T", m.raw)
	if ok {
		err = convert(values, meta)
	}
	if err == nil {
		return meta, nil
	}
	if ok {
		err = firstConvertError(values, err)
	}
	return nil, field.ErrorList{field.Invalid(rootPath(), m.raw, err.Error())}
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
		entries, _ := m[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if v := entries[key]; v != nil && reflect.TypeOf(v).Kind() != reflect.String {
				reduced[name] = map[string]any{key: v}
				break
			}
		}
	}
	return cmp.Or(convert(reduced, &metav1.ObjectMeta{}), err)
}
