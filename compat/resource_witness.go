package compat

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// find returns an object of version i of the old definition that satisfies a condition and has
// a property, nil if none is found.
func (r *resourceCheck) find(i int, c *search.Cond, holds func(old *crdkit.Version, obj map[string]any) bool) map[string]any {
	s, err := newSide(r.oldDef, r.old, i, schema.NewInterner())
	if err != nil {
		return nil
	}
	return s.find(r.ctx, c, func(obj map[string]any) bool { return holds(s.version, obj) })
}

// refused returns an object that version i of the old definition admits as a new one, and the
// error of a request with it to the new definition.
func (r *resourceCheck) refused(i int, request func(obj *unstructured.Unstructured) error) (*Witness, string) {
	obj := r.find(i, search.True, func(old *crdkit.Version, obj map[string]any) bool {
		out, err := r.request(r.ctx, old, search.Case{Object: obj})
		return err == nil && out.object != nil && request(unstructuredCopy(obj)) != nil
	})
	if obj == nil {
		return nil, ""
	}
	return &Witness{Object: obj}, request(unstructuredCopy(obj)).Error()
}

// statusWitness returns a request with a status that one definition stores and the other one
// does not, at version i of the old definition: a new object, or an update that adds the
// status. It returns nil if none is found.
func (r *resourceCheck) statusWitness(i int, update, storedByOld bool) *Witness {
	caseOf := func(obj map[string]any) (k search.Case) {
		if k.Object = obj; update {
			k.Old = withoutStatus(obj)
		}
		return k
	}
	obj := r.find(i, search.At("status", search.Types(search.Any&^search.Null)), func(old *crdkit.Version, obj map[string]any) bool {
		after, _ := r.newDef.Version(old.Name())
		was, err := r.request(r.ctx, old, caseOf(obj))
		if err != nil || was.object == nil || (was.object["status"] != nil) != storedByOld {
			return false
		}
		is, err := r.request(r.ctx, after, caseOf(obj))
		return err == nil && is.object != nil && (is.object["status"] != nil) != storedByOld
	})
	if obj == nil {
		return nil
	}
	return &Witness{Object: obj, Old: caseOf(obj).Old}
}

// withoutStatus returns an object without its status. It shares the rest.
func withoutStatus(obj map[string]any) map[string]any {
	rest := maps.Clone(obj)
	delete(rest, "status")
	return rest
}
