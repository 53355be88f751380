package objects

import (
	"iter"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A site is a value of an object, or a member or an element that it may get.
type site struct {
	name    string
	props   *apiextensionsv1.JSONSchemaProps
	value   any
	present bool
	set     func(any)
	remove  func() // nil for the root and for required members
}

// sorted yields the properties in increasing order of name.
func sorted(m map[string]apiextensionsv1.JSONSchemaProps) iter.Seq2[string, apiextensionsv1.JSONSchemaProps] {
	return func(yield func(string, apiextensionsv1.JSONSchemaProps) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

func required(p *apiextensionsv1.JSONSchemaProps, name string) bool {
	return slices.Contains(p.Required, name)
}

// rootSite returns the site of a whole object.
func (s *Space) rootSite(obj map[string]any) *site {
	return &site{props: s.props, value: obj, present: true, set: func(any) {}}
}

// children returns the sites of the members or elements of a value: declared members,
// present or not, entries of maps, and elements.
func (x *site) children() []*site {
	switch v := x.value.(type) {
	case map[string]any:
		return x.members(v)
	case []any:
		return x.elements(v)
	}
	return nil
}

func (x *site) members(obj map[string]any) (out []*site) {
	for name, child := range sorted(x.props.Properties) {
		if m := x.member(obj, name, &child); m != nil {
			out = append(out, m)
		}
	}
	values := x.props.AdditionalProperties
	if values == nil || values.Schema == nil {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if _, declared := x.props.Properties[name]; !declared {
			out = append(out, x.member(obj, name, values.Schema))
		}
	}
	return out
}

// nameProps is the schema of metadata.name.
var nameProps = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
	"name": {Type: "string", Format: "k8s-long-name"},
}, Required: []string{"name"}}

func (x *site) member(obj map[string]any, name string, props *apiextensionsv1.JSONSchemaProps) *site {
	if isHead(name) && obj["apiVersion"] != nil && obj["metadata"] != nil && x.remove == nil {
		if name != "metadata" {
			return nil
		}
		if len(props.Properties) == 0 {
			props = &nameProps
		}
	}
	value, present := obj[name]
	m := &site{name: name, props: props, value: value, present: present, set: func(v any) { obj[name] = v }}
	if name != "metadata" || x.remove != nil {
		m.remove = func() { delete(obj, name) }
	}
	return m
}

func (x *site) elements(list []any) (out []*site) {
	if x.props.Items == nil || x.props.Items.Schema == nil {
		return nil
	}
	for i := range list {
		out = append(out, &site{
			props: x.props.Items.Schema, value: list[i], present: true,
			set:    func(v any) { list[i] = v },
			remove: func() { x.set(slices.Delete(slices.Clone(list), i, i+1)) },
		})
	}
	return out
}

// all returns the site and those below it, at most max of them.
func (x *site) all(out []*site, most int) []*site {
	if len(out) >= most {
		return out
	}
	out = append(out, x)
	if !x.present {
		return out
	}
	for _, child := range x.children() {
		out = child.all(out, most)
	}
	return out
}

// maxSites is how many sites one change chooses from.
const maxSites = 2000

// at returns the sites of the values of a schema pointer. The pointer leads through
// properties, items and additionalProperties.
func (x *site) at(steps []string) []*site {
	if len(steps) == 0 {
		return []*site{x}
	}
	var out []*site
	for _, child := range x.children() {
		if !child.present {
			continue
		}
		switch {
		case steps[0] == "properties" && len(steps) > 1 && child.name == steps[1]:
			out = append(out, child.at(steps[2:])...)
		case steps[0] == "items" && isList(x.value):
			out = append(out, child.at(steps[1:])...)
		case steps[0] == "additionalProperties" && !isList(x.value):
			if _, declared := x.props.Properties[child.name]; !declared {
				out = append(out, child.at(steps[1:])...)
			}
		}
	}
	return out
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
