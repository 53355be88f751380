package compat

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// oldVersion returns version i of the old definition, compiled.
func (r *resourceCheck) oldVersion(i int) *crdkit.Version {
	v, _ := r.oldDef.Version(r.old.Spec.Versions[i].Name)
	return v
}

// find returns an object of version i of the old definition that satisfies a condition and has
// a property, nil if none is found.
func (r *resourceCheck) find(i int, c *search.Cond, holds func(obj map[string]any) bool) map[string]any {
	node, err := sharedNode(r.ctx, r.old, i, schema.NewInterner())
	if err != nil {
		return nil
	}
	s := &side{r.old, i, r.oldVersion(i), node}
	return s.find(r.ctx, c, holds)
}

// refused returns an object that version i of the old definition admits as a new one, and the
// error of a request with it to the new definition.
func (r *resourceCheck) refused(i int, request func(obj *unstructured.Unstructured) error) (*Witness, string) {
	obj := r.find(i, search.True, func(obj map[string]any) bool {
		out, err := r.create(r.ctx, r.oldVersion(i), obj)
		return err == nil && out.object != nil && request(unstructuredCopy(obj)) != nil
	})
	if obj == nil {
		return nil, ""
	}
	return &Witness{Object: obj}, request(unstructuredCopy(obj)).Error()
}

// storedWitness returns an object of version i of the old definition that the new one
// cannot read, and the answer of the server.
func (r *resourceCheck) storedWitness(i int) (*Witness, string) {
	return r.refused(i, func(obj *unstructured.Unstructured) error {
		_, _, err := r.newDef.Storage().Read(r.ctx, obj)
		return err
	})
}

// requestWitness returns an object that clients could create at version i of the old
// definition, and the answer to the same request of the server with the new one.
func (r *resourceCheck) requestWitness(i int) (*Witness, string) {
	return r.refused(i, func(obj *unstructured.Unstructured) error {
		_, err := r.newDef.VersionFor(obj)
		return err
	})
}

// statusWitness returns a request with a status that one definition stores and the other one
// does not, at version i of the old definition: a new object, or an update that adds the
// status. It returns nil if none is found.
func (r *resourceCheck) statusWitness(i int, update, storedByOld bool) *Witness {
	old := r.oldVersion(i)
	after, _ := r.newDef.Version(old.Name())
	w := &Witness{}
	stores := func(v *crdkit.Version, obj map[string]any) (admitted, status bool) {
		request := func() (*outcome, error) { return r.create(r.ctx, v, obj) }
		if update {
			request = func() (*outcome, error) { return r.update(r.ctx, v, obj, withoutStatus(obj)) }
		}
		out, err := request()
		if err != nil || out.object == nil {
			return false, false
		}
		return true, out.object["status"] != nil
	}
	w.Object = r.find(i, search.At("status", search.Types(search.Any&^search.Null)), func(obj map[string]any) bool {
		before, was := stores(old, obj)
		now, is := stores(after, obj)
		return before && now && was == storedByOld && is != storedByOld
	})
	if w.Object == nil {
		return nil
	}
	if update {
		w.Old = withoutStatus(w.Object)
	}
	return w
}

// withoutStatus returns an object without its status. It shares the rest.
func withoutStatus(obj map[string]any) map[string]any {
	rest := maps.Clone(obj)
	delete(rest, "status")
	return rest
}
