package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A Conflict is a field that an apply would change and another manager owns.
type Conflict struct {
	// Manager owns the field by Operation on Subresource, which is "" for the object
	// itself.
	Manager     string
	Operation   metav1.ManagedFieldsOperationType
	Subresource string
	// APIVersion is the version at which the manager wrote, "" for an Apply.
	APIVersion string
	// Field is the field in the words of the server, such as .spec.replicas or
	// .spec.env[name="A"].value. It has the name that it has at the version at which the
	// owner wrote.
	Field string
	// Current is the value of the live object and Wanted that of the configuration. A
	// value is nil if the object does not have the field, or if it cannot be converted to
	// the version of the owner.
	Current, Wanted any
}

// String returns a line such as
//
//	.spec.replicas: 3, wanted 5, owned by "autoscaler" (Update of scale)
func (c Conflict) String() string {
	by := string(c.Operation)
	if c.Subresource != "" {
		by += " of " + c.Subresource
	}
	return fmt.Sprintf("%s: %s, wanted %s, owned by %q (%s)", c.Field, valueText(c.Current), valueText(c.Wanted), c.Manager, by)
}

// conflictOf returns the conflict of a cause. path is nil if it is unknown.
func conflictOf(cause metav1.StatusCause, path fieldpath.Path, live, config *unstructured.Unstructured) Conflict {
	c := Conflict{Field: cause.Field}
	c.setManager(strings.TrimPrefix(cause.Message, "conflict with "))
	if path != nil {
		c.Current, _ = lookup(live.Object, path)
		c.Wanted, _ = lookup(config.Object, path)
	}
	return c
}

// sortCauses sorts the causes of a conflict by manager, because the library lists the
// managers in random order.
func sortCauses(err error) {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil {
		return
	}
	slices.SortStableFunc(status.ErrStatus.Details.Causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Message, b.Message) })
}

// conflictsOf returns the conflicts of an answer of the server.
func (a *Applier) conflictsOf(ctx context.Context, err error, live, config *unstructured.Unstructured) []Conflict {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil || live == nil {
		return nil
	}
	paths := a.pathsByText(live)
	var out []Conflict
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		c, path := conflictOf(cause, nil, live, config), paths[cause.Field]
		if at := c.versionIn(live); at != live.GetAPIVersion() {
			c = conflictOf(cause, path, a.converted(ctx, live, at), a.converted(ctx, config, at))
		} else {
			c = conflictOf(cause, path, live, config)
		}
		out = append(out, c)
	}
	return out
}

// versionIn returns the apiVersion at which the owner of the field wrote, which names the
// field.
func (c Conflict) versionIn(live *unstructured.Unstructured) string {
	for _, e := range live.GetManagedFields() {
		if e.Manager == c.Manager && e.Operation == c.Operation && e.Subresource == c.Subresource && (c.APIVersion == "" || e.APIVersion == c.APIVersion) {
			return e.APIVersion
		}
	}
	return live.GetAPIVersion()
}

// converted returns a copy of an object at another version. It has no fields if it cannot
// be converted.
func (a *Applier) converted(ctx context.Context, obj *unstructured.Unstructured, apiVersion string) *unstructured.Unstructured {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err == nil {
		var out []*unstructured.Unstructured
		if out, err = a.version.Definition().Convert(ctx, []*unstructured.Unstructured{obj.DeepCopy()}, gv.Version); err == nil {
			return out[0]
		}
	}
	return &unstructured.Unstructured{Object: map[string]any{}}
}

// setManager reads a manager such as `"a" with subresource "status" using v1`.
func (c *Conflict) setManager(text string) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		c.Manager = text
		return
	}
	c.Manager, _ = strconv.Unquote(quoted)
	c.Operation = metav1.ManagedFieldsOperationApply
	rest := text[len(quoted):]
	if after, ok := strings.CutPrefix(rest, " with subresource "); ok {
		if quoted, err = strconv.QuotedPrefix(after); err == nil {
			c.Subresource, _ = strconv.Unquote(quoted)
			rest = after[len(quoted):]
		}
	}
	if after, ok := strings.CutPrefix(rest, " using "); ok {
		c.Operation = metav1.ManagedFieldsOperationUpdate
		c.APIVersion, _, _ = strings.Cut(after, " at ")
	}
}
