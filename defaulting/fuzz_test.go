package defaulting

import (
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/testkit/fuzz"
)

// FuzzDefault compares the implementations on schemas and objects in JSON. It
// skips schemas whose defaults are too large for the reference.
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
		ds := defaulters(n)
		if d := ds[0].defaults; d != nil && d.isLazy() {
			return
		}
		compareImplementations(t, ds, obj)
	})
}

// isLazy reports whether a default here or below is filled lazily.
func (n *fillNode) isLazy() bool {
	if n == nil {
		return false
	}
	for _, f := range n.sets {
		if f.set.fillLazily != nil || f.below.isLazy() {
			return true
		}
	}
	for _, f := range n.walks {
		if f.below.isLazy() {
			return true
		}
	}
	for _, r := range []rule{n.others, n.items} {
		if r.null != nil && r.null.fillLazily != nil || r.below.isLazy() {
			return true
		}
	}
	return false
}
