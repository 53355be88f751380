package pruning

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// FuzzPrune compares a Pruner with the reference on schemas and objects in JSON.
func FuzzPrune(f *testing.F) {
	for _, tt := range enginetest.Cases[tableCase](f, casesJSON) {
		f.Add([]byte(tt.Schema), []byte(tt.Object), tt.Fragment)
	}
	fuzz.Run(f, func(t *testing.T, schemaText, objectText []byte, fragment bool) {
		n, err := enginetest.Compile(schemaText)
		if err != nil {
			return
		}
		v, err := testkit.DecodeJSON(objectText)
		obj, ok := v.(map[string]any)
		if err != nil || !ok {
			return
		}
		var opts []Option
		if fragment {
			opts = append(opts, Fragment())
		}
		compare(t, New(n, opts...), &reference{n, fragment}, obj)
	})
}
