package defaulting

import (
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A Defaulter drops nulls from objects of one schema and sets their defaults.
// It never changes and is safe for concurrent use.
type Defaulter struct {
	nulls     *nullNode  // nil drops none
	defaults  *fillNode  // nil sets none
	reference *reference // walks instead of both, nil unless asked for
}

// New returns a Defaulter for objects of schema n. A nil n declares nothing,
// so that no object is changed.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting.
func New(n *schema.Node, opts ...Option) *Defaulter {
	o := optionsOf(opts)
	if o.reference {
		return &Defaulter{reference: &reference{root: n}}
	}
	return &Defaulter{nulls: compileNulls(n), defaults: compileDefaults(n, o.maxFilled)}
}

// DropNulls removes from obj, in place, the entries of maps that are null
// where the schema neither admits null nor declares a default.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable.
func (d *Defaulter) DropNulls(obj map[string]any) { d.dropNulls(obj, nil) }

// DropNullsAndReport is like [Defaulter.DropNulls] but also returns the paths of the
// nulls that it dropped, in increasing order of their strings, nil if there
// are none.
func (d *Defaulter) DropNullsAndReport(obj map[string]any) []schema.Path {
	var t pathstack.Trail
	d.dropNulls(obj, &t)
	return t.Marks()
}

func (d *Defaulter) dropNulls(obj map[string]any, t *pathstack.Trail) {
	switch {
	case d.reference != nil:
		d.reference.dropNulls(obj, t)
	case d.nulls != nil:
		d.nulls.dropInObject(obj, t)
	}
}

// Default sets in obj, in place, the values that are absent and have a
// default, and replaces nulls that are not admitted by the default if there is
// one. A nil obj stays nil.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting.
func (d *Defaulter) Default(obj map[string]any) { d.setDefaults(obj, nil) }

// DefaultAndReport is like [Defaulter.Default] but also returns the paths of the values
// that it set, in increasing order of their strings, nil if there are none.
// Values inside of a value that was set are not listed.
func (d *Defaulter) DefaultAndReport(obj map[string]any) []schema.Path {
	var t pathstack.Trail
	d.setDefaults(obj, &t)
	return t.Marks()
}

func (d *Defaulter) setDefaults(obj map[string]any, t *pathstack.Trail) {
	switch {
	case d.reference != nil:
		d.reference.setDefaults(obj, t)
	case d.defaults != nil:
		d.defaults.fillObject(obj, t)
	}
}
