package crdkit

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// A coercion says how an object is brought into the form of its schema.
type coercion struct {
	report bool // list unknown fields
	fuse   bool // what follows may be done at once
	stored bool // the object comes from storage: drop what is malformed, repair the generation
}

// coerce does to an object what decoding into a Go struct does to an object of
// a built-in kind: metadata takes the form of ObjectMeta, fields that the
// schema does not declare go, and so do nulls where null is not admitted. It
// returns the unknown fields: those of metadata, then those that were pruned,
// then those of embedded metadata. The refusal is the server's answer to
// metadata that is malformed.
func (r *request) coerce(obj map[string]any, c coercion) ([]schema.Path, *Refusal) {
	gv, err := groupVersionOf(obj)
	if err != nil {
		return nil, r.unreadable(err)
	}
	track := c.report || r.report
	meta, unknown, err := objectmeta.Decode(obj, objectmeta.Options{DropInvalid: c.stored, ReportUnknown: track, Reference: r.version.def.plain})
	if err != nil {
		return nil, r.unreadable(err)
	}
	r.change(Pruned, unknown...)
	kind, _ := obj["kind"].(string)
	if d := r.version.def; gv.Group == d.group && kind == d.kind {
		c.fuse = c.fuse && (len(unknown) == 0 || r.fields != Strict)
		paths, err := r.fit(d.byName[gv.Version], obj, c)
		if err != nil {
			return nil, r.unreadable(err)
		}
		unknown = append(unknown, paths...)
		if c.stored {
			meta.RepairGeneration()
		}
	}
	if err := r.restore(&meta, obj); err != nil {
		return nil, r.unreadable(err)
	}
	return unknown, nil
}

// restore writes metadata back, and records that it is not what it was.
func (r *request) restore(meta *objectmeta.Meta, obj map[string]any) error {
	if !r.report {
		return meta.Restore(obj)
	}
	before := jsonval.Clone(obj["metadata"])
	if err := meta.Restore(obj); err != nil {
		return err
	}
	if !jsonval.Equal(before, obj["metadata"]) {
		r.change(Coerced, schema.Path{schema.Field("metadata")})
	}
	return nil
}

// fit prunes and coerces the parts of the object that its schema describes. A
// version that the definition does not have is one that declares nothing.
func (r *request) fit(v *Version, obj map[string]any, c coercion) ([]schema.Path, error) {
	if v == nil {
		v = &Version{def: r.version.def, engines: newEngines(nil, config{})}
		v.planQuickly(0)
	}
	if c.fuse && r.fuse(v, obj) {
		return nil, nil
	}
	track := c.report || r.report
	var unknown []schema.Path
	if !r.version.def.preserve {
		if track {
			unknown = v.engines.prune().PruneAndReport(obj)
			r.change(Pruned, unknown...)
		} else {
			v.engines.prune().Prune(obj)
		}
		if r.report {
			r.change(NullDropped, v.engines.setDefaults().DropNullsAndReport(obj)...)
		} else {
			v.engines.setDefaults().DropNulls(obj)
		}
	}
	paths, err := v.engines.resources().Coerce(obj, objectmeta.Options{DropInvalid: c.stored, ReportUnknown: track})
	if err != nil {
		return nil, err
	}
	r.change(Pruned, paths...)
	return append(unknown, paths...), nil
}

// unreadable returns the server's answer to an object whose metadata cannot be
// decoded.
func (r *request) unreadable(err error) *Refusal {
	gvk := r.obj.GroupVersionKind()
	if gvk.Kind == "" {
		return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v", r.version.def.kind, err))
	}
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, r.version.def.kind, err))
}
