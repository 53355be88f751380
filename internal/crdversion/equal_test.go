package crdversion

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestSameSchema(t *testing.T) {
	type props = apiextensionsv1.JSONSchemaProps
	literal := func(text string) *props { return &props{Default: &apiextensionsv1.JSON{Raw: []byte(text)}} }
	nested := func(s props) *props { return &props{Properties: map[string]props{"a": {AllOf: []props{s}}}} }
	for _, c := range []struct {
		name string
		a, b *props
		want bool
	}{
		{"nil", nil, nil, true},
		{"nil and empty", nil, &props{}, false},
		{"description", &props{Description: "a"}, &props{}, false},
		{"empty list", &props{Required: []string{}}, &props{}, true},
		{"empty map", &props{Properties: map[string]props{}}, &props{}, true},
		{"pointer to zero", &props{Minimum: new(0.0)}, &props{}, false},
		{"spelling of a literal", literal(`{"a": 1}`), literal(`{ "a":1}`), true},
		{"integer and float", literal(`1`), literal(`1.0`), false},
		{"null and text that is not JSON", literal(`null`), literal(`}`), true},
		{"nested, equal", nested(props{Type: "string"}), nested(props{Type: "string"}), true},
		{"nested, different", nested(props{Type: "string"}), nested(props{Type: "object"}), false},
	} {
		if got := SameSchema(c.a, c.b); got != c.want || SameSchema(c.b, c.a) != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
