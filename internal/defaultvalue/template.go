package defaultvalue

import (
	"maps"
	"slices"
)

// A Template is a value to copy. It keeps the names of a map in a list, as ranging
// over a list is faster than ranging over a map.
type Template struct {
	scalar any // if kind is templateScalar
	names  []string
	values []Template // of the names, or of the elements of a list
	kind   templateKind
}

type templateKind uint8

const (
	templateScalar templateKind = iota
	templateMap
	templateList
)

// NewTemplate returns a template of v, which must not change from then on.
func NewTemplate(v any) Template {
	switch v := v.(type) {
	case map[string]any:
		t := Template{kind: templateMap}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t.names = append(t.names, name)
			t.values = append(t.values, NewTemplate(v[name]))
		}
		return t
	case []any:
		t := Template{kind: templateList, values: make([]Template, 0, len(v))}
		for _, e := range v {
			t.values = append(t.values, NewTemplate(e))
		}
		return t
	default:
		return Template{scalar: v}
	}
}

// Copy returns a new copy of the value. Copies share scalars, which cannot change.
func (t *Template) Copy() any {
	switch t.kind {
	case templateMap:
		m := make(map[string]any, len(t.names))
		for i, name := range t.names {
			m[name] = t.values[i].Copy()
		}
		return m
	case templateList:
		list := make([]any, len(t.values))
		for i := range list {
			list[i] = t.values[i].Copy()
		}
		return list
	default:
		return t.scalar
	}
}
