package conversion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A webhook may change fields, labels and annotations of an object, but not kind, name, namespace
// and UID. Changes of other metadata are ignored. Labels and annotations are only validated if they
// change, because an old object may have some that are refused today.

// empty reports whether the batch is one object with nothing but a type. The server does not send
// such a batch.
func (b *batch) empty() bool {
	if b.list {
		return false
	}
	obj := b.objs[0].Object
	_, kind := obj["kind"]
	_, apiVersion := obj["apiVersion"]
	return len(obj) == 2 && kind && apiVersion
}

// unconverted returns the objects that do not have the target version.
func (b *batch) unconverted() []*unstructured.Unstructured {
	want := b.to.String()
	out := make([]*unstructured.Unstructured, 0, len(b.objs))
	for _, obj := range b.objs {
		if obj.GetAPIVersion() != want {
			out = append(out, obj)
		}
	}
	return out
}

func (b *batch) failed(err error) error {
	return fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, err)
}

// merge checks the converted objects and restores their metadata. It returns all objects, with
// converted(i) in place of stale[i].
func (b *batch) merge(ctx context.Context, stale []*unstructured.Unstructured, converted func(i int) (*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	out := make([]*unstructured.Unstructured, len(b.objs))
	next := 0
	for i, obj := range b.objs {
		if next == len(stale) || obj != stale[next] {
			out[i] = &unstructured.Unstructured{Object: maps.Clone(obj.Object)}
			continue
		}
		wrong := wholeObject
		var err error
		if out[i], err = converted(next); err == nil {
			wrong, err = b.accept(obj, out[i])
		}
		if ctx.Err() != nil {
			return nil, b.failed(ctx.Err())
		}
		if err != nil {
			return nil, b.refuse(next, wrong, err)
		}
		next++
	}
	return out, nil
}

// A part says which part of a returned object is wrong. The text of the server's error depends on
// the part.
type part string

const (
	wholeObject part = "" // the object cannot be decoded
	itsType     part = "object at index 0"
	itsIdentity part = "object"
	itsMetadata part = "metadata"
)

func (b *batch) refuse(i int, wrong part, err error) error {
	switch {
	case b.list && wrong == itsMetadata:
		return fmt.Errorf("conversion webhook for %v returned invalid metadata in object at index %d: %w", b.gvk, i, err)
	case b.list:
		return fmt.Errorf("conversion webhook for %v returned invalid converted object at index %d: %w", b.gvk, i, err)
	case wrong == wholeObject:
		return err
	default:
		return fmt.Errorf("conversion webhook for %v returned invalid %s: %w", b.gvk, wrong, err)
	}
}

// accept checks a converted object and restores its metadata. With an error it returns the part
// that is wrong.
func (b *batch) accept(original, converted *unstructured.Unstructured) (part, error) {
	if got := groupVersion(converted); got != b.to {
		return itsType, fmt.Errorf("invalid groupVersion (expected %v, received %v)", b.to, cut(got.String(), maxErrorName))
	}
	if want, got := original.GroupVersionKind().Kind, converted.GroupVersionKind().Kind; want != got {
		return itsType, fmt.Errorf("invalid kind (expected %v, received %v)", cut(want, maxErrorName), cut(got, maxErrorName))
	}
	for _, id := range []struct {
		name      string
		want, got string
	}{
		{"kind", original.GetKind(), converted.GetKind()},
		{"name", original.GetName(), converted.GetName()},
		{"namespace", original.GetNamespace(), converted.GetNamespace()},
		{"UID", string(original.GetUID()), string(converted.GetUID())},
	} {
		if id.want != id.got {
			return itsIdentity, fmt.Errorf("must have the same %s: %v != %v", id.name, cut(id.want, maxErrorName), cut(id.got, maxErrorName))
		}
	}
	return itsMetadata, restoreMetadata(original.Object, converted.Object)
}

func groupVersion(obj *unstructured.Unstructured) schema.GroupVersion {
	return obj.GroupVersionKind().GroupVersion()
}

// restoreMetadata gives converted the metadata of original, except labels and annotations.
func restoreMetadata(original, converted map[string]any) error {
	value, ok := converted["metadata"]
	if !ok {
		return errors.New("missing metadata in converted object")
	}
	returned, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata of type %T in converted object", value)
	}
	restored := map[string]any{}
	if value, ok := original["metadata"]; ok {
		meta, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("invalid metadata of type %T in input object", value)
		}
		if meta != nil {
			restored = maps.Clone(meta)
		}
	}
	for _, name := range []string{"labels", "annotations"} {
		value := returned[name]
		if value == nil {
			delete(restored, name)
			continue
		}
		if err := checkStrings(name, restored[name], value); err != nil {
			return err
		}
		restored[name] = value
	}
	converted["metadata"] = restored
	return nil
}

// checkStrings checks returned labels or annotations against the original ones.
func checkStrings(name string, original, returned any) error {
	got, ok := returned.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata.%s of type %T in converted object", name, returned)
	}
	had, ok := original.(map[string]any)
	if !ok && original != nil {
		return fmt.Errorf("invalid metadata.%s of type %T in original object", name, original)
	}
	changed := len(had) != len(got)
	names := slices.Sorted(maps.Keys(got))
	for _, key := range names {
		if _, ok := got[key].(string); !ok {
			return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", name, cut(key, maxErrorName), got[key])
		}
		changed = changed || got[key] != had[key]
	}
	if !changed {
		return nil
	}
	return validateStrings(name, names, got)
}

// cut returns s, or its first n bytes and "...".
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// validateStrings validates labels or annotations in the order of keys. It cuts long texts in
// errors.
func validateStrings(name string, keys []string, m map[string]any) error {
	path := field.NewPath("metadata", "annotation") // without an s, as in the server's errors
	var errs field.ErrorList
	size := 0
	for _, key := range keys {
		value, _ := m[key].(string)
		size += len(key) + len(value)
		short := cut(key, maxErrorLength) // a cut key is as invalid as the whole key
		if name == "labels" {
			errs = append(errs, metav1validation.ValidateLabels(map[string]string{short: cut(value, maxErrorLength)}, field.NewPath("metadata", name))...)
		} else {
			errs = append(errs, apivalidation.ValidateAnnotations(map[string]string{short: ""}, path)...)
		}
	}
	if name == "annotations" && size > apivalidation.TotalAnnotationSizeLimitB {
		errs = append(errs, field.TooLong(path, "" /*unused*/, apivalidation.TotalAnnotationSizeLimitB))
	}
	more := max(0, len(errs)-maxMetadataErrors)
	errs = errs[:len(errs)-more]
	for _, e := range errs {
		for n := maxErrorLength; len(e.Error()) > maxErrorLength; n /= 2 {
			e.BadValue = cut(fmt.Sprint(e.BadValue), n)
		}
	}
	switch {
	case len(errs) == 0:
		return nil
	case more > 0:
		return fmt.Errorf("%w, and %d more", errorlist.Of(errs), more)
	}
	return errorlist.Of(errs)
}

// A batch is the input of one call: an object or a list. The texts of errors differ for a list.
type batch struct {
	gvk  schema.GroupVersionKind // of the object, or of the list
	objs []*unstructured.Unstructured
	list bool
	to   schema.GroupVersion
}

type versions struct {
	group    string
	listKind string
	has      map[string]bool // the apiVersion of all versions, served or not
}

// versionsOf returns the versions of a definition. A nil definition has none.
func versionsOf(crd *apiextensionsv1.CustomResourceDefinition) versions {
	if crd == nil {
		return versions{}
	}
	v := versions{crd.Spec.Group, cmp.Or(crd.Spec.Names.ListKind, crd.Spec.Names.Kind+"List"), map[string]bool{}}
	for _, version := range crd.Spec.Versions {
		v.has[schema.GroupVersion{Group: v.group, Version: version.Name}.String()] = true
	}
	return v
}

// check returns an error if the definition lacks the version of an object or the target version.
func (v *versions) check(b *batch) error {
	from := b.gvk.GroupVersion()
	if from.Group != v.group {
		return fmt.Errorf("%v is unstructured and is not suitable for converting to %q", b.gvk, b.to)
	}
	if !v.has[b.to.String()] {
		return fmt.Errorf("request to convert CR to an invalid group/version: %s", b.to)
	}
	if !v.has[from.String()] {
		return fmt.Errorf("request to convert CR from an invalid group/version: %s", from)
	}
	if !b.list {
		return nil
	}
	for i, obj := range b.objs {
		if !v.has[obj.GetAPIVersion()] {
			return fmt.Errorf("request to convert CR list failed, list index %d has invalid group/version: %s", i, groupVersion(obj))
		}
	}
	return nil
}

// clone is like obj.DeepCopy, but returns an error for deep nesting, and for Go types that no
// decoder makes.
func clone(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	value, err := jsonval.CloneWithin(obj.Object)
	if err != nil {
		return nil, err
	}
	object, _ := value.(map[string]any)
	return &unstructured.Unstructured{Object: object}, nil
}

// relabel returns the objects with the target apiVersion and no other change.
func (b *batch) relabel() []*unstructured.Unstructured {
	var (
		apiVersion any = b.to.String()
		objs           = make([]unstructured.Unstructured, len(b.objs))
		out            = make([]*unstructured.Unstructured, len(b.objs))
	)
	for i, obj := range b.objs {
		objs[i].Object = withAPIVersion(obj.Object, apiVersion)
		out[i] = &objs[i]
	}
	return out
}

// withAPIVersion returns a shallow copy of an object with an apiVersion. Like the server, it adds
// an empty kind if there is none.
func withAPIVersion(object map[string]any, apiVersion any) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	out["apiVersion"] = apiVersion
	if _, ok := out["kind"].(string); !ok {
		out["kind"] = ""
	}
	return out
}
