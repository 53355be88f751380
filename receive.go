package crdkit

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// receive does the decoding steps of every write. A server-side apply has already done most of
// them.
func (r *request) receive() (*Refusal, error) {
	if r.origin != fromMerge {
		if refusal := r.coerce(coercion{report: r.fields != Ignore}); refusal != nil {
			return refusal, nil
		}
	}
	if refusal := r.judgeFields(); refusal != nil {
		return refusal, nil
	}
	if r.origin != fromMerge {
		r.setDefaults()
	}
	r.meta, r.oldMeta = objectmeta.New(), objectmeta.New()
	r.meta.ReadMap(r.obj.Object)
	return r.checkVersion(), r.ctx.Err()
}

type coercion struct {
	report bool // complain of unknown fields
	stored bool // the object comes from storage: drop malformed metadata, repair the generation
}

// coerce does to an object what decoding into a Go struct does to a built-in kind. Metadata becomes
// ObjectMeta. Undeclared fields, and nulls that are not allowed, are removed. coerce complains of
// unknown fields in this order: of metadata, of the object, of embedded metadata. It refuses
// malformed metadata.
func (r *request) coerce(c coercion) *Refusal {
	obj, d := r.obj.Object, r.version.def
	gv, err := groupVersionOf(obj)
	if err != nil {
		return r.unreadable(err)
	}
	meta, unknown, err := objectmeta.Decode(obj, objectmeta.Options{DropInvalid: c.stored, ReportUnknown: c.report || r.report})
	if err != nil {
		return r.unreadable(err)
	}
	r.unknown(c, unknown)
	if kind, _ := obj["kind"].(string); gv.Group == d.group && kind == d.kind {
		if err := r.conform(d.byName[gv.Version], c); err != nil {
			return r.unreadable(err)
		}
	}
	r.restoreMetadata(meta)
	if c.stored && r.sameKind() {
		objectmeta.RepairGeneration(obj)
	}
	return nil
}

// conform prunes, drops nulls and coerces embedded metadata by the schema of d, the version of
// the object. d is nil for an unknown version, which declares no field. The error is about
// embedded metadata.
func (r *request) conform(d *Version, c coercion) error {
	if d == nil {
		d = &Version{compiled: compiled{engines: newEngines(nil, config{})}}
	}
	obj, e := r.obj.Object, d.engines
	report := c.report || r.report
	if !r.version.def.preserve {
		if report {
			r.unknown(c, e.prune().PruneAndReport(obj))
		} else {
			e.prune().Prune(obj)
		}
		if r.report {
			r.change(NullDropped, e.setDefaults().DropNullsAndReport(obj)...)
		} else {
			e.setDefaults().DropNulls(obj)
		}
	}
	paths, err := e.resources.Coerce(obj, objectmeta.Options{DropInvalid: c.stored, ReportUnknown: report})
	if err != nil {
		return err
	}
	r.unknown(c, paths)
	return nil
}

// restore sets a field to its earlier value, or removes it if there was none.
func (r *request) restore(name string, before any, found bool) {
	obj := r.obj.Object
	switch now, ok := obj[name]; {
	case !found && !ok:
	case !found:
		delete(obj, name)
		r.reset(name)
	default:
		if !jsonval.Equal(now, before) {
			r.reset(name)
		}
		obj[name] = jsonval.Clone(before)
	}
}

// restoreMetadata writes metadata back, and records whether it changed.
func (r *request) restoreMetadata(meta objectmeta.Decoded) {
	obj := r.obj.Object
	if !r.report {
		meta.Restore(obj)
		return
	}
	before := jsonval.Clone(obj["metadata"])
	meta.Restore(obj)
	if !jsonval.Equal(before, obj["metadata"]) {
		r.change(Coerced, schema.Path{schema.Field("metadata")})
	}
}

// unknown records unknown fields, as complaints and as changes.
func (r *request) unknown(c coercion, paths []schema.Path) {
	r.change(Pruned, paths...)
	if !c.report {
		return
	}
	for _, path := range paths {
		r.complaints = append(r.complaints, "unknown field "+`"`+path.String()+`"`)
	}
}

// unreadable returns the answer to metadata that cannot be decoded, or nil if err is nil.
func (r *request) unreadable(err error) *Refusal {
	if err == nil {
		return nil
	}
	if r.origin == fromPatch {
		return r.invalidPatch(err.Error())
	}
	gvk := r.obj.GroupVersionKind()
	if gvk.Kind == "" {
		return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v", r.version.def.kind, err))
	}
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, r.version.def.kind, err))
}

// sameKind reports whether the object has the kind of the definition.
func (r *request) sameKind() bool {
	gvk := r.obj.GroupVersionKind()
	return gvk.GroupKind() == r.version.def.GroupKind()
}

// judgeFields turns complaints about fields into warnings or a refusal.
func (r *request) judgeFields() *Refusal {
	if len(r.patchComplaints) > 0 {
		r.complaints = slices.Concat(r.patchComplaints, r.complaints)
	}
	if r.fields == Ignore || len(r.complaints) == 0 {
		return nil
	}
	if r.fields != Strict {
		r.warn(r.complaints...)
		return nil
	}
	why := "strict decoding error: " + joinUnique(r.complaints)
	if r.origin == fromPatch {
		return r.invalidPatch(why, r.complaints...)
	}
	gvk := r.version.GroupVersionKind()
	if r.obj != nil {
		gvk = r.obj.GroupVersionKind()
	}
	if gvk.Version == "" {
		return badRequest(missingVersion().Error())
	}
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", gvk.Kind, gvk.Version, gvk.Kind, why), r.complaints...)
}

func (r *request) setDefaults() {
	if !r.sameKind() {
		return
	}
	d := r.version.def.byName[r.obj.GroupVersionKind().Version]
	if d == nil {
		return
	}
	if !r.report {
		d.engines.setDefaults().Default(r.obj.Object)
		return
	}
	r.change(Defaulted, d.engines.setDefaults().DefaultAndReport(r.obj.Object)...)
}

func (r *request) checkVersion() *Refusal {
	r.sentKind = r.obj.GroupVersionKind().GroupKind()
	if got, want := r.obj.GroupVersionKind().GroupVersion().String(), r.version.apiVersion(); got != want && r.origin == fromClient {
		return badRequest("the API version in the data (" + got + ") does not match the expected API version (" + want + ")")
	}
	return nil
}

// joinUnique joins the texts, each once, in the order in which they first occur.
func joinUnique(texts []string) string {
	seen, unique := make(map[string]bool, len(texts)), make([]string, 0, len(texts))
	for _, s := range texts {
		if !seen[s] {
			seen[s] = true
			unique = append(unique, s)
		}
	}
	return strings.Join(unique, ", ")
}

// groupVersionOf parses the apiVersion of an object. The server refuses a malformed one.
func groupVersionOf(obj map[string]any) (runtimeschema.GroupVersion, error) {
	apiVersion, _, err := unstructured.NestedString(obj, "apiVersion")
	if err != nil {
		return runtimeschema.GroupVersion{}, err
	}
	return runtimeschema.ParseGroupVersion(apiVersion)
}
