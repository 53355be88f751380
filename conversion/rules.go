package conversion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlist"
)

// The server takes the fields of an object and its labels and annotations from a
// webhook, but not its identity. Kind, name, namespace and UID must be those that were
// sent, and other returned metadata is ignored. Labels and annotations are validated
// only if the webhook changed them, because an old object may have some that today's
// rules refuse.

// empty reports whether the batch is one object that has only a type. The
// server does not send such an object to the webhook.
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

// failed returns the error of a call of the webhook.
func (b *batch) failed(err error) error {
	return fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, err)
}

// merge returns the objects of the batch with the converted objects in place of those of
// stale. It checks the converted objects and restores their metadata.
func (b *batch) merge(ctx context.Context, stale []*unstructured.Unstructured, converted func(i int) (*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	out := make([]*unstructured.Unstructured, len(b.objs))
	next := 0
	for i, obj := range b.objs {
		if next == len(stale) || obj != stale[next] {
			out[i] = &unstructured.Unstructured{Object: maps.Clone(obj.Object)}
			continue
		}
		var err error
		if out[i], err = converted(next); err == nil {
			err = b.accept(ctx, obj, out[i])
		}
		if ctx.Err() != nil {
			return nil, b.failed(ctx.Err())
		}
		if err != nil {
			return nil, b.refuse(next, err)
		}
		next++
	}
	return out, nil
}

// A conversionError is the error of an object that a webhook returned. The
// server has other words around the errors of each kind.
type conversionError struct {
	kind errorKind
	err  error
}

type errorKind int

const (
	undecodable errorKind = iota // is not an object
	mistyped                     // has the wrong version or kind
	mistaken                     // is not the object that was sent
	unfit                        // has invalid metadata
)

func (f *conversionError) Error() string { return f.err.Error() }
func (f *conversionError) Unwrap() error { return f.err }

// refuse returns the server's error for the i-th converted object.
func (b *batch) refuse(i int, err error) error {
	var f *conversionError
	if !errors.As(err, &f) {
		f = &conversionError{undecodable, err}
	}
	prefix := fmt.Sprintf("conversion webhook for %v returned invalid", b.gvk)
	switch {
	case b.list && f.kind == unfit:
		return fmt.Errorf("%s metadata in object at index %d: %w", prefix, i, f.err)
	case b.list:
		return fmt.Errorf("%s converted object at index %d: %w", prefix, i, f.err)
	case f.kind == undecodable:
		return f.err
	case f.kind == mistyped:
		return fmt.Errorf("%s object at index 0: %w", prefix, f.err)
	case f.kind == mistaken:
		return fmt.Errorf("%s object: %w", prefix, f.err)
	default:
		return fmt.Errorf("%s metadata: %w", prefix, f.err)
	}
}

// accept checks one converted object and restores the metadata of the original.
func (b *batch) accept(ctx context.Context, original, converted *unstructured.Unstructured) error {
	if converted == nil {
		return &conversionError{undecodable, errors.New("there is no object")}
	}
	if err := b.checkType(original, converted); err != nil {
		return &conversionError{mistyped, err}
	}
	if err := checkIdentity(original, converted); err != nil {
		return &conversionError{mistaken, err}
	}
	if err := restoreMetadata(ctx, original.Object, converted.Object); err != nil {
		return &conversionError{unfit, err}
	}
	return nil
}

func (b *batch) checkType(original, converted *unstructured.Unstructured) error {
	// Avoid parsing apiVersion in the expected case.
	if converted.GetAPIVersion() != b.to.String() {
		if got := groupVersion(converted); got != b.to {
			return fmt.Errorf("invalid groupVersion (expected %v, received %v)", b.to, cut(got.String(), maxErrorName))
		}
	}
	if want, got := original.GroupVersionKind().Kind, converted.GroupVersionKind().Kind; want != got {
		return fmt.Errorf("invalid kind (expected %v, received %v)", cut(want, maxErrorName), cut(got, maxErrorName))
	}
	return nil
}

func groupVersion(obj *unstructured.Unstructured) schema.GroupVersion {
	return obj.GroupVersionKind().GroupVersion()
}

func checkIdentity(original, converted *unstructured.Unstructured) error {
	for _, part := range []struct {
		name      string
		want, got string
	}{
		{"kind", original.GetKind(), converted.GetKind()},
		{"name", original.GetName(), converted.GetName()},
		{"namespace", original.GetNamespace(), converted.GetNamespace()},
		{"UID", string(original.GetUID()), string(converted.GetUID())},
	} {
		if part.want != part.got {
			return fmt.Errorf("must have the same %s: %v != %v", part.name, cut(part.want, maxErrorName), cut(part.got, maxErrorName))
		}
	}
	return nil
}

// restoreMetadata replaces the metadata of converted by that of original,
// except for labels and annotations.
func restoreMetadata(ctx context.Context, original, converted map[string]any) error {
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
		if err := checkStrings(ctx, name, restored[name], value); err != nil {
			return err
		}
		restored[name] = value
	}
	converted["metadata"] = restored
	return nil
}

// checkStrings checks returned labels or annotations against the original ones.
func checkStrings(ctx context.Context, name string, original, returned any) error {
	got, ok := returned.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata.%s of type %T in converted object", name, returned)
	}
	had, ok := original.(map[string]any)
	if !ok && original != nil {
		return fmt.Errorf("invalid metadata.%s of type %T in original object", name, original)
	}
	changed := len(had) != len(got)
	for key, value := range got {
		s, ok := value.(string)
		if !ok {
			return notString(name, got)
		}
		if old, ok := had[key].(string); !ok || old != s {
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return validateStrings(ctx, name, got)
}

// notString returns the error for the first value that is not a string, in the
// order of keys.
func notString(name string, m map[string]any) error {
	first := ""
	found := false
	for key, value := range m {
		if _, ok := value.(string); !ok && (!found || key < first) {
			first, found = key, true
		}
	}
	return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", name, cut(first, maxErrorName), m[first])
}

// cut returns the beginning of a text of more than n bytes. It ends in dots, with which
// neither a label nor the name of one may end.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// validateStrings validates labels or annotations key by key, so that the order
// of errors does not depend on that of a map. It stops at the end of the context.
// The errors show the beginning of long texts.
func validateStrings(ctx context.Context, name string, m map[string]any) error {
	var errs field.ErrorList
	texts := make(map[string]string, len(m))
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i%checkInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		texts[key], _ = m[key].(string)
		short := cut(key, maxErrorLength) // wrong if key was cut, as key itself
		if name == "labels" {
			errs = append(errs, metav1validation.ValidateLabels(map[string]string{short: cut(texts[key], maxErrorLength)}, field.NewPath("metadata", "labels"))...)
		} else {
			errs = append(errs, apivalidation.ValidateAnnotations(map[string]string{short: ""}, annotationsPath())...)
		}
	}
	if name == "annotations" {
		if err := apivalidation.ValidateAnnotationsSize(texts); err != nil {
			errs = append(errs, field.TooLong(annotationsPath(), "" /*unused*/, apivalidation.TotalAnnotationSizeLimitB))
		}
	}
	for _, e := range errs[:min(len(errs), maxMetadataErrors)] {
		for n := maxErrorLength; len(e.Error()) > maxErrorLength; n /= 2 {
			e.BadValue = cut(fmt.Sprint(e.BadValue), n)
		}
	}
	if more := len(errs) - maxMetadataErrors; more > 0 {
		return fmt.Errorf("%w, and %d more", errorlist.Of(errs[:maxMetadataErrors]), more)
	}
	if len(errs) == 0 {
		return nil
	}
	return errorlist.Of(errs)
}

// annotationsPath returns the path of annotations in errors of the server.
func annotationsPath() *field.Path { return field.NewPath("metadata", "annotation") }
