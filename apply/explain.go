package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit"
)

// An Explanation says what an apply would do to the fields of an object.
type Explanation struct {
	// Result is the verdict on the apply, without force.
	Result *Result
	// Fields are the fields with owners after the apply, or of the live object if it is
	// refused.
	Fields []Field
	// Dropped are fields that the manager applied before and now omits, without those
	// below.
	Dropped []Drop
}

// A Drop is a field that a manager no longer applies.
type Drop struct {
	Path    string
	Value   any // of the live object
	Removed bool
	// Why says why the apply removes the field or keeps it.
	Why string
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

// Explain says which fields an apply would remove and why, and who would own which field.
// It takes what [Applier.Apply] takes. The fields that are dropped are those of an apply
// that conflicts do not stop.
func (a *Applier) Explain(ctx context.Context, live, config *unstructured.Unstructured, manager string, opts ...crdkit.RequestOption) (*Explanation, error) {
	res, err := a.Apply(ctx, live, config, manager, false, opts...)
	if err != nil {
		return nil, err
	}
	out := &Explanation{Result: res}
	forced := res
	if len(res.Conflicts) > 0 {
		if forced, err = a.Apply(ctx, live, config, manager, true, opts...); err != nil {
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

// drops returns the fields of live that manager applied and no longer applies in obj.
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
