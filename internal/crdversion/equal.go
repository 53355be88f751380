package crdversion

import (
	"bytes"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// equalities compare schemas as the server does: empty equals missing, but a pointer to zero
// does not equal nil. Literals are equal if they decode to equal values.
var equalities = sync.OnceValue(func() conversion.Equalities {
	return conversion.EqualitiesOrDie(func(a, b apiextensionsv1.JSON) bool {
		return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(literal(a), literal(b))
	})
})

// SameSchema reports whether two schemas, which may be nil, are the same, descriptions
// included. This decides what versions share.
func SameSchema(a, b *apiextensionsv1.JSONSchemaProps) bool { return equalities().DeepEqual(a, b) }

// literal decodes a literal like objects, nil for null and what is not JSON.
func literal(j apiextensionsv1.JSON) (v any) {
	if json.Unmarshal(j.Raw, &v) != nil {
		return nil
	}
	return v
}
