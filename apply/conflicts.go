package apply

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	// .spec.env[name="A"].value.
	Field string
	// Current is the value of the live object and Wanted that of the configuration. A
	// value is nil if the object does not have the field.
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

// conflictsOf returns the conflicts of an answer of the server.
func conflictsOf(err error, live, config *unstructured.Unstructured) []Conflict {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil || live == nil {
		return nil
	}
	paths := pathsByText(live)
	var out []Conflict
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		c := Conflict{Field: cause.Field}
		c.setManager(strings.TrimPrefix(cause.Message, "conflict with "))
		if path, ok := paths[cause.Field]; ok {
			c.Current, _ = lookup(live.Object, path)
			c.Wanted, _ = lookup(config.Object, path)
		}
		out = append(out, c)
	}
	return out
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
