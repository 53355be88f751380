package pruning

import (
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// FuzzPrune compares the compiled walk with the plain one over schemas and
// objects in JSON.
func FuzzPrune(f *testing.F) {
	for _, tt := range table(f) {
		f.Add([]byte(tt.Schema), []byte(tt.Object), tt.Fragment)
	}
	f.Fuzz(func(t *testing.T, schemaText, objectText []byte, fragment bool) {
		n, err := compileText(schemaText)
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
		compareImplementations(t, New(n, opts...), New(n, append(opts, testopt.Reference{})...), obj)
	})
}
