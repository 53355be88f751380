package apiserver

import (
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func (s *Server) delete(r *request) (answer, error) {
	options, err := r.deleteOptions()
	if err != nil {
		return answer{}, err
	}
	stored, err := s.lookup(r)
	if err != nil {
		return answer{}, err
	}
	return s.deleteObject(r, stored, options)
}

// deleteObject removes an object. If it has finalizers, deleteObject only marks it as deleted.
func (s *Server) deleteObject(r *request, stored *unstructured.Unstructured, options *metav1.DeleteOptions) (answer, error) {
	r.warn(versionWarning(r)...)
	if err := r.checkPreconditions(stored, options.Preconditions); err != nil {
		return answer{}, err
	}
	finalizers := finalizersFor(stored.GetFinalizers(), options)
	if len(finalizers) > 0 {
		marked := stored.DeepCopy()
		s.markDeleted(marked)
		marked.SetFinalizers(finalizers)
		if !unchanged(marked, stored) && !r.dryRun() {
			s.record(r.resource, stored, marked)
		}
		obj, err := r.read(marked)
		return answer{http.StatusOK, obj}, err
	}
	if !r.dryRun() {
		s.record(r.resource, stored, nil)
	}
	return answer{http.StatusOK, &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: stored.GetName(), Group: r.resource.crd.Spec.Group, Kind: r.resource.crd.Spec.Names.Plural, UID: stored.GetUID(),
		},
	}}, nil
}

func versionWarning(r *request) []string {
	if text := r.version.Warning(); text != "" {
		return []string{text}
	}
	return nil
}

// markDeleted sets the time of the deletion, unless it is set.
func (s *Server) markDeleted(obj *unstructured.Unstructured) {
	if obj.GetDeletionTimestamp() != nil {
		return
	}
	if generation := obj.GetGeneration(); generation > 0 {
		obj.SetGeneration(generation + 1)
	}
	now := s.time()
	obj.SetDeletionTimestamp(&now)
	obj.SetDeletionGracePeriodSeconds(new(int64))
}

// finalizersFor returns the finalizers of a deleted object. The options can add or remove the
// finalizers of the garbage collector.
func finalizersFor(finalizers []string, options *metav1.DeleteOptions) []string {
	var wanted string
	switch {
	case options.OrphanDependents != nil && *options.OrphanDependents:
		wanted = metav1.FinalizerOrphanDependents
	case options.OrphanDependents != nil:
	case options.PropagationPolicy == nil:
		return finalizers
	case *options.PropagationPolicy == metav1.DeletePropagationOrphan:
		wanted = metav1.FinalizerOrphanDependents
	case *options.PropagationPolicy == metav1.DeletePropagationForeground:
		wanted = metav1.FinalizerDeleteDependents
	}
	kept := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents
	})
	if wanted != "" {
		kept = append(kept, wanted)
	}
	return kept
}

func (r *request) checkPreconditions(obj *unstructured.Unstructured, want *metav1.Preconditions) error {
	if want == nil {
		return nil
	}
	resource := runtimeschema.GroupResource{Group: r.resource.crd.Spec.Group, Resource: r.resource.crd.Spec.Names.Kind}
	if want.UID != nil && *want.UID != obj.GetUID() {
		return apierrors.NewConflict(resource, obj.GetName(), fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *want.UID, obj.GetUID()))
	}
	if want.ResourceVersion != nil && *want.ResourceVersion != obj.GetResourceVersion() {
		return apierrors.NewConflict(resource, obj.GetName(), fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *want.ResourceVersion, obj.GetResourceVersion()))
	}
	return nil
}

// deleteCollection serves DELETE of the selected objects.
func (s *Server) deleteCollection(r *request) (answer, error) {
	options, err := r.deleteOptions()
	if err != nil {
		return answer{}, err
	}
	selected, err := r.selected()
	if err != nil {
		return answer{}, err
	}
	list, err := r.newList(s.revision, selected)
	if err != nil {
		return answer{}, err
	}
	for _, stored := range selected {
		if _, err := s.deleteObject(r, stored, options); err != nil && !apierrors.IsNotFound(err) {
			return answer{}, err
		}
	}
	return answer{http.StatusOK, list}, nil
}

// deleteOptions returns the options of a deletion, from the body or the query.
func (r *request) deleteOptions() (*metav1.DeleteOptions, error) {
	scheme := runtime.NewScheme()
	// Clients encode the options at the version of the resource or at v1.
	metav1.AddToGroupVersion(scheme, runtimeschema.GroupVersion{Version: "v1"})
	metav1.AddToGroupVersion(scheme, r.version.GroupVersionKind().GroupVersion())
	options := &metav1.DeleteOptions{}
	if len(r.body) > 0 {
		gvk := runtimeschema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}
		if _, _, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(r.body, &gvk, options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	} else if err := metav1.Convert_url_Values_To_v1_DeleteOptions(&r.query, options, nil); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if errs := metavalidation.ValidateDeleteOptions(options); len(errs) > 0 {
		return nil, apierrors.NewInvalid(runtimeschema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs)
	}
	if slices.Contains(options.DryRun, metav1.DryRunAll) {
		r.query.Set("dryRun", metav1.DryRunAll)
	}
	return options, nil
}
