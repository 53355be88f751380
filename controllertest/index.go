package controllertest

import (
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// indexesFor returns the indexes that answer the field selector of a list. It returns nil if the
// server must answer it.
func (r *router) indexesFor(list client.ObjectList, options *client.ListOptions) map[string]client.IndexerFunc {
	if options.FieldSelector == nil || options.FieldSelector.Empty() {
		return nil
	}
	gvk, err := apiutil.GVKForObject(list, r.environment.cfg.scheme)
	if err != nil {
		return nil
	}
	indexes := r.indexes[r.environment.kinds[gvk.GroupKind()]]
	for _, requirement := range options.FieldSelector.Requirements() {
		exact := requirement.Operator == selection.Equals || requirement.Operator == selection.DoubleEquals
		if indexes[requirement.Field] == nil || !exact {
			return nil
		}
	}
	return indexes
}

// filter returns the objects for which each index has the value that the selector wants.
func filter(items []runtime.Object, indexes map[string]client.IndexerFunc, selector fields.Selector) []runtime.Object {
	kept := make([]runtime.Object, 0, len(items))
	for _, item := range items {
		obj, ok := item.(client.Object)
		if ok && !slices.ContainsFunc(selector.Requirements(), func(want fields.Requirement) bool {
			return !slices.Contains(indexes[want.Field](obj), want.Value)
		}) {
			kept = append(kept, item)
		}
	}
	return kept
}
