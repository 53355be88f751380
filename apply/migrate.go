package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// LastApplied is the annotation in which client-side apply keeps its configuration.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Migrate prepares an object that was managed with client-side apply for server-side apply, as
// kubectl does. The fields of the managers that wrote the annotation [LastApplied] go to the given
// manager, as if it had applied them. Migrate changes metadata.managedFields in place and reports
// whether it changed anything. It returns an error if obj is nil, if managedFields is malformed, or
// if a field set that Migrate must change is malformed. Like kubectl, it does not look at the
// fields of other managers.
func Migrate(obj *unstructured.Unstructured, manager string) (bool, error) {
	if obj == nil || obj.Object == nil {
		return false, errors.New("apply: the object is nil")
	}
	if err := checkEntries(obj); err != nil {
		return false, err
	}
	before := obj.GetManagedFields()
	names := sets.New[string]()
	for _, owner := range annotationOwners(obj, metav1.ManagedFieldsOperationUpdate) {
		names.Insert(owner.Manager)
	}
	for _, name := range sets.List(names) {
		if err := csaupgrade.UpgradeManagedFields(obj, sets.New(name), manager); err != nil {
			return false, fmt.Errorf("apply: migrating %s: %w", name, err)
		}
	}
	return !reflect.DeepEqual(before, obj.GetManagedFields()), nil
}

func annotationOwners(obj *unstructured.Unstructured, operation metav1.ManagedFieldsOperationType) []metav1.ManagedFieldsEntry {
	annotation := fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", LastApplied))
	return csaupgrade.FindFieldsOwners(obj.GetManagedFields(), operation, annotation)
}

const kubectlManager = "kubectl"

// annotationManager is the manager that applies [LastApplied] after an apply by kubectlManager.
const annotationManager = "kubectl-last-applied"

// ApplyAsKubectl makes the requests of kubectl apply --server-side. The first is [Applier.Apply].
// If the object was managed with client-side apply, two more requests follow: an update that
// changes the object as [Migrate] does, and the same apply again. The second apply removes the
// fields that the configuration does not have. If the manager is kubectl's default, "kubectl", the
// annotation [LastApplied] stays: a further request makes "kubectl-last-applied" its owner.
//
// The result is the result of the first apply, with the object after the last request. If the
// server refuses a later request, a warning says so, in the words of kubectl. A request with a
// subresource is an error.
func (a *Applier) ApplyAsKubectl(ctx context.Context, r Request, opts ...crdkit.RequestOption) (*Result, error) {
	if r.Subresource != "" {
		return nil, errSubresource
	}
	live, manager := r.Live, r.Manager
	out, err := a.Apply(ctx, r, opts...)
	if err != nil || out.Object == nil {
		return out, err
	}
	if kept, err := a.keepAnnotation(ctx, out, live, manager, opts); err != nil || !kept {
		return out, err
	}
	migrated := out.Object.DeepCopy()
	changed, err := Migrate(migrated, manager)
	if err != nil {
		out.warn("server rejected managed fields migration to Server-Side Apply", err)
		return out, nil
	}
	if !changed {
		return out, nil
	}
	body, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/metadata/managedFields", "value": migrated.GetManagedFields()}})
	if err != nil {
		return nil, err
	}
	res, err := a.Patch(ctx, Request{Live: out.Object, PatchType: types.JSONPatchType, Body: body, Manager: manager}, opts...)
	if err != nil || !out.follow(res, live, "server rejected managed fields migration to Server-Side Apply") {
		return out, err
	}
	r.Live = out.Object
	if res, err = a.Apply(ctx, r, opts...); err == nil {
		out.follow(res, live, "failed to re-apply configuration after performing Server-Side Apply migration")
	}
	return out, err
}

// keepAnnotation applies an existing [LastApplied] as annotationManager if manager is
// kubectlManager and no manager applied it, as in kubectl. It returns false if the server refuses.
func (a *Applier) keepAnnotation(ctx context.Context, out *Result, live *unstructured.Unstructured, manager string, opts []crdkit.RequestOption) (bool, error) {
	text, found := out.Object.GetAnnotations()[LastApplied]
	if manager != kubectlManager || !found || len(annotationOwners(out.Object, metav1.ManagedFieldsOperationApply)) > 0 {
		return true, nil
	}
	config := a.newObject()
	config.SetName(out.Object.GetName())
	config.SetNamespace(out.Object.GetNamespace())
	config.SetAnnotations(map[string]string{LastApplied: text})
	res, err := a.Apply(ctx, Request{Live: out.Object, Config: config, Manager: annotationManager}, opts...)
	if err != nil {
		return false, err
	}
	return out.follow(res, live, "failed to migrate "+LastApplied+" for Server-Side Apply"), nil
}

// follow sets the object to the result of a later request. If the server refused that request,
// follow only adds a warning, and returns false.
func (r *Result) follow(next *Result, live *unstructured.Unstructured, warning string) bool {
	if err := next.Err(); err != nil {
		r.warn(warning, err)
		return false
	}
	r.Object = next.Object
	r.Unchanged = live != nil && jsonval.Equal(r.Object.Object, live.Object)
	return true
}

func (r *Result) warn(text string, err error) {
	r.Warnings = append(r.Warnings, text+". This is non-fatal and will be retried next time you apply. Error: "+err.Error())
}
