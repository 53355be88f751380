package compat

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
)

// oldVersion returns version i of the old definition, compiled.
func (r *resourceCheck) oldVersion(i int) *crdkit.Version {
	v, _ := r.oldDef.Version(r.old.Spec.Versions[i].Name)
	return v
}

// admits reports whether a version admits an object as a new one.
func (r *resourceCheck) admits(v *crdkit.Version, obj map[string]any) bool {
	out, err := r.create(r.ctx, v, obj)
	return err == nil && out.object != nil
}

// storedWitness returns an object of version i of the old definition that the new one
// cannot read, and the answer of the server.
func (r *resourceCheck) storedWitness(i int) (*Witness, string) {
	old, storage := r.oldVersion(i), r.newDef.Storage()
	read := func(obj map[string]any) error {
		_, _, err := storage.Read(r.ctx, &unstructured.Unstructured{Object: obj})
		return err
	}
	p := probe{crd: r.old, index: i, holds: func(obj map[string]any) bool { return r.admits(old, obj) && read(obj) != nil }}
	obj := p.find(r.ctx)
	if obj == nil {
		return nil, ""
	}
	return &Witness{Object: obj}, read(obj).Error()
}

// requestWitness returns an object that clients could create at version i of the old
// definition, and the answer to the same request of the server with the new one.
func (r *resourceCheck) requestWitness(i int) (*Witness, string) {
	old := r.oldVersion(i)
	request := func(obj map[string]any) error {
		_, err := r.newDef.VersionFor(&unstructured.Unstructured{Object: obj})
		return err
	}
	p := probe{crd: r.old, index: i, holds: func(obj map[string]any) bool { return r.admits(old, obj) && request(obj) != nil }}
	obj := p.find(r.ctx)
	if obj == nil {
		return nil, ""
	}
	return &Witness{Object: obj}, request(obj).Error()
}

// statusCreateWitness returns an object whose status version i of the old definition
// stores when it is created, and the new one does not, nil if none is found.
func (r *resourceCheck) statusCreateWitness(i int) *Witness {
	old := r.oldVersion(i)
	after, _ := r.newDef.Version(old.Name())
	p := probe{crd: r.old, index: i, path: []schemaStep{{property: "status"}}, holds: func(obj map[string]any) bool {
		was, err := r.create(r.ctx, old, obj)
		if err != nil || was.object == nil || was.object["status"] == nil {
			return false
		}
		is, err := r.create(r.ctx, after, obj)
		return err == nil && is.object != nil && is.object["status"] == nil
	}}
	if obj := p.find(r.ctx); obj != nil {
		return &Witness{Object: obj}
	}
	return nil
}

// statusUpdateWitness returns an update that adds a status, which version i of the old
// definition ignores and the new one stores, nil if none is found.
func (r *resourceCheck) statusUpdateWitness(i int) *Witness {
	old := r.oldVersion(i)
	after, _ := r.newDef.Version(old.Name())
	p := probe{crd: r.old, index: i, path: []schemaStep{{property: "status"}}, holds: func(obj map[string]any) bool {
		before := withoutStatus(obj)
		was, err := r.update(r.ctx, old, obj, before)
		if err != nil || was.object == nil || was.object["status"] != nil {
			return false
		}
		is, err := r.update(r.ctx, after, obj, before)
		return err == nil && is.object != nil && is.object["status"] != nil
	}}
	if obj := p.find(r.ctx); obj != nil {
		return &Witness{Object: obj, Old: withoutStatus(obj)}
	}
	return nil
}

// withoutStatus returns an object without its status. It shares the rest.
func withoutStatus(obj map[string]any) map[string]any {
	rest := make(map[string]any, len(obj))
	for name, v := range obj {
		if name != "status" {
			rest[name] = v
		}
	}
	return rest
}
