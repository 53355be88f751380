package defaulting

import (
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A Defaulter drops nulls from objects of one schema and sets their defaults.
// It never changes and is safe for concurrent use. Only [New] makes one: the
// methods of a nil Defaulter panic.
type Defaulter struct {
	nulls    *nullNode // nil if no null is dropped
	defaults *fillNode // nil if no default is set
}

// New returns a Defaulter for objects of schema n. It never returns nil. A nil
// n declares no defaults, so its Defaulter changes nothing.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting.
func New(n *schema.Node) *Defaulter {
	return &Defaulter{nulls: compileNulls(n), defaults: compileDefaults(n)}
}

// A recorder records the paths that a walk changes.
type recorder = pathstack.Recorder[schema.Path, schema.Step]

// DropNulls removes from obj, in place, the map entries with a null value whose
// schema neither admits null nor declares a default.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable.
func (d *Defaulter) DropNulls(obj map[string]any) {
	d.dropNulls(obj, nil)
}

// DropNullsAndReport changes obj as [Defaulter.DropNulls] does. It also returns
// the paths of the nulls that it dropped, in increasing order of their strings,
// or nil if it dropped none. The caller owns the paths.
func (d *Defaulter) DropNullsAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	d.dropNulls(obj, &rec)
	schema.SortPaths(rec.Paths())
	return rec.Paths()
}

func (d *Defaulter) dropNulls(obj map[string]any, rec *recorder) {
	if d.nulls != nil {
		d.nulls.dropInObject(obj, rec)
	}
}

// Default sets in obj, in place, the values that are absent and have a default.
// It replaces a null that the schema does not admit with the default, if there
// is one. It does nothing to a nil obj.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting.
func (d *Defaulter) Default(obj map[string]any) {
	d.setDefaults(obj, nil)
}

// DefaultAndReport changes obj as [Defaulter.Default] does. It also returns the paths of
// the values that it set, in increasing order of their strings, or nil if it set none. It
// does not list values inside of a value that it set. The caller owns the paths.
func (d *Defaulter) DefaultAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	d.setDefaults(obj, &rec)
	schema.SortPaths(rec.Paths())
	return rec.Paths()
}

func (d *Defaulter) setDefaults(obj map[string]any, rec *recorder) {
	if d.defaults != nil {
		d.defaults.fillObject(obj, rec)
	}
}
