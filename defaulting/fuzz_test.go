package defaulting

import (
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
)

// FuzzDefault compares the compiled walks with the plain ones over schemas and
// objects in JSON. Schemas whose defaults come to more values than the plain
// walk could make are left out.
func FuzzDefault(f *testing.F) {
	for _, tt := range table(f) {
		f.Add([]byte(tt.Schema), []byte(tt.Object))
	}
	f.Fuzz(func(t *testing.T, schemaText, objectText []byte) {
		n, err := compileText(schemaText)
		if err != nil {
			return
		}
		v, err := testkit.DecodeJSON(objectText)
		obj, ok := v.(map[string]any)
		if err != nil || !ok {
			return
		}
		ds := defaulters(n)
		if d := ds[0].defaults; d != nil && d.tooLarge() {
			return
		}
		compareImplementations(t, ds, obj)
	})
}

// tooLarge reports whether a default of a property below was not filled in.
func (n *fillNode) tooLarge() bool {
	if n == nil {
		return false
	}
	for _, f := range n.sets {
		if f.set.fillLazily != nil || f.below.tooLarge() {
			return true
		}
	}
	for _, f := range n.walks {
		if f.below.tooLarge() {
			return true
		}
	}
	for _, r := range []rule{n.others, n.items} {
		if r.null != nil && r.null.fillLazily != nil || r.below.tooLarge() {
			return true
		}
	}
	return false
}
