package crdversion

import (
	"bytes"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// equalities decide what the versions of a definition share. An empty list or map
// equals a missing one. A pointer to a zero value does not equal a nil pointer.
// Literals are equal if they decode to equal values.
var equalities = conversion.EqualitiesOrDie(func(a, b apiextensionsv1.JSON) bool {
	return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(literal(a), literal(b))
})

// SameSubresources reports whether two sets of subresources are the same. Either
// may be nil.
func SameSubresources(a, b *apiextensionsv1.CustomResourceSubresources) bool {
	return a == b || equalities.DeepEqual(a, b)
}

// SameSchema reports whether two schemas are the same, descriptions included.
// Either may be nil.
func SameSchema(a, b *apiextensionsv1.JSONSchemaProps) bool {
	return a == b || equalities.DeepEqual(a, b)
}

// literal decodes a literal of a schema as objects are decoded. It returns nil
// for null, and for text that is not JSON.
func literal(j apiextensionsv1.JSON) any {
	if len(j.Raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil {
		return nil
	}
	return v
}
