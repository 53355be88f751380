package validation_test

import (
	"math/rand/v2"
	"testing"

	"sigs.k8s.io/yaml"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/schema"
)

// FuzzValidate compares the implementations on any structural schema, object and
// change of the object.
func FuzzValidate(f *testing.F) {
	for i, test := range valueTests(f) {
		f.Add([]byte(test.Schema), []byte(test.Object), uint64(i))
	}
	fuzz.Run(f, func(t *testing.T, text, object []byte, seed uint64) {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.Unmarshal(text, &props); err != nil {
			return
		}
		n, errs := schema.Compile(&props)
		if len(errs) > 0 {
			return
		}
		v, err := testkit.DecodeJSON(object)
		if err != nil {
			return
		}
		obj, ok := v.(map[string]any)
		if !ok {
			return
		}
		w := newImplementations(n)
		changed := testkit.Mutate(rand.New(rand.NewPCG(seed, 0)), obj)
		w.compare(t, obj, changed)
		w.compare(t, changed, obj)
		w.compare(t, obj, obj)
	})
}
