package defaulting

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/value/defaultvalue"
	"github.com/crdkit/crdkit/schema"
)

// FuzzDefault compares a Defaulter with the reference on schemas and objects in
// JSON. It skips schemas whose defaults stand for too many values.
func FuzzDefault(f *testing.F) {
	for _, tt := range enginetest.Cases[tableCase](f, casesJSON) {
		f.Add([]byte(tt.Schema), []byte(tt.Object))
	}
	fuzz.Run(f, func(t *testing.T, schemaText, objectText []byte) {
		n, err := enginetest.Compile(schemaText)
		if err != nil {
			return
		}
		v, err := testkit.DecodeJSON(objectText)
		obj, ok := v.(map[string]any)
		if err != nil || !ok {
			return
		}
		if small(n, defaultvalue.NewFiller(1<<18)) {
			compare(t, n, obj)
		}
	})
}

// small reports whether the defaults of n and below stand for few values.
func small(n *schema.Node, f *defaultvalue.Filler) bool {
	if n == nil {
		return true
	}
	if hasDefault(n) {
		if _, filled := f.Default(n); !filled {
			return false
		}
	}
	for _, p := range n.Properties() {
		if !small(p, f) {
			return false
		}
	}
	additional, _ := n.AdditionalProperties()
	return small(n.Items(), f) && small(additional, f)
}
