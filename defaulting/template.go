package defaulting

import (
	"maps"
	"slices"
)

// A template is a value to be copied. Making a map from a list of names is
// quicker than from another map.
type template struct {
	scalar any // if kind is scalar
	names  []string
	values []template // of the names, or of the elements of a list
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

// copy returns a new copy of the value. Scalars, which cannot change, are
// shared.
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
