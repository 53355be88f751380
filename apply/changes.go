package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A Change is a field whose value or whose owners an apply changes.
type Change struct {
	// Path is the field in the words of the server, such as .spec.env[name="A"].value.
	Path string
	// Before and After are the values, nil if the object does not have the field.
	Before, After any
	// OwnersBefore and OwnersAfter are the owners in the order of metadata.managedFields.
	OwnersBefore, OwnersAfter []Owner
}

// String returns a line such as
//
//	.spec.replicas: 1 -> 3, owned by autoscaler (Update of scale) -> deployer (Apply)
func (c Change) String() string {
	text := c.Path + ": " + valueText(c.Before)
	if after := valueText(c.After); after != valueText(c.Before) {
		text += " -> " + after
	}
	before, after := ownersText(c.OwnersBefore), ownersText(c.OwnersAfter)
	switch {
	case before != after:
		text += ", owned by " + before + " -> " + after
	case len(c.OwnersAfter) > 0:
		text += ", owned by " + after
	}
	return text
}

// ownersText returns owners without times.
func ownersText(owners []Owner) string {
	if len(owners) == 0 {
		return "nobody"
	}
	var names []string
	for _, o := range owners {
		names = append(names, o.Manager+" ("+o.how()+")")
	}
	return strings.Join(names, " and ")
}

// changes returns the fields that differ, by path, and nothing below a field that only one
// has.
func (a *Applier) changes(live, obj *unstructured.Unstructured) ([]Change, error) {
	before, err := a.typed(live)
	if err != nil {
		return nil, err
	}
	after, err := a.typed(obj)
	if err != nil {
		return nil, err
	}
	compared, err := before.Compare(after)
	if err != nil {
		return nil, fmt.Errorf("apply: comparing the objects: %w", err)
	}
	ownersBefore, err := fieldsByPath(live)
	if err != nil {
		return nil, err
	}
	ownersAfter, err := fieldsByPath(obj)
	if err != nil {
		return nil, err
	}
	whole, paths := compared.Added.Union(compared.Removed), map[string]fieldpath.Path{}
	add := func(path fieldpath.Path) {
		if !isWithin(path, whole) {
			paths[path.String()] = path.Copy()
		}
	}
	whole.Iterate(add)
	compared.Modified.Iterate(add)
	for _, fields := range []map[string]Field{ownersBefore, ownersAfter} {
		for text, f := range fields {
			if !sameOwners(ownersBefore[text].Owners, ownersAfter[text].Owners) {
				add(f.path)
			}
		}
	}
	var out []Change
	for _, text := range slices.Sorted(maps.Keys(paths)) {
		c := Change{Path: text, OwnersBefore: ownersBefore[text].Owners, OwnersAfter: ownersAfter[text].Owners}
		c.Before, _ = lookup(live.Object, paths[text])
		c.After, _ = lookup(obj.Object, paths[text])
		out = append(out, c)
	}
	return out, nil
}

// typed returns an object without what only the server sets.
func (a *Applier) typed(obj *unstructured.Unstructured) (*typed.TypedValue, error) {
	obj = obj.DeepCopy()
	for _, name := range []string{"generation", "managedFields", "resourceVersion"} {
		unstructured.RemoveNestedField(obj.Object, "metadata", name)
	}
	value, err := a.types.ObjectToTyped(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("apply: comparing the objects: %w", err)
	}
	return value, nil
}

// isWithin reports whether a path is below one of a set.
func isWithin(path fieldpath.Path, set *fieldpath.Set) bool {
	for i := 1; i < len(path); i++ {
		if set.Has(path[:i]) {
			return true
		}
	}
	return false
}

// sameOwners reports whether two lists have the same owners, at any time.
func sameOwners(a, b []Owner) bool {
	return slices.EqualFunc(a, b, func(a, b Owner) bool {
		return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource
	})
}

func (o Owner) how() string {
	if o.Subresource == "" {
		return string(o.Operation)
	}
	return string(o.Operation) + " of " + o.Subresource
}

// keepTimes keeps the times of live if nothing else differs, as the store does, and reports
// whether the objects are equal then.
func keepTimes(obj, live *unstructured.Unstructured) bool {
	if !jsonval.Equal(withoutTimes(obj), withoutTimes(live)) {
		return false
	}
	now, before := entriesOf(obj), entriesOf(live)
	for i := range now {
		if at, ok := before[i]["time"]; ok {
			now[i]["time"] = at
		} else {
			delete(now[i], "time")
		}
	}
	return true
}

// withoutTimes returns an object without the times of managers. It shares memory with obj.
func withoutTimes(obj *unstructured.Unstructured) map[string]any {
	entries := entriesOf(obj)
	if len(entries) == 0 {
		return obj.Object
	}
	list := make([]any, len(entries))
	for i, entry := range entries {
		entry = maps.Clone(entry)
		delete(entry, "time")
		list[i] = entry
	}
	metadata := maps.Clone(obj.Object["metadata"].(map[string]any))
	metadata["managedFields"] = list
	object := maps.Clone(obj.Object)
	object["metadata"] = metadata
	return object
}
