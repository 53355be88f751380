package compat

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// probeObjects is how many generated objects a probe tries.
const probeObjects = 16

// A schemaStep is one step from a schema to one below it: to a property, or to the
// schema of all elements of a list or of all entries of a map.
type schemaStep struct {
	property string
	kind     stepKind
}

type stepKind uint8

const (
	toProperty stepKind = iota
	toItems
	toAdditional
)

// A probe searches for a witness: a generated object of one version, with a value at a
// path, that an edit has changed and that has a property. Smaller objects with the
// property are preferred.
type probe struct {
	crd   *apiextensionsv1.CustomResourceDefinition
	index int // of the version
	path  []schemaStep
	items int64 // the least number of elements of the list at path
	// edit changes an object, and reports false if it cannot. Nil changes nothing.
	edit func(obj map[string]any) bool
	// holds reports whether an object has the property.
	holds func(obj map[string]any) bool
}

// find returns an object with the property, nil if none is found.
func (p *probe) find(ctx context.Context) map[string]any {
	v := &p.crd.Spec.Versions[p.index]
	root, _ := schema.Compile(forced(crdversion.Schema(v), p.path, p.items), schema.Unstructured(), schema.WithoutAnnotations())
	space := search.New(root, search.Head{
		APIVersion: p.crd.Spec.Group + "/" + v.Name, Kind: p.crd.Spec.Names.Kind,
		Namespaced: p.crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	for range probeObjects {
		if ctx.Err() != nil {
			return nil
		}
		obj := whole(space.Object(rng, false)).(map[string]any)
		if p.edit != nil && !p.edit(obj) || !p.holds(obj) {
			continue
		}
		return search.Minimize(ctx, obj,
			func(obj map[string]any) map[string]any { return obj },
			func(candidate map[string]any) (map[string]any, bool) { return candidate, p.holds(candidate) })
	}
	return nil
}

// forced returns a schema that admits only those objects of a schema that have a value,
// not null, at a path. If it is a list, it has at least so many elements. It copies what
// it changes.
func forced(s *apiextensionsv1.JSONSchemaProps, path []schemaStep, items int64) *apiextensionsv1.JSONSchemaProps {
	if s == nil {
		return nil
	}
	changed := *s
	changed.Nullable = false
	if len(path) == 0 {
		if items > 0 {
			changed.MinItems = atLeast(changed.MinItems, items)
		}
		return &changed
	}
	switch step := path[0]; step.kind {
	case toProperty:
		child := s.Properties[step.property]
		changed.Properties = maps.Clone(s.Properties)
		if changed.Properties != nil {
			changed.Properties[step.property] = *forced(&child, path[1:], items)
		}
		if !slices.Contains(s.Required, step.property) {
			changed.Required = append(slices.Clone(s.Required), step.property)
		}
	case toItems:
		changed.MinItems = atLeast(changed.MinItems, 1)
		if s.Items != nil {
			changed.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: forced(s.Items.Schema, path[1:], items)}
		}
	case toAdditional:
		changed.MinProperties = atLeast(changed.MinProperties, 1)
		if s.AdditionalProperties != nil {
			changed.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: forced(s.AdditionalProperties.Schema, path[1:], items)}
		}
	}
	return &changed
}

func atLeast(bound *int64, least int64) *int64 {
	if bound != nil && *bound >= least {
		return bound
	}
	return &least
}

// valueAt returns the value at a path of schemas: in the first element of each list and
// the first entry of each map.
func valueAt(v any, path []schemaStep) any {
	for _, step := range path {
		switch parent := v.(type) {
		case map[string]any:
			name := step.property
			if step.kind == toAdditional && len(parent) > 0 {
				name = slices.Min(slices.Collect(maps.Keys(parent)))
			}
			v = parent[name]
		case []any:
			if len(parent) == 0 {
				return nil
			}
			v = parent[0]
		default:
			return nil
		}
	}
	return v
}
