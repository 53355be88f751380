package generate

import (
	"math/rand/v2"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Value returns a value for a schema. optional is how many values it may add that the
// schema does not require. The value may be invalid, as objects of a [Generator] may be.
// work is how many schemas and branches it read.
func Value(rng *rand.Rand, p *apiextensionsv1.JSONSchemaProps, optional int, edge bool) (v any, work int) {
	r := &run{Generator: &Generator{target: Target{Schema: p}}, rng: rng, budget: optional, edge: edge}
	v = jsonval.Wire(r.schemaValue("value", p))
	return v, r.work
}
