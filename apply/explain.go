package apply

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit"
)

// An Explanation says what an apply would do to the fields of an object.
type Explanation struct {
	// Result is the verdict on the apply, without force.
	Result *Result
	// Fields are the fields that have owners after the apply, or in the live object if the apply is
	// refused.
	Fields []Field
	// Dropped are the fields that the manager applied before and now omits. Fields below a dropped
	// field are left out.
	Dropped []Drop
}

// A Drop is a field that a manager no longer applies.
type Drop struct {
	Path    string `json:"path"`
	Value   any    `json:"value"` // the value in the live object
	Removed bool   `json:"removed"`
	// Why says why the apply removes the field or keeps it.
	Why string `json:"why"`
}

// String returns a line such as
//
//	.spec.replicas: 3 is kept: autoscaler (Update of scale) owns it too
func (d Drop) String() string {
	verb := "is kept"
	if d.Removed {
		verb = "is removed"
	}
	return fmt.Sprintf("%s: %s %s: %s", d.Path, valueText(d.Value), verb, d.Why)
}

// Explain says which fields an apply would remove and why, and who would own which field. It takes
// the arguments of [Applier.Apply]. A request with a subresource is an error. Force has no effect.
// If the apply conflicts, the dropped fields are the ones that a forced apply would drop.
func (a *Applier) Explain(ctx context.Context, r Request, opts ...crdkit.RequestOption) (*Explanation, error) {
	if r.Subresource != "" {
		return nil, errSubresource
	}
	r.Force = false
	live, manager := r.Live, r.Manager
	res, err := a.Apply(ctx, r, opts...)
	if err != nil {
		return nil, err
	}
	out := &Explanation{Result: res}
	forced := res
	if len(res.Conflicts) > 0 {
		r.Force = true
		if forced, err = a.Apply(ctx, r, opts...); err != nil {
			return nil, err
		}
	}
	shown := res.Object
	if shown == nil {
		shown = live
	}
	if shown != nil {
		if out.Fields, err = Owners(shown); err != nil {
			return nil, err
		}
	}
	if live != nil && forced.Object != nil {
		out.Dropped, err = drops(live, forced.Object, manager)
	}
	return out, err
}

func drops(live, obj *unstructured.Unstructured, manager string) ([]Drop, error) {
	before, err := Owners(live)
	if err != nil {
		return nil, err
	}
	after, err := fieldsByPath(obj)
	if err != nil {
		return nil, err
	}
	var out []Drop
	above := fieldpath.NewSet()
	for _, f := range before {
		if !appliedBy(f.Owners, manager) || appliedBy(after[f.Path].Owners, manager) || f.Value == nil || isWithin(f.path, above) {
			continue
		}
		above.Insert(f.path)
		d := Drop{Path: f.Path, Value: f.Value}
		_, kept := lookup(obj.Object, f.path)
		d.Removed = !kept
		d.Why = why(kept, manager, after[f.Path].Owners)
		out = append(out, d)
	}
	return out, nil
}

func why(kept bool, manager string, owners []Owner) string {
	switch {
	case !kept:
		return fmt.Sprintf("%s applied it before, its configuration no longer has it, and nobody else owns it", manager)
	case len(owners) > 0:
		var names []string
		for _, o := range owners {
			names = append(names, o.String())
		}
		return strings.Join(names, " and ") + " owns it too"
	default:
		return "a default sets it again, or another field below it has an owner"
	}
}

func appliedBy(owners []Owner, manager string) bool {
	return slices.ContainsFunc(owners, func(o Owner) bool {
		return o.Manager == manager && o.Operation == metav1.ManagedFieldsOperationApply && o.Subresource == ""
	})
}

// A Conflict is a field that an apply would change and that another manager owns.
type Conflict struct {
	// Manager owns the field. It wrote the field with Operation, through Subresource ("" for the
	// object itself).
	Manager     string
	Operation   metav1.ManagedFieldsOperationType
	Subresource string
	// APIVersion is the version at which the manager wrote, "" for an Apply.
	APIVersion string
	// Field is the field in the server's words, such as .spec.env[name="A"].value, at the
	// version at which the owner wrote.
	Field string
	// Current is the live value, and Wanted is the value in the configuration. Each is nil if there
	// is no value, or if it cannot be converted to the version of the owner.
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

// sortCauses sorts the causes of a conflict by manager: the library's order is random.
func sortCauses(err error) {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil {
		return
	}
	slices.SortStableFunc(status.ErrStatus.Details.Causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Message, b.Message) })
}

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
		c := conflictOf(cause)
		current, wanted := live, config
		if at := c.versionIn(live); at != live.GetAPIVersion() {
			current, wanted = a.converted(ctx, live, at), a.converted(ctx, config, at)
		}
		if path := paths[cause.Field]; path != nil {
			c.Current, _ = lookup(current.Object, path)
			c.Wanted, _ = lookup(wanted.Object, path)
		}
		out = append(out, c)
	}
	return out
}

// versionIn returns the apiVersion at which the owner of the field wrote.
func (c Conflict) versionIn(live *unstructured.Unstructured) string {
	for _, e := range live.GetManagedFields() {
		if e.Manager == c.Manager && e.Operation == c.Operation && e.Subresource == c.Subresource && (c.APIVersion == "" || e.APIVersion == c.APIVersion) {
			return e.APIVersion
		}
	}
	return live.GetAPIVersion()
}

// converted returns a copy of an object at another version. The copy is empty if the object cannot
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

// conflictMessage matches a message such as
//
//	conflict with "a" with subresource "status" using v1 at 2024-01-02T03:04:05Z
var conflictMessage = regexp.MustCompile(`^conflict with ("(?:[^"\\]|\\.)*")(?: with subresource ("(?:[^"\\]|\\.)*"))?(?: using (\S+))?`)

func conflictOf(cause metav1.StatusCause) Conflict {
	c := Conflict{Field: cause.Field, Operation: metav1.ManagedFieldsOperationApply}
	m := conflictMessage.FindStringSubmatch(cause.Message)
	if m == nil {
		return Conflict{Field: cause.Field, Manager: strings.TrimPrefix(cause.Message, "conflict with ")}
	}
	c.Manager, _ = strconv.Unquote(m[1])
	c.Subresource, _ = strconv.Unquote(m[2]) // "" if there is none
	if c.APIVersion = m[3]; c.APIVersion != "" {
		c.Operation = metav1.ManagedFieldsOperationUpdate
	}
	return c
}
