// Package jsonsuite has the JSON Schema Test Suite, drafts 4 and 7, as definitions and
// objects.
//
// Each schema of the suite becomes the schema of spec.value in a definition of its own.
// Where it declares no type it preserves unknown fields, and lists have a schema for their
// elements, as structural schemas must.
// Schemas with keywords that definitions do not have are left out, and so are the files
// about references and about keywords that are not in definitions at all. Otherwise the
// files are as the suite has them, with one schema on a line.
package jsonsuite

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

//go:embed testdata
var data embed.FS

// Drafts are the drafts of the suite.
var Drafts = []string{"draft4", "draft7"}

// A Schema is a schema of the suite with its objects.
type Schema struct {
	Draft, File, Name string
	CRD               *apiextensionsv1.CustomResourceDefinition
	Objects           []Object
}

// An Object is a value of the suite.
type Object struct {
	Name   string
	Object map[string]any
	Valid  bool // by JSON Schema
}

// group is the form of the suite.
type group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// Load returns the schemas of a draft that definitions can have, structural or not, and
// the number of the others.
func Load(draft string) (schemas []Schema, others int, err error) {
	files, err := data.ReadDir(path.Join("testdata", draft))
	if err != nil {
		return nil, 0, err
	}
	for _, file := range files {
		text, err := data.ReadFile(path.Join("testdata", draft, file.Name()))
		if err != nil {
			return nil, 0, err
		}
		var groups []group
		if err := json.Unmarshal(text, &groups); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", file.Name(), err)
		}
		for _, g := range groups {
			s := Schema{Draft: draft, File: file.Name(), Name: g.Description}
			if s.CRD = definition(g.Schema); s.CRD == nil {
				others++
				continue
			}
			for _, test := range g.Tests {
				var value any
				if err := utiljson.Unmarshal(test.Data, &value); err != nil {
					return nil, 0, fmt.Errorf("%s: %s: %w", file.Name(), test.Description, err)
				}
				s.Objects = append(s.Objects, Object{test.Description, object(value), test.Valid})
			}
			schemas = append(schemas, s)
		}
	}
	return schemas, others, nil
}

func object(value any) map[string]any {
	return map[string]any{
		"apiVersion": "suite.example.com/v1", "kind": "Suite", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"value": value},
	}
}

// definition returns the definition with a schema, nil if definitions cannot have it.
func definition(text []byte) *apiextensionsv1.CustomResourceDefinition {
	var keywords any
	var s apiextensionsv1.JSONSchemaProps
	if json.Unmarshal(text, &keywords) != nil || !known(keywords) || json.Unmarshal(text, &s) != nil {
		return nil
	}
	complete(&s)
	root := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"value": s}},
	}}
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "suites.suite.example.com"}}
	crd.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "suite.example.com", Scope: apiextensionsv1.ClusterScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "suites", Singular: "suite", Kind: "Suite", ListKind: "SuiteList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
		}},
	}
	return crd
}

// keywords are those of the suite that definitions have with the same meaning.
var keywords = []string{
	"type", "properties", "required", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "items", "additionalProperties",
	"minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not", "default", "format",
}

// known reports whether a schema and the schemas in it have no other keywords.
func known(schema any) bool {
	m, ok := schema.(map[string]any)
	if !ok {
		_, ok = schema.(bool)
		return ok
	}
	for name, v := range m {
		switch {
		case !slices.Contains(keywords, name):
			return false
		case name == "properties":
			for _, p := range v.(map[string]any) {
				if _, isBool := p.(bool); isBool || !known(p) {
					return false
				}
			}
		case name == "items" || name == "additionalProperties" || name == "not":
			if !known(v) {
				return false
			}
		case name == "allOf" || name == "anyOf" || name == "oneOf":
			for _, branch := range v.([]any) {
				if _, isBool := branch.(bool); isBool || !known(branch) {
					return false
				}
			}
		}
	}
	return true
}

// complete makes schemas without a type preserve unknown fields, apart from branches, and
// gives lists a schema for elements.
func complete(s *apiextensionsv1.JSONSchemaProps) {
	if s.Type == "" {
		yes := true
		s.XPreserveUnknownFields = &yes
	}
	if s.Type == "array" && s.Items == nil {
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{}}
	}
	for name, p := range s.Properties {
		complete(&p)
		s.Properties[name] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		complete(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		complete(s.AdditionalProperties.Schema)
	}
}
