package crdkit

import (
	"context"
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/jsondiff"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A RehearseOption changes a rehearsal. A nil one changes nothing.
type RehearseOption interface{ applyRehearse(*rehearsal) }

type rehearseOption func(*rehearsal)

func (f rehearseOption) applyRehearse(r *rehearsal) { f(r) }

// Via sets the version at which objects are read and written back. Without it
// that is the storage version if it is served, and otherwise the preferred one.
// Tools that rewrite objects use the preferred version, whatever it is.
func Via(version string) RehearseOption {
	return rehearseOption(func(r *rehearsal) { r.via = version })
}

const (
	// Removed: the value is not there any more.
	Removed Op = "removed"
	// Added: the value was not there before.
	Added Op = "added"
	// Replaced: the value is another one.
	Replaced Op = "replaced"
)

// A Rehearsal says what happens to one stored object when it is read and
// written back. It belongs to the caller, except for Object.
type Rehearsal struct {
	// Index counts the objects from 0.
	Index int
	// Object is the stored object as it was given.
	Object *unstructured.Unstructured
	// From is the version that Object is stored at.
	From string
	// Stored is what is in storage afterwards, nil if the object cannot be
	// rewritten.
	Stored *unstructured.Unstructured
	// Failure is why the object cannot be rewritten, nil if it can: it cannot
	// be read or converted, or the server refuses to take it back. It then
	// stays in storage as it is.
	Failure error
	// Result is the server's verdict on taking the object back, nil if it did
	// not come to that. Ratcheted are errors that the object gets away with as
	// long as it does not change.
	Result *Result
	// Changes are how Stored differs from Object, in increasing order of field
	// names, apart from apiVersion and what the server keeps in metadata for
	// itself: generation, managedFields and resourceVersion.
	Changes []Change
	// Lost are the places of Object whose values cannot be had back: those that
	// no schema knows, and those that are not there, or not the same, when
	// Stored is read at From. Values that only moved to other fields, and back,
	// are not lost; nor are nulls that the server never shows.
	Lost []schema.Path
	// Irreversible is why Stored cannot be read at From, nil if it can.
	Irreversible error
}

// An Outcome sums a rehearsal up.
type Outcome string

const (
	// Unchanged: nothing changes but apiVersion, if that.
	Unchanged Outcome = "unchanged"
	// Changed: something changes, and nothing is lost.
	Changed Outcome = "changed"
	// Lossy: something is lost, or cannot be read at the old version any more.
	Lossy Outcome = "lossy"
	// Failed: the object cannot be rewritten.
	Failed Outcome = "failed"
)

// Outcome returns what counts most of the rehearsal.
func (r *Rehearsal) Outcome() Outcome {
	switch {
	case r.Failure != nil:
		return Failed
	case len(r.Lost) > 0 || r.Irreversible != nil:
		return Lossy
	case len(r.Changes) > 0:
		return Changed
	}
	return Unchanged
}

// Rehearse does to each object what happens when it is read from storage and
// written back, which is how objects get to a new storage version, and says
// what comes of it. d is the definition as it will be then. Objects are taken
// to be stored at their apiVersion; they are not changed. A number is an integer
// if it would be written as one, whatever its type.
//
// The object is decoded at the version that it is stored at, converted, pruned,
// sent back without a change, defaulted, held to the rules of an update, and
// converted to the storage version. Then it is read at its old version again,
// to see what is missing.
//
// The result is lazy and holds one object at a time, so that objects may be any
// number. An error that objects yields comes out again in its place, with the
// next object after it. When the context ends, its error comes last.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func (d *Definition) Rehearse(ctx context.Context, objects iter.Seq2[*unstructured.Unstructured, error], opts ...RehearseOption) iter.Seq2[*Rehearsal, error] {
	ctx = orBackground(ctx)
	r := &rehearsal{def: d, via: d.rewritingVersion()}
	for _, opt := range opts {
		if opt != nil {
			opt.applyRehearse(r)
		}
	}
	return func(yield func(*Rehearsal, error) bool) {
		via, err := r.version()
		if err != nil {
			yield(nil, err)
			return
		}
		index := 0
		for obj, err := range objects {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			var one *Rehearsal
			if err == nil {
				one, err = d.rehearse(ctx, via, obj, index)
			}
			if !yield(one, err) || ctx.Err() != nil {
				return
			}
			index++
		}
	}
}

// rehearsal holds what options say.
type rehearsal struct {
	def *Definition
	via string
}

// rewritingVersion returns the name of the version at which objects are best
// rewritten, "" if none is served.
func (d *Definition) rewritingVersion() string {
	if d.storage.served {
		return d.storage.name
	}
	if v, ok := d.Preferred(); ok {
		return v.name
	}
	return ""
}

func (r *rehearsal) version() (*Version, error) {
	switch v := r.def.byName[r.via]; {
	case r.via == "":
		return nil, fmt.Errorf("crdkit: definition %s serves no version to rewrite objects at", r.def.name)
	case v == nil || !v.served:
		return nil, fmt.Errorf("crdkit: definition %s does not serve version %q", r.def.name, r.via)
	default:
		return v, nil
	}
}

// rehearse returns an error only if there is no verdict.
func (d *Definition) rehearse(ctx context.Context, via *Version, obj *unstructured.Unstructured, index int) (*Rehearsal, error) {
	if obj == nil || obj.Object == nil {
		return nil, fmt.Errorf("crdkit: object %d is nil", index)
	}
	one := &Rehearsal{Index: index, Object: obj, From: versionName(obj)}
	if !jsonval.IsWired(obj.Object) {
		obj = wired(clone(obj))
	}
	stored, undo := d.inNamespace(obj)
	one.rewrite(ctx, via, stored)
	if one.Failure == nil {
		one.compare(ctx, d.byName[one.From], stored)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	undo(one.Stored)
	return one, nil
}

// wired brings the numbers of an object, which it changes, into the form that
// they have in JSON.
func wired(obj *unstructured.Unstructured) *unstructured.Unstructured {
	jsonval.Wire(obj.Object)
	return obj
}

func versionName(obj *unstructured.Unstructured) string {
	// An apiVersion that does not parse is a failure of reading.
	gv, err := runtimeschema.ParseGroupVersion(obj.GetAPIVersion())
	if err != nil {
		return ""
	}
	return gv.Version
}

// inNamespace gives an object of a namespaced resource that names no namespace,
// as objects in files do not, the one that it would be created in. undo takes
// it away from what became of the object.
func (d *Definition) inNamespace(obj *unstructured.Unstructured) (_ *unstructured.Unstructured, undo func(*unstructured.Unstructured)) {
	if _, isMap := obj.Object["metadata"].(map[string]any); !d.namespaced || obj.GetNamespace() != "" || !isMap {
		return obj, func(*unstructured.Unstructured) {}
	}
	obj = clone(obj)
	obj.SetNamespace("default")
	return obj, func(out *unstructured.Unstructured) {
		if out != nil {
			unstructured.RemoveNestedField(out.Object, "metadata", "namespace")
		}
	}
}

// rewrite reads the stored object and writes it back.
func (r *Rehearsal) rewrite(ctx context.Context, via *Version, stored *unstructured.Unstructured) {
	old, _, err := via.Read(ctx, stored)
	if err != nil {
		r.Failure = fmt.Errorf("reading at %s: %w", via.name, err)
		return
	}
	obj := wired(clone(old))
	if r.Result, err = via.Update(ctx, obj, old); err == nil {
		err = r.Result.Err()
	}
	if err != nil {
		r.Failure = fmt.Errorf("writing at %s: %w", via.name, err)
		return
	}
	if r.Stored, err = via.Store(ctx, obj); err != nil {
		r.Failure = fmt.Errorf("storing at %s: %w", via.def.storage.name, err)
		return
	}
	wired(r.Stored)
}

// compare finds what changed and what is lost.
func (r *Rehearsal) compare(ctx context.Context, from *Version, stored *unstructured.Unstructured) {
	for _, d := range jsondiff.Of(stored.Object, r.Stored.Object) {
		if d.Path.String() != "apiVersion" && !ofServer(d.Path) {
			r.Changes = append(r.Changes, Change{Op: opOf(d.Kind), Path: d.Path})
		}
	}
	shown, _, err := from.Read(ctx, stored)
	if err != nil {
		r.Irreversible = err
		return
	}
	back, _, err := from.Read(ctx, r.Stored)
	if err != nil {
		r.Irreversible = err
		return
	}
	for _, d := range jsondiff.Of(stored.Object, back.Object) {
		if d.Kind != jsondiff.Added && !ofServer(d.Path) && !hiddenNull(d, shown) {
			r.Lost = append(r.Lost, d.Path)
		}
	}
}

func opOf(kind jsondiff.Kind) Op {
	switch kind {
	case jsondiff.Removed:
		return Removed
	case jsondiff.Added:
		return Added
	default:
		return Replaced
	}
}

// ofServer reports whether a place belongs to the server, which changes it as
// it likes.
func ofServer(path schema.Path) bool {
	return len(path) >= 2 && path[0] == schema.Field("metadata") &&
		(path[1] == schema.Field("generation") || path[1] == schema.Field("managedFields") || path[1] == schema.Field("resourceVersion"))
}

// hiddenNull reports whether a difference is about a null that is not in the
// object as the server showed it before.
func hiddenNull(d jsondiff.Difference, shown *unstructured.Unstructured) bool {
	if d.Before != nil {
		return false
	}
	value, found := d.Path.Lookup(shown.Object)
	return !found || value != nil
}

// Objects returns a sequence of objects without errors, for
// [Definition.Rehearse].
func Objects(objs ...*unstructured.Unstructured) iter.Seq2[*unstructured.Unstructured, error] {
	return func(yield func(*unstructured.Unstructured, error) bool) {
		for _, obj := range objs {
			if !yield(obj, nil) {
				return
			}
		}
	}
}
