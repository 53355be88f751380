// Package jsonpath evaluates the paths of printer columns and selectable fields.
//
// client-go parses the paths and this package evaluates them. The evaluation of client-go keeps
// state in the parsed path and visits fields in random order. The evaluation here visits fields in
// order of name, and stops after a million values.
//
// A step maps a list of values to a list of values, or fails. If a step fails, the path has no
// value. There is one exception: a filter that tests whether something exists uses the values that
// the step found before it failed.
package jsonpath

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/client-go/third_party/forked/golang/template"
	"k8s.io/client-go/util/jsonpath"
)

// maxVisits limits the values that the evaluation of a path visits.
const maxVisits = 1_000_000

// A Path is a parsed JSONPath. It is immutable and safe for concurrent use.
type Path struct{ nodes []jsonpath.Node }

// Parse parses a path as definitions write it, without braces. Errors of the parser contain name.
func Parse(name, text string) (Path, error) {
	parser, err := jsonpath.Parse(name, "{"+text+"}")
	if err != nil {
		return Path{}, err
	}
	return Path{nodes: parser.Root.Nodes}, nil
}

// First returns the first value at p. It returns false if there is none or a step fails.
func (p Path) First(obj map[string]any) (any, bool) {
	results, err := p.Find(obj)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return nil, false
	}
	return results[0][0], true
}

// Find returns a list of values for each part of p. A text such as .a}{.b has two parts. Within a
// range there is one list for each element. Find returns an error if a step fails. Only the error
// about an unknown identifier has the text of client-go.
func (p Path) Find(obj map[string]any) ([][]any, error) {
	w := walk{visits: maxVisits}
	results, ok := w.all(obj, p.nodes)
	switch {
	case ok:
		return results, nil
	case w.unknown != "":
		return nil, fmt.Errorf("unrecognized identifier %s", w.unknown)
	default:
		return nil, errMisfit
	}
}

var errMisfit = errors.New("the path does not fit the object")

// noValue is what the body of a range reads if the range has no values. It has no fields. Unlike
// with null, steps that need an array fail.
type noValue struct{}

// A walk is one evaluation.
type walk struct {
	begun   int // ranges whose loop has not started
	inside  int // running loops
	ended   int // ends that have not yet stopped a loop
	lastEnd *jsonpath.Node
	visits  int    // visits that are left
	unknown string // the unknown identifier that made the walk fail
}

func (w *walk) all(data any, nodes []jsonpath.Node) ([][]any, bool) {
	var out [][]any
	for i := 0; i < len(nodes); i++ {
		values, ok := w.step([]any{data}, nodes[i])
		if !ok {
			return nil, false
		}
		if w.ended > 0 && w.ended <= w.inside {
			w.ended--
			w.lastEnd = &nodes[i]
			break
		}
		if w.begun == 0 {
			out = append(out, values)
			continue
		}
		looped, ok := w.loop(values, nodes[i+1:])
		if !ok {
			return nil, false
		}
		out = append(out, looped...)
		for k := i + 1; k < len(nodes); k++ {
			if &nodes[k] == w.lastEnd {
				i = k
				break
			}
		}
	}
	return out, true
}

// loop evaluates the body of a range for each value. If there are no values, it evaluates the body
// once to find the end of the range.
func (w *walk) loop(values []any, body []jsonpath.Node) ([][]any, bool) {
	w.begun--
	w.inside++
	defer func() { w.inside-- }()
	if len(values) == 0 {
		_, ok := w.all(noValue{}, body)
		return nil, ok
	}
	var out [][]any
	for _, value := range values {
		results, ok := w.all(value, body)
		if !ok {
			return nil, false
		}
		out = append(out, results...)
	}
	return out, true
}

func (w *walk) step(values []any, node jsonpath.Node) ([]any, bool) {
	if w.visits -= 1 + len(values); w.visits < 0 {
		return nil, false
	}
	switch node := node.(type) {
	case *jsonpath.ListNode:
		return w.list(values, node)
	case *jsonpath.FieldNode:
		return fields(values, node.Value), true
	case *jsonpath.ArrayNode:
		return elements(values, node.Params)
	case *jsonpath.WildcardNode:
		return w.wildcard(values)
	case *jsonpath.RecursiveNode:
		return w.descend(nil, values)
	case *jsonpath.UnionNode:
		return w.union(values, node)
	case *jsonpath.FilterNode:
		return w.filter(values, node)
	case *jsonpath.IdentifierNode:
		return w.identifier(values, node.Name)
	case *jsonpath.TextNode:
		return []any{node.Text}, true
	case *jsonpath.IntNode:
		return slices.Repeat([]any{node.Value}, len(values)), true
	case *jsonpath.FloatNode:
		return slices.Repeat([]any{node.Value}, len(values)), true
	case *jsonpath.BoolNode:
		return slices.Repeat([]any{node.Value}, len(values)), true
	default:
		return values, false
	}
}

func (w *walk) list(values []any, node *jsonpath.ListNode) ([]any, bool) {
	for _, child := range node.Nodes {
		var ok bool
		if values, ok = w.step(values, child); !ok {
			return values, false
		}
	}
	return values, true
}

func (w *walk) union(values []any, node *jsonpath.UnionNode) ([]any, bool) {
	var out []any
	for _, member := range node.Nodes {
		found, ok := w.list(values, member)
		if !ok {
			return values, false
		}
		out = append(out, found...)
	}
	return out, true
}

func (w *walk) identifier(values []any, name string) ([]any, bool) {
	switch name {
	case "range":
		w.begun++
		return values, true
	case "end":
		if w.inside == 0 {
			return nil, false
		}
		w.ended++
		return nil, true
	default:
		w.unknown = name
		return values, false
	}
}

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

// elements returns the elements that start, end and step in params select from arrays. Null has no
// elements. Other values, and bounds outside of an array, make the step fail.
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

// bounds returns start and end in an array of n elements. Negative numbers count from the end. The
// parser turns the index -1 into the range from -1 to 0. This 0 means n.
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

// wildcard returns all fields of objects, elements of arrays, and bytes of strings.
func (w *walk) wildcard(values []any) ([]any, bool) {
	var out []any
	for _, value := range values {
		out = append(out, children(value)...)
	}
	w.visits -= len(out)
	return out, w.visits >= 0
}

// descend appends each value that has children, and after it the values below it that have
// children.
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

// filter returns the elements of arrays for which the comparison is true. It fails if a value is
// not an array.
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

// compare applies operator to left and right. ok is false if they cannot be compared.
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
