package main

import (
	"embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

//go:embed shapes/*.yaml
var shapeFiles embed.FS

// shapes are schemas with one kind of rules each, and the same rules in hand-written
// Go.
var shapes = []struct {
	name, file string
	hand       verdict
}{
	{"one trivial rule", "trivial", handTrivial},
	{"nine typical rules", "typical", handTypical},
	{"100 items, 2 rules each", "items", handItems},
	{"6 transition rules", "transition", handTransition},
	{"route, 26 rules", "route", handRoute},
}

// A verdict reports whether an object breaks no rule. old is nil for a create. It does
// not report which rules are broken, nor their cost.
type verdict func(obj, old map[string]any) bool

type shapeFile struct {
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
	Object map[string]any                  `json:"object"`
	Repeat struct {
		Field string `json:"field"`
		Times int    `json:"times"`
	} `json:"repeat"`
}

// shapeCases returns the cases of the shapes, which are only for rules.
func shapeCases() ([]*testCase, error) {
	var out []*testCase
	for _, s := range shapes {
		c, err := shapeCase(s.file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		c.name, c.hand, c.rules = s.name, s.hand, true
		out = append(out, c)
	}
	return out, nil
}

func shapeCase(file string) (*testCase, error) {
	data, err := shapeFiles.ReadFile("shapes/" + file + ".yaml")
	if err != nil {
		return nil, err
	}
	var f shapeFile
	if err := yaml.UnmarshalStrict(data, &f); err != nil {
		return nil, err
	}
	whole, err := testkit.Decode(data) // with integers
	if err != nil {
		return nil, err
	}
	obj := whole["object"].(map[string]any)
	if f.Repeat.Times > 0 {
		spec := obj["spec"].(map[string]any)
		item := spec[f.Repeat.Field].([]any)[0].(map[string]any)
		var items []any
		for range f.Repeat.Times {
			items = append(items, testkit.Clone(item))
		}
		spec[f.Repeat.Field] = items
	}
	obj["apiVersion"], obj["kind"], obj["metadata"] = "compare.example.org/v1", "Shape", map[string]any{"name": file}
	sides, err := compileBoth(shapeDefinition(&f.Schema))
	if err != nil {
		return nil, err
	}
	return sides.newCase(file, obj)
}

func shapeDefinition(s *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "shapes.compare.example.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "compare.example.org", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "shapes", Singular: "shape", Kind: "Shape", ListKind: "ShapeList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: s},
			}},
		},
	}
}
