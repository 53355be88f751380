package validation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// A listRun finds duplicate elements of sets and map lists, and elements of the latter that
// are no objects. [leafcheck.List] says what is equal.
type listRun struct {
	stack    pathstack.Stack
	errs     ErrorList
	limit    *limit
	checkAll bool   // collect errors of valid lists too, of which there are none
	buf      []byte // for texts
}

func (r *listRun) walk(n *leafcheck.Node, v any) {
	if n == nil || !n.HasLists {
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
	r.elements(n, list)
	if n.Items == nil || !n.Items.HasLists {
		return
	}
	for i, v := range list {
		r.stack.Push(pathstack.Item, "", i)
		r.walk(n.Items, v)
		r.stack.Pop()
	}
}

// elements reports the second occurrence of each element, and in a map list the first that
// is no object.
func (r *listRun) elements(n *leafcheck.Node, list []any) {
	l := n.List
	if l == nil || l.Kind == leafcheck.AnyList || !r.checkAll && l.Distinct(list) {
		return
	}
	shown := func(v any) any { return v }
	if l.Kind == leafcheck.MapList {
		for i, v := range list {
			if _, ok := v.(map[string]any); v != nil && !ok {
				r.at(i, *field.Invalid(nil, v, "must be an object for an array of list-type map"))
				return
			}
		}
		shown = func(v any) any { return l.KeysOf(v) }
	}
	times := make(map[any]int, len(list))
	var second []int
	for i, v := range list {
		id, err := l.Identity(v)
		if err != nil {
			r.at(i, *field.Invalid(nil, shown(v), "internal error"))
			return
		}
		if times[id]++; times[id] == 2 {
			second = append(second, i)
		}
	}
	for _, i := range second {
		r.at(i, *field.Duplicate(nil, shown(list[i])))
	}
}

// at adds an error of the element at an index, whose field e lacks.
func (r *listRun) at(i int, e field.Error) {
	if over := r.limit.over(len(r.errs), e.Type); over != nil {
		r.errs = append(r.errs, over)
		return
	}
	b := r.stack.AppendSchemaPointer(r.buf[:0])
	schema := len(b)
	r.stack.Push(pathstack.Item, "", i)
	b = r.stack.AppendPointer(b)
	pointer := len(b)
	b = r.stack.AppendFieldPath(b)
	r.stack.Pop()
	r.buf = b
	all := string(b)
	x := &located{field: e}
	x.field.Field = all[pointer:]
	x.err = Error{fieldError: &x.field, Pointer: all[schema:pointer], Step: StepListType, SchemaPointer: all[:schema], Rule: -1}
	r.errs = append(r.errs, &x.err)
}
