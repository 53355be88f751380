package testkit

import (
	"math"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Integers changes whole numbers from float64 to int64, such as 3.0 to 3, where the schema
// declares a value, in v and below it, and returns v. The schema may be nil.
func Integers(s *apiextensionsv1.JSONSchemaProps, v any) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case map[string]any:
		for name, child := range v {
			v[name] = Integers(member(s, name), child)
		}
	case []any:
		for i := range v {
			if s.Items != nil {
				v[i] = Integers(s.Items.Schema, v[i])
			}
		}
	}
	return v
}

// member returns the schema of a member of an object, nil if there is none.
func member(s *apiextensionsv1.JSONSchemaProps, name string) *apiextensionsv1.JSONSchemaProps {
	if child, ok := s.Properties[name]; ok {
		return &child
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema
	}
	return nil
}
