package search

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A site is a value of an object, or a member or an element that it may get.
type site struct {
	name    string
	at      *location
	props   *apiextensionsv1.JSONSchemaProps // of at
	value   any
	present bool
	set     func(any)
	remove  func() // nil for the root and for required members
}

// A location is a schema with its children, of which the properties are in increasing
// order of name. JSONSchemaProps are large, and maps of them only return copies.
type location struct {
	props    *apiextensionsv1.JSONSchemaProps
	names    []string
	children []*location // in the order of names
	items    *location
	values   *location // of entries of maps
}

func newLocation(p *apiextensionsv1.JSONSchemaProps) *location {
	l := &location{props: p}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		child := p.Properties[name]
		l.names, l.children = append(l.names, name), append(l.children, newLocation(&child))
	}
	if p.Items != nil && p.Items.Schema != nil {
		l.items = newLocation(p.Items.Schema)
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		l.values = newLocation(p.AdditionalProperties.Schema)
	}
	return l
}

// property returns the location of a declared property, nil if there is none.
func (l *location) property(name string) *location {
	if i, ok := slices.BinarySearch(l.names, name); ok {
		return l.children[i]
	}
	return nil
}

func required(p *apiextensionsv1.JSONSchemaProps, name string) bool {
	return slices.Contains(p.Required, name)
}

// rootSite returns the site of a whole object.
func (s *Space) rootSite(obj map[string]any) *site {
	return &site{at: s.location, props: s.location.props, value: obj, present: true, set: func(any) {}}
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
	for i, name := range x.at.names {
		if m := x.member(obj, name, x.at.children[i]); m != nil {
			out = append(out, m)
		}
	}
	if x.at.values == nil {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if x.at.property(name) == nil {
			out = append(out, x.member(obj, name, x.at.values))
		}
	}
	return out
}

// metadataProps is the schema of metadata, for a definition that declares nothing in it.
var metadataProps = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
	"name": {Type: "string", Format: "k8s-long-name"},
}, Required: []string{"name"}}

func (x *site) member(obj map[string]any, name string, at *location) *site {
	if isHead(name) && obj["apiVersion"] != nil && obj["metadata"] != nil && x.remove == nil {
		if name != "metadata" {
			return nil
		}
		if len(at.names) == 0 {
			at = newLocation(&metadataProps)
		}
	}
	value, present := obj[name]
	m := &site{name: name, at: at, props: at.props, value: value, present: present, set: func(v any) { obj[name] = v }}
	if name != "metadata" || x.remove != nil {
		m.remove = func() { delete(obj, name) }
	}
	return m
}

func (x *site) elements(list []any) (out []*site) {
	if x.at.items == nil {
		return nil
	}
	for i := range list {
		out = append(out, &site{
			at: x.at.items, props: x.at.items.props, value: list[i], present: true,
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

// below returns the sites of the values of a schema pointer. The pointer leads through
// properties, items and additionalProperties.
func (x *site) below(steps []string) []*site {
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
			out = append(out, child.below(steps[2:])...)
		case steps[0] == "items" && isList(x.value):
			out = append(out, child.below(steps[1:])...)
		case steps[0] == "additionalProperties" && !isList(x.value):
			if x.at.property(child.name) == nil {
				out = append(out, child.below(steps[1:])...)
			}
		}
	}
	return out
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
