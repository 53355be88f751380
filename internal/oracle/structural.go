package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
)

// brokenSchemas is the number of broken copies of each schema to compare.
const brokenSchemas = 6

// structural compares the structural errors of a schema, and of copies of it that are
// broken at a few locations.
func (c *check) structural(props *apiextensionsv1.JSONSchemaProps) {
	path := field.NewPath("spec", "versions").Index(0).Child("schema", "openAPIV3Schema")
	c.name = "schema"
	c.schemaErrors(props, path)
	for i := range brokenSchemas {
		c.name = fmt.Sprintf("broken schema %d", i)
		rng := source(c.def.CRD.Name, c.up.Name, c.name)
		broken := props.DeepCopy()
		for range 1 + rng.IntN(3) {
			breakSchema(rng, broken)
		}
		c.schemaErrors(broken, path)
	}
}

func (c *check) schemaErrors(props *apiextensionsv1.JSONSchemaProps, path *field.Path) {
	c.guard("structural", nil, func() {
		_, errs := schema.Compile(props, schema.AtPath(path))
		mine := upstream.Lines(errs)
		var diff string
		for range c.tally.patience("structural", 1) { // the first unsupported field is random
			theirs := upstream.Lines(upstream.StructuralErrors(props, path))
			if slices.Equal(theirs, mine) {
				return
			}
			diff = upstream.Diff(theirs, mine)
		}
		c.differ("structural", "errors", diff, nil)
	})
}

// breakSchema changes a schema at one location so that the schema is not, or
// may not be, structural.
func breakSchema(rng *rand.Rand, root *apiextensionsv1.JSONSchemaProps) {
	locations := []func(func(*apiextensionsv1.JSONSchemaProps)){func(f func(*apiextensionsv1.JSONSchemaProps)) { f(root) }}
	collect(root, &locations, 0)
	location := locations[rng.IntN(len(locations))]
	if rng.IntN(6) == 0 {
		location = locations[0]
	}
	fault := faults[rng.IntN(len(faults))]
	location(fault)
}

// collect lists editors of all schemas below p.
func collect(p *apiextensionsv1.JSONSchemaProps, locations *[]func(func(*apiextensionsv1.JSONSchemaProps)), depth int) {
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		*locations = append(*locations, func(f func(*apiextensionsv1.JSONSchemaProps)) {
			child, ok := p.Properties[name]
			if ok {
				f(&child)
				p.Properties[name] = child
			}
		})
		// The child is a copy, but the schemas below it share memory with the entry
		// of the map.
		if child := p.Properties[name]; depth < 6 {
			collect(&child, locations, depth+1)
		}
	}
	nested := []*apiextensionsv1.JSONSchemaProps{p.Not}
	if p.Items != nil {
		nested = append(nested, p.Items.Schema)
	}
	if p.AdditionalProperties != nil {
		nested = append(nested, p.AdditionalProperties.Schema)
	}
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{p.AllOf, p.AnyOf, p.OneOf} {
		for i := range list {
			nested = append(nested, &list[i])
		}
	}
	for _, child := range nested {
		if child != nil && depth < 6 {
			*locations = append(*locations, func(f func(*apiextensionsv1.JSONSchemaProps)) { f(child) })
			collect(child, locations, depth+1)
		}
	}
}

func branch() apiextensionsv1.JSONSchemaProps {
	low := 1.0
	return apiextensionsv1.JSONSchemaProps{Minimum: &low}
}

func text(s string) *string { return &s }

func truth(b bool) *bool { return &b }

var faults = []func(p *apiextensionsv1.JSONSchemaProps){
	func(p *apiextensionsv1.JSONSchemaProps) { p.Type = "" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Type = "array" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Type = "string" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Type = "object" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Items = nil },
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []apiextensionsv1.JSONSchemaProps{{Type: "string"}}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) { p.XIntOrString = !p.XIntOrString },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XPreserveUnknownFields = truth(true) },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XPreserveUnknownFields = truth(false) },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XEmbeddedResource = true },
	func(p *apiextensionsv1.JSONSchemaProps) { p.UniqueItems = true },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Nullable = true },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Default = &apiextensionsv1.JSON{Raw: []byte(`{"a":1}`)} },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Default = &apiextensionsv1.JSON{Raw: []byte(`null`)} },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Example = &apiextensionsv1.JSON{Raw: []byte(`1`)} },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Title = "title" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Description = "description" },
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.ExternalDocs = &apiextensionsv1.ExternalDocumentation{URL: "x"}
	},
	func(p *apiextensionsv1.JSONSchemaProps) { p.Pattern = "(" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Required = []string{} },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Required = []string{"name"} },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XListType = text("map") },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XListType = text("set") },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XListMapKeys = []string{"name", "name"} },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XMapType = text("atomic") },
	func(p *apiextensionsv1.JSONSchemaProps) { p.XMapType = text("odd") },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Not = &apiextensionsv1.JSONSchemaProps{Type: "string"} },
	func(p *apiextensionsv1.JSONSchemaProps) { b := branch(); p.Not = &b },
	func(p *apiextensionsv1.JSONSchemaProps) { p.AllOf = append(p.AllOf, branch()) },
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AnyOf = append(p.AnyOf, apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"odd": branch()}})
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.OneOf = append(p.OneOf, apiextensionsv1.JSONSchemaProps{Required: []string{"x"}, Type: "object"})
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AllOf = append(p.AllOf, apiextensionsv1.JSONSchemaProps{AnyOf: []apiextensionsv1.JSONSchemaProps{{Type: "integer"}, {Type: "string"}}})
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AnyOf = []apiextensionsv1.JSONSchemaProps{{Type: "integer"}, {Type: "string"}}
		p.XIntOrString = true
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AnyOf = append(p.AnyOf, apiextensionsv1.JSONSchemaProps{Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{MinLength: new(int64)}}})
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AnyOf = append(p.AnyOf, apiextensionsv1.JSONSchemaProps{
			AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{}}})
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		if p.Properties == nil {
			p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		p.Properties["metadata"] = apiextensionsv1.JSONSchemaProps{Type: "object", Description: "d",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": {Type: "string"}, "labels": {Type: "object"}}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		if p.Properties == nil {
			p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		p.Properties["kind"] = apiextensionsv1.JSONSchemaProps{Type: "integer"}
		p.Properties["metadata"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	},
	func(p *apiextensionsv1.JSONSchemaProps) { p.ID = "x" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Schema = "x" },
	func(p *apiextensionsv1.JSONSchemaProps) { p.Ref = text("#/x") },
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.Definitions = apiextensionsv1.JSONSchemaDefinitions{"x": {}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.PatternProperties = map[string]apiextensionsv1.JSONSchemaProps{"x": {}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.Dependencies = apiextensionsv1.JSONSchemaDependencies{"x": {Property: []string{"y"}}}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.AdditionalItems = &apiextensionsv1.JSONSchemaPropsOrBool{}
	},
	func(p *apiextensionsv1.JSONSchemaProps) {
		p.XValidations = apiextensionsv1.ValidationRules{{Rule: "true"}}
	},
}
