package upstream

import (
	"maps"
	"slices"
)

// Inserted returns a copy of an object whose maps got their keys in increasing order.
// Go visits a small map from a random key on, in the order of insertion. So the
// order of crdkit is likely for the copy, and may not occur for the object. A map of
// more than eight keys has few orders, others in each copy. Inserted of nil is nil.
func Inserted(obj map[string]any) map[string]any {
	if obj == nil {
		return nil
	}
	out := make(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(obj)) {
		out[key] = insertedValue(obj[key])
	}
	return out
}

func insertedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return Inserted(v)
	case []any:
		out := slices.Clone(v)
		for i, e := range v {
			out[i] = insertedValue(e)
		}
		return out
	}
	return v
}
