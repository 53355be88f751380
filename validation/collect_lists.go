package validation

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/pathstack"
)

// A listRun finds duplicate elements of lists of type set and map, and elements
// of lists of type map that are not objects. [leafcheck.List] defines which
// elements are equal.
type listRun struct {
	stack   pathstack.Stack
	errs    ErrorList
	omitted tally
	bounds  call
}

func (r *listRun) walk(n *leafcheck.Node, v any) {
	if n == nil || !n.HasLists || r.bounds.watch.Ended() {
		return
	}
	switch v := v.(type) {
	case []any:
		r.list(n, v)
	case map[string]any:
		r.object(n, v)
	}
}

func (r *listRun) object(n *leafcheck.Node, obj map[string]any) {
	if a := n.Fields.Additional; a != nil && a.HasLists {
		for _, name := range slices.Sorted(maps.Keys(obj)) {
			r.stack.Push(pathstack.Entry, name, 0)
			r.walk(a, obj[name])
			r.stack.Pop()
		}
	}
	for i := range n.Fields.Props {
		p := &n.Fields.Props[i]
		if v, ok := obj[p.Name]; ok && p.Node.HasLists {
			r.stack.Push(pathstack.Property, p.Name, 0)
			r.walk(p.Node, v)
			r.stack.Pop()
		}
	}
}

func (r *listRun) list(n *leafcheck.Node, list []any) {
	if n.List != nil {
		switch n.List.Kind {
		case leafcheck.SetList:
			r.distinct(list, func(i int) any { return list[i] })
		case leafcheck.MapList:
			r.mapList(n.List.Keys, list)
		}
	}
	if n.Items == nil {
		return
	}
	for i, v := range list {
		r.stack.Push(pathstack.Item, "", i)
		r.walk(n.Items, v)
		r.stack.Pop()
	}
}

func (r *listRun) mapList(keys []string, list []any) {
	for i, v := range list {
		if _, ok := v.(map[string]any); v != nil && !ok {
			r.at(i, func(path *field.Path) *field.Error {
				return field.Invalid(path, v, "must be an object for an array of list-type map")
			})
			return
		}
	}
	composite := func(i int) map[string]any {
		obj, _ := list[i].(map[string]any)
		out := map[string]any{}
		for _, k := range keys {
			if v, ok := obj[k]; ok {
				out[k] = v
			}
		}
		return out
	}
	values := make([]any, len(list))
	for i := range list {
		if r.bounds.watch.Ended() {
			return
		}
		c := composite(i)
		values[i] = c
		if len(keys) != 1 {
			continue
		}
		// A single key is compared as a value, several keys by their text.
		values[i] = unspecified{}
		if v, ok := c[keys[0]]; ok {
			values[i] = v
		}
	}
	r.distinct(values, func(i int) any { return composite(i) })
}

// unspecified replaces the single key of an element that does not have it.
type unspecified struct{}

// distinct reports the second occurrence of each value. The bad value of the
// error is shown of its index.
func (r *listRun) distinct(values []any, shown func(i int) any) {
	if len(values) <= 1 {
		return
	}
	times := make(map[any]int, len(values))
	var second []int
	for i, v := range values {
		if r.bounds.watch.Ended() {
			return
		}
		id := v
		switch v.(type) {
		case map[string]any, []any:
			text, err := json.Marshal(v)
			if err != nil {
				r.at(i, func(path *field.Path) *field.Error { return field.Invalid(path, v, "internal error") })
				return
			}
			id = jsonText(text)
		}
		if times[id]++; times[id] == 2 {
			second = append(second, i)
		}
	}
	for _, i := range second {
		if r.bounds.watch.Ended() {
			return
		}
		r.at(i, func(path *field.Path) *field.Error { return field.Duplicate(path, shown(i)) })
	}
}

// jsonText is the JSON text of an object or a list. As a map key it differs
// from every string.
type jsonText string

func (r *listRun) at(i int, report func(*field.Path) *field.Error) {
	if !r.bounds.holds(len(r.errs)) {
		r.omitted.add(report(nil).Type)
		return
	}
	schema := r.stack.SchemaPointer()
	r.stack.Push(pathstack.Item, "", i)
	r.errs = append(r.errs, NewError(report(r.stack.FieldPath()), StepListType, r.stack.Pointer(), schema))
	r.stack.Pop()
}
