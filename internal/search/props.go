package search

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/generate"
	"github.com/crdkit/crdkit/schema"
)

// props returns the schema of a compiled one, as far as a [generate.Generator] uses it:
// without rules and descriptions.
func props(n *schema.Node) *apiextensionsv1.JSONSchemaProps {
	p := &apiextensionsv1.JSONSchemaProps{
		Type: n.Type(), Nullable: n.Nullable(),
		XEmbeddedResource: n.EmbeddedResource(), XIntOrString: n.IntOrString(),
		XListMapKeys: n.ListMapKeys(),
	}
	if n.PreserveUnknownFields() {
		keep := true
		p.XPreserveUnknownFields = &keep
	}
	if listType, ok := n.ListType(); ok {
		p.XListType = &listType
	}
	if def, ok := n.Default(); ok {
		p.Default = &apiextensionsv1.JSON{Raw: generate.Encode(def)}
	}
	setParts(p, n, props)
	if values, ok := n.AdditionalProperties(); ok {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: n.AllowsAdditionalProperties()}
		if values != nil {
			p.AdditionalProperties.Schema = props(values)
		}
	}
	return p
}

// setParts sets what a node and a branch have alike. child converts a part of the schema.
func setParts[S part[S]](p *apiextensionsv1.JSONSchemaProps, s S, child func(S) *apiextensionsv1.JSONSchemaProps) {
	var none S
	setLimits(p, s.Limits())
	p.AllOf, p.AnyOf, p.OneOf = branches(s.AllOf()), branches(s.AnyOf()), branches(s.OneOf())
	if not := s.Not(); not != nil {
		p.Not = branch(not)
	}
	if s.Len() > 0 {
		p.Properties = make(map[string]apiextensionsv1.JSONSchemaProps, s.Len())
		for name, property := range s.Properties() {
			p.Properties[name] = *child(property)
		}
	}
	if items := s.Items(); items != none {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: child(items)}
	}
}

func branches(list []*schema.Branch) (out []apiextensionsv1.JSONSchemaProps) {
	for _, b := range list {
		out = append(out, *branch(b))
	}
	return out
}

// branch returns the schema of a branch of a junctor.
func branch(b *schema.Branch) *apiextensionsv1.JSONSchemaProps {
	p := &apiextensionsv1.JSONSchemaProps{Type: b.Type(), Nullable: b.Nullable(), XIntOrString: b.IntOrString()}
	setParts(p, b, branch)
	if values, ok := b.AdditionalProperties(); ok && values != nil {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: branch(values)}
	}
	return p
}

func setLimits(p *apiextensionsv1.JSONSchemaProps, l schema.Limits) {
	p.Format, p.Pattern, p.Required, p.UniqueItems = l.Format, l.Pattern, l.Required, l.UniqueItems
	p.Minimum, p.ExclusiveMinimum = bound(l.Minimum)
	p.Maximum, p.ExclusiveMaximum = bound(l.Maximum)
	p.MultipleOf, _ = bound(l.MultipleOf)
	p.MinLength, p.MaxLength = count(l.MinLength), count(l.MaxLength)
	p.MinItems, p.MaxItems = count(l.MinItems), count(l.MaxItems)
	p.MinProperties, p.MaxProperties = count(l.MinProperties), count(l.MaxProperties)
	for _, v := range l.Enum {
		p.Enum = append(p.Enum, apiextensionsv1.JSON{Raw: generate.Encode(v)})
	}
}

func bound(b schema.Bound) (*float64, bool) {
	if !b.Set {
		return nil, false
	}
	return &b.Value, b.Exclusive
}

func count(c schema.Count) *int64 {
	if !c.Set {
		return nil
	}
	return &c.N
}
