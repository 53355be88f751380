package search

import (
	"maps"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
)

// A site is a value of an object, or a member or an element that it may get.
type site struct {
	name    string
	node    *schema.Node
	value   any
	present bool
	set     func(any)
	remove  func() // nil for the root and for its metadata
}

// rootSite returns the site of a whole object.
func (s *Space) rootSite(obj map[string]any) *site {
	return &site{node: s.root, value: obj, present: true, set: func(any) {}}
}

// children returns the sites of declared members, present or not, entries and elements.
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
	add := func(name string, n *schema.Node) {
		if m := x.member(obj, name, n); m != nil {
			out = append(out, m)
		}
	}
	for name, child := range x.node.Properties() {
		add(name, child)
	}
	if values, _ := x.node.AdditionalProperties(); values != nil {
		for _, name := range slices.Sorted(maps.Keys(obj)) {
			if x.node.Property(name) == nil {
				add(name, values)
			}
		}
	}
	return out
}

// metadataNode returns the schema of metadata, for a definition that declares nothing in it.
var metadataNode = sync.OnceValue(func() *schema.Node {
	node, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"name"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"name": {Type: "string", Format: "k8s-long-name"},
	}})
	return node
})

// member returns the site of a member, nil for apiVersion and kind of the whole object.
func (x *site) member(obj map[string]any, name string, n *schema.Node) *site {
	if isHead(name) && obj["apiVersion"] != nil && obj["metadata"] != nil && x.remove == nil {
		if name != "metadata" {
			return nil
		}
		if n.Len() == 0 {
			n = metadataNode()
		}
	}
	value, present := obj[name]
	m := &site{name: name, node: n, value: value, present: present, set: func(v any) { obj[name] = v }}
	if name != "metadata" || x.remove != nil {
		m.remove = func() { delete(obj, name) }
	}
	return m
}

func (x *site) elements(list []any) (out []*site) {
	items := x.node.Items()
	if items == nil {
		return nil
	}
	for i := range list {
		out = append(out, &site{
			node: items, value: list[i], present: true,
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

// below returns the values of a schema pointer through properties, items and
// additionalProperties.
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
			if x.node.Property(child.name) == nil {
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
