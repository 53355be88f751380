package fuzz

import (
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// deep is the depth of values from which Diff does not call [cmp.Diff].
const deep = 12

// Diff returns how two values differ, as [cmp.Diff] does, and "" if they do not.
// cmp.Diff takes time that is exponential in the depth of lists, for equal values too.
// Diff compares equal values in linear time. It prints deep decoded values in full.
func Diff(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	if depth(want) > deep || depth(got) > deep {
		return fmt.Sprintf("-%#v\n+%#v", want, got)
	}
	return cmp.Diff(want, got)
}

// depth returns the depth of a decoded value, 0 for other values.
func depth(v any) int {
	below := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			below = max(below, depth(e))
		}
	case []any:
		for _, e := range v {
			below = max(below, depth(e))
		}
	default:
		return 0
	}
	return below + 1
}
