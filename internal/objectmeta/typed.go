package objectmeta

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/interrupt"
)

// typedMeta decodes the metadata of an object as the strategy does. Missing
// metadata and null are empty metadata. When the watch ends, what it returns is of no use.
func typedMeta(obj map[string]any, watch *interrupt.Watch) (*metav1.ObjectMeta, field.ErrorList) {
	meta := &metav1.ObjectMeta{}
	raw := obj["metadata"]
	if raw == nil {
		return meta, nil
	}
	m, ok := raw.(map[string]any)
	if !ok {
		return nil, field.ErrorList{field.Invalid(rootPath(), raw, fmt.Sprintf("expected map[string]interface{}, got %T", raw))}
	}
	if err := convertInPieces(m, meta, watch); err != nil {
		return nil, field.ErrorList{field.Invalid(rootPath(), raw, firstConvertError(m, err, watch).Error())}
	}
	return meta, nil
}

func convert(m map[string]any, meta *metav1.ObjectMeta) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(m, meta)
}

// convertInPieces is convert, which cannot be ended, for a piece of each large member at a
// time. An error is not the first one.
func convertInPieces(m map[string]any, meta *metav1.ObjectMeta, watch *interrupt.Watch) error {
	small := m
	for name, v := range m {
		if isLarge(v) {
			if len(small) == len(m) {
				small = maps.Clone(m)
			}
			delete(small, name)
		}
	}
	if err := convert(small, meta); err != nil || len(small) == len(m) {
		return err
	}
	for name, v := range m {
		if !isLarge(v) {
			continue
		}
		for part := range pieces(v, watch) {
			var one metav1.ObjectMeta
			if err := convert(map[string]any{name: part}, &one); err != nil {
				return err
			}
			join(meta, &one)
		}
	}
	return nil
}

func isLarge(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > piece
	case []any:
		return len(v) > piece
	}
	return false
}

// pieces returns the pieces of a map or list. A piece is valid until the next one.
func pieces(v any, watch *interrupt.Watch) iter.Seq[any] {
	return func(yield func(any) bool) {
		switch v := v.(type) {
		case map[string]any:
			for part := range mapPieces(v, watch) {
				if !yield(part) {
					return
				}
			}
		case []any:
			for part := range listPieces(v, watch) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// join adds the labels, annotations and lists of part to those of meta.
func join(meta, part *metav1.ObjectMeta) {
	meta.Labels, meta.Annotations = joinMaps(meta.Labels, part.Labels), joinMaps(meta.Annotations, part.Annotations)
	meta.OwnerReferences = append(meta.OwnerReferences, part.OwnerReferences...)
	meta.Finalizers = append(meta.Finalizers, part.Finalizers...)
	meta.ManagedFields = append(meta.ManagedFields, part.ManagedFields...)
}

// joinMaps adds the entries of b to a, and returns b if there is no a.
func joinMaps(a, b map[string]string) map[string]string {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}

// firstConvertError returns the first error of converting m if labels and
// annotations are converted in increasing order of key. err is the error of the
// converter, which converts them in random order.
func firstConvertError(m map[string]any, err error, watch *interrupt.Watch) error {
	reduced := maps.Clone(m)
	for name, v := range m {
		switch v := v.(type) {
		case map[string]any:
			if isLarge(v) || name == "labels" || name == "annotations" {
				reduced[name] = firstWrongEntry(name, v, watch)
			}
		case []any:
			if isLarge(v) {
				reduced[name] = firstWrongPiece(name, v, watch)
			}
		}
	}
	if first := convert(reduced, &metav1.ObjectMeta{}); first != nil {
		return first
	}
	return err
}

// firstWrongEntry returns the first entry that cannot be converted, as a map, and an empty
// map if there is none.
func firstWrongEntry(name string, entries map[string]any, watch *interrupt.Watch) map[string]any {
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		single := map[string]any{key: entries[key]}
		if watch.Ended() || convert(map[string]any{name: single}, &metav1.ObjectMeta{}) != nil {
			return single
		}
	}
	return map[string]any{}
}

// firstWrongPiece returns the first piece that cannot be converted, and an empty list if
// there is none.
func firstWrongPiece(name string, list []any, watch *interrupt.Watch) []any {
	for part := range listPieces(list, watch) {
		if convert(map[string]any{name: part}, &metav1.ObjectMeta{}) != nil {
			return part
		}
	}
	return []any{}
}
