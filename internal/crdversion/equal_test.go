package crdversion

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestSameSchema(t *testing.T) {
	type props = apiextensionsv1.JSONSchemaProps
	literal := func(text string) *props { return &props{Default: &apiextensionsv1.JSON{Raw: []byte(text)}} }
	zero := int64(0)
	for _, tt := range []struct {
		name string
		a, b *props
		want bool
	}{
		{"both missing", nil, nil, true},
		{"one missing", nil, &props{}, false},
		{"an empty list and map, and missing ones", &props{Required: []string{}, Properties: map[string]props{}}, &props{}, true},
		{"a pointer to zero and a missing one", &props{MaxLength: &zero}, &props{}, false},
		{"descriptions", &props{Description: "a"}, &props{Description: "b"}, false},
		{"fields below", &props{Properties: map[string]props{"a": {Type: "string"}}}, &props{Properties: map[string]props{"a": {Type: "integer"}}}, false},
		{"other names", &props{Properties: map[string]props{"a": {}}}, &props{Properties: map[string]props{"b": {}}}, false},
		{"other spelling of a literal", literal(`{ "a": 1 }`), literal(`{"a":1}`), true},
		{"other literals", literal(`1`), literal(`"1"`), false},
		{"null and no literal", literal(`null`), &props{}, false},
	} {
		if got := SameSchema(tt.a, tt.b); got != tt.want || SameSchema(tt.b, tt.a) != tt.want {
			t.Errorf("%s: SameSchema = %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestSameSubresources(t *testing.T) {
	type subresources = apiextensionsv1.CustomResourceSubresources
	path := ".spec.selector"
	scale := func(selector *string) *subresources {
		return &subresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", LabelSelectorPath: selector}}
	}
	status := &subresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	for _, tt := range []struct {
		a, b *subresources
		want bool
	}{
		{nil, nil, true}, {nil, status, false}, {status, status.DeepCopy(), true}, {status, &subresources{}, false},
		{scale(nil), scale(nil), true}, {scale(&path), scale(nil), false}, {scale(&path), scale(&path), true},
	} {
		if got := SameSubresources(tt.a, tt.b); got != tt.want {
			t.Errorf("SameSubresources(%+v, %+v) = %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}
