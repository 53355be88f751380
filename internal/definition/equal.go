package definition

import (
	"bytes"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// same reports whether two parts of definitions without literals are the same.
// Empty lists and maps are the same as none.
func same[T any](a, b T) bool { return equalities().DeepEqual(a, b) }

func sameSchema(a, b *apiextensionsv1.CustomResourceValidation) bool {
	return a == b || equalities().DeepEqual(a, b)
}

// equalities knows that literals are the same if they decode to the same.
func equalities() conversion.Equalities {
	return conversion.EqualitiesOrDie(func(a, b apiextensionsv1.JSON) bool {
		return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(Literal(&a), Literal(&b))
	})
}

// Literal decodes a literal of a schema as objects are decoded. It is nil for
// null, and for what is not JSON.
func Literal(j *apiextensionsv1.JSON) any {
	if j == nil || len(j.Raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil {
		return nil
	}
	return v
}
