package defaulting

import (
	"maps"
	"slices"
)

// A template is a value to copy. It keeps the names of a map in a list, as
// ranging over a list is faster than ranging over a map.
type template struct {
	scalar any // of a scalar
	names  []string
	values []template // of a map in the order of names, or of the elements of a list
	kind   templateKind
}

type templateKind uint8

const (
	templateScalar templateKind = iota
	templateMap
	templateList
)

func templateOf(v any) template {
	switch v := v.(type) {
	case map[string]any:
		t := template{kind: templateMap}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t.names = append(t.names, name)
			t.values = append(t.values, templateOf(v[name]))
		}
		return t
	case []any:
		t := template{kind: templateList, values: make([]template, 0, len(v))}
		for _, e := range v {
			t.values = append(t.values, templateOf(e))
		}
		return t
	default:
		return template{scalar: v}
	}
}

// copy returns a new copy of the value. Copies share scalars only.
func (t *template) copy() any {
	switch t.kind {
	case templateMap:
		m := make(map[string]any, len(t.names))
		for i, name := range t.names {
			m[name] = t.values[i].copy()
		}
		return m
	case templateList:
		list := make([]any, len(t.values))
		for i := range list {
			list[i] = t.values[i].copy()
		}
		return list
	default:
		return t.scalar
	}
}
