package jsonpath

import (
	"maps"
	"slices"

	"k8s.io/client-go/third_party/forked/golang/template"
	"k8s.io/client-go/util/jsonpath"
)

// fields returns the fields with this name of all values that are objects.
func fields(values []any, name string) []any {
	var out []any
	for _, value := range values {
		object, _ := value.(map[string]any)
		if field, ok := object[name]; ok {
			out = append(out, field)
		}
	}
	return out
}

// elements returns the elements of arrays that a start, an end and a step
// select. A null value has no elements. Any other value that is not an array
// makes the step fail, and so do bounds outside an array.
func elements(values []any, params [3]jsonpath.ParamsEntry) ([]any, bool) {
	var out []any
	for _, value := range values {
		if value == nil {
			continue
		}
		array, ok := value.([]any)
		if !ok {
			return values, false
		}
		start, end := bounds(params, len(array))
		if start == end {
			return out, true
		}
		if start < 0 || start >= len(array) || end < 0 || end > len(array) || start > end {
			return values, false
		}
		step := 1
		if params[2].Known {
			step = params[2].Value
		}
		if step <= 0 {
			return values, false
		}
		for i := start; i < end; i += min(step, end-i) {
			out = append(out, array[i])
		}
	}
	return out, true
}

// bounds returns the start and end of a selection in an array of n elements.
// Negative numbers count from the end of the array. For an index, the parser
// derives the end of the selection; the end that it derives for the last
// element is 0.
func bounds(params [3]jsonpath.ParamsEntry, n int) (start, end int) {
	if params[0].Known {
		start = params[0].Value
	}
	if start < 0 {
		start += n
	}
	if !params[1].Known {
		return start, n
	}
	end = params[1].Value
	if end < 0 || end == 0 && params[1].Derived {
		end += n
	}
	return start, end
}

// wildcard returns all fields of objects, elements of arrays, and bytes of
// strings.
func (w *walk) wildcard(values []any) ([]any, bool) {
	var out []any
	for _, value := range values {
		out = append(out, children(value)...)
	}
	w.visits -= len(out)
	return out, w.visits >= 0
}

// descend appends to out each value that has children, followed by the values
// that it finds below them.
func (w *walk) descend(out, values []any) ([]any, bool) {
	for _, value := range values {
		below := children(value)
		if len(below) == 0 {
			continue
		}
		if w.visits -= len(below); w.visits < 0 {
			return out, false
		}
		out = append(out, value)
		var ok bool
		if out, ok = w.descend(out, below); !ok {
			return out, false
		}
	}
	return out, true
}

func children(value any) []any {
	switch value := value.(type) {
	case map[string]any:
		out := make([]any, 0, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			out = append(out, value[name])
		}
		return out
	case []any:
		return value
	case string:
		out := make([]any, len(value))
		for i := range len(value) {
			out[i] = value[i]
		}
		return out
	}
	return nil
}

// filter returns the elements of arrays that satisfy the comparison. It fails
// for values that are not arrays and for operands that cannot be compared.
func (w *walk) filter(values []any, node *jsonpath.FilterNode) ([]any, bool) {
	var out []any
	for _, value := range values {
		array, ok := value.([]any)
		if !ok {
			return values, false
		}
		for _, element := range array {
			here := []any{element}
			left, ok := w.list(here, node.Left)
			if node.Operator == "exists" {
				if len(left) > 0 {
					out = append(out, element)
				}
				continue
			}
			if !ok {
				return values, false
			}
			if len(left) == 0 {
				continue
			}
			right, ok := w.list(here, node.Right)
			if !ok || len(left) > 1 || len(right) > 1 {
				return values, false
			}
			if len(right) == 0 {
				continue
			}
			holds, ok := compare(node.Operator, left[0], right[0])
			if !ok {
				return out, false
			}
			if holds {
				out = append(out, element)
			}
		}
	}
	return out, w.visits >= 0
}

// compare applies operator to left and right. ok is false if they cannot be
// compared.
func compare(operator string, left, right any) (holds, ok bool) {
	operators := map[string]func(any, any) (bool, error){
		"<":  template.Less,
		"<=": template.LessEqual,
		">":  template.Greater,
		">=": template.GreaterEqual,
		"!=": template.NotEqual,
		"==": func(a, b any) (bool, error) { return template.Equal(a, b) },
	}
	apply := operators[operator]
	if apply == nil {
		return false, false
	}
	holds, err := apply(left, right)
	return holds, err == nil
}
