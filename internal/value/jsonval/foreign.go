package jsonval

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// GoTypes says which types the objects of a program may have.
const GoTypes = "objects have the types that JSON is decoded to: map[string]any, []any, string, int64, float64, bool and nil"

// Foreign returns the first value of another Go type than a JSON decoder returns, in
// increasing order of names, and its field path. v must not be [TooDeep].
func Foreign(v any) (path string, value any, found bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if path, value, found := Foreign(v[name]); found {
				return below(name, path), value, true
			}
		}
	case []any:
		for i, element := range v {
			if path, value, found := Foreign(element); found {
				return below("["+strconv.Itoa(i)+"]", path), value, true
			}
		}
	default:
		return "", v, !isScalar(v)
	}
	return "", nil, false
}

// below returns the path of what is at path below a step.
func below(step, path string) string {
	if path == "" || strings.HasPrefix(path, "[") {
		return step + path
	}
	return step + "." + path
}
