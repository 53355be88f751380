package migration

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// An Option changes a dry run. A nil Option changes nothing.
type Option interface{ applyDryRun(*dryRun) }

type option func(*dryRun)

func (f option) applyDryRun(d *dryRun) { f(d) }

// AtVersion sets the version at which objects are read and written back. The default is the storage
// version if it is served, and otherwise the preferred version. Tools that rewrite objects always
// use the preferred version.
func AtVersion(version string) Option {
	return option(func(d *dryRun) { d.at = version })
}

// A Rewrite says what happens to one stored object when it is read and written
// back. It belongs to the caller, except for Object.
type Rewrite struct {
	// Index is the index of the object in the sequence.
	Index int
	// Object is the stored object as it was given.
	Object *unstructured.Unstructured
	// From is the version that Object is stored at.
	From string
	// Stored is the new object in storage, or nil if the object cannot be rewritten.
	Stored *unstructured.Unstructured
	// Failure says why the object cannot be rewritten: it cannot be read or converted, or the
	// server refuses it. Storage then keeps the old object.
	Failure error
	// Result is the verdict on the update that writes the object back, or nil if the object could
	// not be read. Result.Ratcheted lists forgiven errors.
	Result *crdkit.Result
	// Changes are the differences between Object and Stored, by field. They leave out apiVersion,
	// generation, managedFields and resourceVersion.
	Changes []crdkit.Change
	// Lost has the paths of the values in Object that are missing or different when Stored is read
	// at From. A value that conversion moves to another field and back is not lost. A null that the
	// server never returns is not lost either.
	Lost []schema.Path
	// Irreversible says why Stored cannot be read at From. It is nil if Stored can be read.
	Irreversible error
}

// An Outcome summarizes a [Rewrite].
type Outcome string

// The outcomes, from the best to the worst.
const (
	// Unchanged: nothing changes, except perhaps apiVersion.
	Unchanged Outcome = "unchanged"
	// Changed: something changes, and nothing is lost.
	Changed Outcome = "changed"
	// Lossy: something is lost, or the rewritten object cannot be read at the old version.
	Lossy Outcome = "lossy"
	// Failed: the object cannot be rewritten.
	Failed Outcome = "failed"
)

// Outcome returns the worst outcome that applies.
func (r *Rewrite) Outcome() Outcome {
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

// The operations in [Rewrite.Changes].
const (
	// Removed: the value is gone.
	Removed crdkit.Op = "removed"
	// Added: the value is new.
	Added crdkit.Op = "added"
	// Replaced: the value is different.
	Replaced crdkit.Op = "replaced"
)

// DryRun reports what happens to each stored object when it is read and written back. A storage
// migration rewrites all objects in this way. DryRun writes nothing and does not change the
// objects. def is the new definition. The apiVersion of an object is the version at which it is
// stored.
//
// The object is decoded at its stored version, converted and pruned, as in a read. An update with
// the unchanged object then defaults and validates it, and converts it to the storage version. Then
// it is read at its old version again, to find what is lost.
//
// DryRun holds one object at a time. It also yields the errors of its input, and continues. If ctx
// ends, the error of ctx comes last. If def is nil or does not serve the version of the dry run,
// the only element is an error.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func DryRun(ctx context.Context, def *crdkit.Definition, objects iter.Seq2[*unstructured.Unstructured, error], opts ...Option) iter.Seq2[*Rewrite, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	d := &dryRun{def: def}
	for _, opt := range opts {
		if opt != nil {
			opt.applyDryRun(d)
		}
	}
	return func(yield func(*Rewrite, error) bool) {
		version, err := d.version()
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
			var one *Rewrite
			if err == nil {
				one, err = d.rewrite(ctx, version, obj, index)
			}
			if !yield(one, err) {
				return
			}
			index++
		}
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
		}
	}
}

type dryRun struct {
	def *crdkit.Definition
	at  string // "" for the default
}

// version returns the version at which objects are read and written back.
func (d *dryRun) version() (*crdkit.Version, error) {
	if d.def == nil {
		return nil, errors.New("crdkit: the definition is nil")
	}
	if d.at != "" {
		if v, ok := d.def.Version(d.at); ok && v.Served() {
			return v, nil
		}
		return nil, fmt.Errorf("crdkit: definition %s does not serve version %q", d.def.Name(), d.at)
	}
	if v := d.def.Storage(); v.Served() {
		return v, nil
	}
	if v, ok := d.def.Preferred(); ok {
		return v, nil
	}
	return nil, fmt.Errorf("crdkit: definition %s serves no version to rewrite objects at", d.def.Name())
}

// rewrite reads one object and writes it back. An error means that there is no verdict.
func (d *dryRun) rewrite(ctx context.Context, at *crdkit.Version, obj *unstructured.Unstructured, index int) (*Rewrite, error) {
	if obj == nil || obj.Object == nil {
		return nil, fmt.Errorf("crdkit: object %d is nil", index)
	}
	if jsonval.TooDeep(obj.Object) {
		return nil, fmt.Errorf("crdkit: object %d: %w", index, jsonval.ErrDepth)
	}
	one := &Rewrite{Index: index, Object: obj}
	// If the apiVersion does not parse, one.rewrite sets one.Failure below.
	if gv, err := runtimeschema.ParseGroupVersion(obj.GetAPIVersion()); err == nil {
		one.From = gv.Version
	}
	stored := wired(obj)
	// Objects in files may have no namespace: they are in the namespace default.
	_, isMap := stored.Object["metadata"].(map[string]any)
	nameless := isMap && d.def.Namespaced() && stored.GetNamespace() == ""
	if nameless {
		stored.SetNamespace("default")
	}
	one.rewrite(ctx, at, stored)
	if from, ok := d.def.Version(one.From); ok && one.Failure == nil {
		one.compare(ctx, from, stored)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if nameless && one.Stored != nil {
		unstructured.RemoveNestedField(one.Stored.Object, "metadata", "namespace")
	}
	return one, nil
}

// wired returns a copy of obj with numbers as JSON decodes them. DeepCopy would panic on other
// numbers.
func wired(obj *unstructured.Unstructured) *unstructured.Unstructured {
	object, _ := jsonval.Wire(jsonval.Clone(obj.Object)).(map[string]any)
	return &unstructured.Unstructured{Object: object}
}

// name returns the object's name in quotes, with its namespace and a slash before it, if any.
func (r *Rewrite) name() string {
	name := r.Object.GetName()
	if name == "" {
		return "an object without a name"
	}
	if namespace := r.Object.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return strconv.Quote(name)
}

func (r *Rewrite) rewrite(ctx context.Context, at *crdkit.Version, stored *unstructured.Unstructured) {
	old, _, err := at.Read(ctx, stored)
	if err != nil {
		r.Failure = fmt.Errorf("reading %s at %s: %w", r.name(), at.Name(), err)
		return
	}
	obj := wired(old)
	if r.Result, err = at.Update(ctx, obj, old); err == nil {
		err = r.Result.Err()
	}
	if err != nil {
		r.Failure = fmt.Errorf("writing %s at %s: %w", r.name(), at.Name(), err)
		return
	}
	if r.Stored, err = at.Store(ctx, obj); err != nil {
		r.Failure = fmt.Errorf("storing %s at %s: %w", r.name(), at.Definition().Storage().Name(), err)
		return
	}
	jsonval.Wire(r.Stored.Object)
}

func (r *Rewrite) compare(ctx context.Context, from *crdkit.Version, stored *unstructured.Unstructured) {
	for _, d := range jsondiff.Of(stored.Object, r.Stored.Object) {
		if d.Path.String() != "apiVersion" && !isServerOwned(d.Path) {
			r.Changes = append(r.Changes, crdkit.Change{Op: ops[d.Kind], Path: d.Path})
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
		if d.Kind != jsondiff.Added && !isServerOwned(d.Path) && !hiddenNull(d, shown) {
			r.Lost = append(r.Lost, d.Path)
		}
	}
}

var ops = map[jsondiff.Kind]crdkit.Op{jsondiff.Removed: Removed, jsondiff.Added: Added, jsondiff.Replaced: Replaced}

// isServerOwned reports whether the server maintains the value at path.
func isServerOwned(path schema.Path) bool {
	return len(path) >= 2 && path[0] == schema.Field("metadata") &&
		slices.Contains([]schema.Step{schema.Field("generation"), schema.Field("managedFields"), schema.Field("resourceVersion")}, path[1])
}

// hiddenNull reports whether the difference is a null that the server does not return.
func hiddenNull(d jsondiff.Difference, shown *unstructured.Unstructured) bool {
	if d.Before != nil {
		return false
	}
	value, found := d.Path.Lookup(shown.Object)
	return !found || value != nil
}

// Objects returns a sequence of objects without errors, for [DryRun].
func Objects(objs ...*unstructured.Unstructured) iter.Seq2[*unstructured.Unstructured, error] {
	return func(yield func(*unstructured.Unstructured, error) bool) {
		for _, obj := range objs {
			if !yield(obj, nil) {
				return
			}
		}
	}
}
