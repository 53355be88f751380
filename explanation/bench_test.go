package explanation_test

import (
	"testing"

	"github.com/crdkit/crdkit/explanation"
)

// BenchmarkRule explains a failed comparison, which compiles the rule with cel-go.
func BenchmarkRule(b *testing.B) {
	v := versionOf(b, definitionOf(b, `
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations: [{rule: "self.minReplicas <= self.maxReplicas"}]
    properties: {minReplicas: {type: integer}, maxReplicas: {type: integer}}
`))
	obj := thing(b, nil, map[string]any{"minReplicas": 5, "maxReplicas": 3})
	res, err := v.Create(b.Context(), obj)
	if err != nil || len(res.Errors) != 1 {
		b.Fatalf("%+v, %v", res, err)
	}
	x := explanation.New(v)
	for b.Loop() {
		if _, err := x.Error(b.Context(), res.Errors[0], obj, nil); err != nil {
			b.Fatal(err)
		}
	}
}
