package apply

import (
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// LastApplied is the annotation in which client-side apply keeps its configuration.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Migrate prepares an object that was managed with client-side apply for server-side apply
// by a manager, as kubectl apply --server-side does: the fields of the managers that wrote
// the annotation [LastApplied] become fields that the manager has applied. The next apply
// then removes those that its configuration does not have. Migrate changes
// metadata.managedFields in place and reports whether it has. It returns an error if obj is
// nil, and for malformed managedFields.
func Migrate(obj *unstructured.Unstructured, manager string) (bool, error) {
	if obj == nil || obj.Object == nil {
		return false, errors.New("apply: the object is nil")
	}
	if err := checkEntries(obj); err != nil {
		return false, err
	}
	before := obj.GetManagedFields()
	annotation := fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", LastApplied))
	for i, entry := range before {
		if _, err := setOf(entry); err != nil {
			return false, fmt.Errorf("apply: metadata.managedFields[%d] of %s: %w", i, entry.Manager, err)
		}
	}
	names := sets.New[string]()
	for _, owner := range csaupgrade.FindFieldsOwners(before, metav1.ManagedFieldsOperationUpdate, annotation) {
		names.Insert(owner.Manager)
	}
	for _, name := range sets.List(names) {
		if err := csaupgrade.UpgradeManagedFields(obj, sets.New(name), manager); err != nil {
			return false, fmt.Errorf("apply: migrating %s: %w", name, err)
		}
	}
	return !reflect.DeepEqual(before, obj.GetManagedFields()), nil
}
