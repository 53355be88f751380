package objectmeta

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// typedMeta decodes the metadata of an object as the strategy does. Missing
// metadata and null are empty metadata.
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
