package generate

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// constraints is a schema with its allOf branches, and one branch each of its
// anyOf and oneOf, merged in. The merge is approximate: an object that
// satisfies the result may be invalid.
type constraints struct {
	apiextensionsv1.JSONSchemaProps
	forbidden map[string]bool // properties that a negation excludes
}

func (r *run) constraintsOf(p *apiextensionsv1.JSONSchemaProps) *constraints {
	r.work += 1 + len(p.OneOf) + len(p.AnyOf)
	s := &constraints{JSONSchemaProps: *p}
	for i := range p.AllOf {
		s.merge(&r.constraintsOf(&p.AllOf[i]).JSONSchemaProps)
	}
	if len(p.AnyOf) > 0 {
		s.merge(&r.constraintsOf(&p.AnyOf[r.rng.IntN(len(p.AnyOf))]).JSONSchemaProps)
	}
	if len(p.OneOf) > 0 {
		chosen := r.rng.IntN(len(p.OneOf))
		for i := range p.OneOf {
			if i != chosen {
				s.forbid(&p.OneOf[i])
			}
		}
		branch := r.constraintsOf(&p.OneOf[chosen])
		for _, name := range branch.Required {
			delete(s.forbidden, name)
		}
		s.merge(&branch.JSONSchemaProps)
	}
	if p.Not != nil {
		s.forbid(p.Not)
	}
	return s
}

// forbid makes a branch fail by forbidding the properties that it requires. It
// does not handle branches that require none.
func (s *constraints) forbid(branch *apiextensionsv1.JSONSchemaProps) {
	if s.forbidden == nil {
		s.forbidden = map[string]bool{}
	}
	for _, name := range branch.Required {
		s.forbidden[name] = true
	}
	for i := range branch.AnyOf {
		s.forbid(&branch.AnyOf[i])
	}
}

// merge adds the constraints of a branch.
func (s *constraints) merge(b *apiextensionsv1.JSONSchemaProps) {
	s.Required = append(slices.Clone(s.Required), b.Required...)
	if len(b.Enum) > 0 {
		s.Enum = b.Enum
	}
	if b.Pattern != "" {
		s.Pattern = b.Pattern
	}
	if b.Format != "" {
		s.Format = b.Format
	}
	if s.Type == "" {
		s.Type = b.Type
	}
	mergeLimits(&s.JSONSchemaProps, b)
	s.mergeChildren(b)
}

func mergeLimits(s, b *apiextensionsv1.JSONSchemaProps) {
	s.MinLength, s.MaxLength = higher(s.MinLength, b.MinLength), lower(s.MaxLength, b.MaxLength)
	s.MinItems, s.MaxItems = higher(s.MinItems, b.MinItems), lower(s.MaxItems, b.MaxItems)
	s.MinProperties, s.MaxProperties = higher(s.MinProperties, b.MinProperties), lower(s.MaxProperties, b.MaxProperties)
	s.Minimum, s.Maximum = higher(s.Minimum, b.Minimum), lower(s.Maximum, b.Maximum)
	if b.MultipleOf != nil {
		s.MultipleOf = b.MultipleOf
	}
}

func (s *constraints) mergeChildren(b *apiextensionsv1.JSONSchemaProps) {
	if len(b.Properties) > 0 && len(s.Properties) > 0 {
		merged := maps.Clone(s.Properties)
		for name, demand := range b.Properties {
			if child, ok := merged[name]; ok {
				child.AllOf = append(slices.Clone(child.AllOf), demand)
				merged[name] = child
			}
		}
		s.Properties = merged
	}
	if demand, own := itemSchema(b), itemSchema(&s.JSONSchemaProps); demand != nil && own != nil {
		child := *own
		child.AllOf = append(slices.Clone(child.AllOf), *demand)
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &child}
	}
}

func higher[T int64 | float64](a, b *T) *T {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func lower[T int64 | float64](a, b *T) *T {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}
