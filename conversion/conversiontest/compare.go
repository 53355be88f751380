package conversiontest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A comparison says which differences between objects count.
type comparison struct {
	emptyIsAbsent bool
	ignored       [][]string // the steps of pointers
}

func newComparison(emptyIsAbsent bool, ignored []string) (comparison, error) {
	c := comparison{emptyIsAbsent: emptyIsAbsent}
	for _, pointer := range ignored {
		if !strings.HasPrefix(pointer, "/") {
			return c, fmt.Errorf("%q is no JSON pointer, which begins with a slash", pointer)
		}
		c.ignored = append(c.ignored, pathstack.Tokens(pointer))
	}
	return c, nil
}

// differences returns the differences of a round trip that count. It changes neither
// object.
func (c *comparison) differences(before, after map[string]any) []jsondiff.Difference {
	diffs := jsondiff.Of(c.relevant(before), c.relevant(after))
	return slices.DeleteFunc(diffs, func(d jsondiff.Difference) bool {
		return d.Kind == jsondiff.Replaced && sameJSON(d.Before, d.After)
	})
}

func (c *comparison) relevant(obj map[string]any) map[string]any {
	if !c.emptyIsAbsent && len(c.ignored) == 0 {
		return obj
	}
	copied, _ := jsonval.Clone(obj).(map[string]any)
	for _, steps := range c.ignored {
		ignore(copied, steps)
	}
	if c.emptyIsAbsent {
		dropEmpty(copied)
	}
	return copied
}

// ignore removes fields at a pointer from v, and makes elements null to keep indexes.
func ignore(v any, steps []string) {
	step, last := steps[0], len(steps) == 1
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			switch {
			case step != name && step != anyStep:
			case last:
				delete(v, name)
			default:
				ignore(child, steps[1:])
			}
		}
	case []any:
		for i, child := range v {
			switch {
			case step != fmt.Sprint(i) && step != anyStep:
			case last:
				v[i] = nil
			default:
				ignore(child, steps[1:])
			}
		}
	}
}

// anyStep stands for all fields of an object or all elements of a list.
const anyStep = "*"

// dropEmpty removes fields without content, not elements, and reports whether v is empty
// then.
func dropEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		for name, child := range v {
			if dropEmpty(child) {
				delete(v, name)
			}
		}
		return len(v) == 0
	case []any:
		for _, child := range v {
			dropEmpty(child)
		}
		return len(v) == 0
	default:
		return false
	}
}

// sameJSON reports whether two values are the same in JSON, where 1.0 becomes 1.
func sameJSON(a, b any) bool {
	return jsonText(jsonval.Wire(jsonval.Clone(a))) == jsonText(jsonval.Wire(jsonval.Clone(b)))
}
