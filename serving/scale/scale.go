package scale

import (
	"errors"
	"fmt"
	"math"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/crdpath"
)

// Unset is the desired number of replicas of a Scale from [Scaler.Update] if the object has none.
// Update refuses a Scale that still has it.
const Unset int32 = math.MinInt32

// A Scaler has the fields that a definition declares for its scale subresource.
// It does not change and is safe for concurrent use.
type Scaler struct {
	spec, status crdpath.ScalePath
	selector     *crdpath.ScalePath // nil if none is declared
}

// New returns a Scaler for a declared scale subresource. If declared is nil or lacks one of the two
// required paths, it returns an error. It does not keep declared.
func New(declared *apiextensionsv1.CustomResourceSubresourceScale) (*Scaler, error) {
	switch {
	case declared == nil:
		return nil, errors.New("scale: the version has no scale subresource")
	case declared.SpecReplicasPath == "":
		return nil, errors.New("scale: specReplicasPath is missing")
	case declared.StatusReplicasPath == "":
		return nil, errors.New("scale: statusReplicasPath is missing")
	}
	s := &Scaler{spec: crdpath.NewScalePath(declared.SpecReplicasPath), status: crdpath.NewScalePath(declared.StatusReplicasPath)}
	// An empty path counts as absent, for reads and for checks.
	if text := declared.LabelSelectorPath; text != nil && *text != "" {
		p := crdpath.NewScalePath(*text)
		s.selector = &p
	}
	return s, nil
}

// Read returns the Scale of an object, which it does not change.
//
// If the desired number of replicas is absent, the error is an internal error (500) of
// k8s.io/apimachinery/pkg/api/errors. If a field has a wrong type, the error is a plain error.
func (s *Scaler) Read(obj *unstructured.Unstructured) (*autoscalingv1.Scale, error) {
	out, found, err := s.read(obj)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", s.spec.Text))
	}
	return out, nil
}

// read returns the Scale of an object, and whether the object has the desired number.
func (s *Scaler) read(obj *unstructured.Unstructured) (*autoscalingv1.Scale, bool, error) {
	if obj == nil || obj.Object == nil {
		return nil, false, errors.New("scale: the object is nil")
	}
	wanted, found, err := unstructured.NestedInt64(obj.Object, s.spec.Steps...)
	if err != nil {
		return nil, false, err
	}
	observed, _, err := unstructured.NestedInt64(obj.Object, s.status.Steps...)
	if err != nil {
		return nil, false, err
	}
	selector := ""
	if s.selector != nil {
		if selector, _, err = unstructured.NestedString(obj.Object, s.selector.Steps...); err != nil {
			return nil, false, err
		}
	}
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              obj.GetName(),
			Namespace:         obj.GetNamespace(),
			UID:               obj.GetUID(),
			ResourceVersion:   obj.GetResourceVersion(),
			CreationTimestamp: obj.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(wanted)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(observed), Selector: selector},
	}, found, nil
}

// Update changes an object in place, as a write to its scale subresource does. It calls change with
// the current Scale. change turns it into the Scale of the client: the whole Scale for a PUT, the
// patched one for a PATCH. If the object has no desired number, spec.replicas of the current Scale
// is [Unset].
//
// Update takes spec.replicas from the Scale, and metadata.resourceVersion unless it is empty. If it
// returns an error, the object is not changed:
//
//   - the error of change;
//   - a bad request (400) of k8s.io/apimachinery/pkg/api/errors if spec.replicas is Unset;
//   - a plain error if a field of the object has a wrong type.
func (s *Scaler) Update(obj *unstructured.Unstructured, change func(current *autoscalingv1.Scale) error) error {
	current, found, err := s.read(obj)
	if err != nil {
		return err
	}
	if !found {
		current.Spec.Replicas = Unset
	}
	if err := change(current); err != nil {
		return err
	}
	if current.Spec.Replicas == Unset {
		return apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", s.spec.Text))
	}
	if err := unstructured.SetNestedField(obj.Object, int64(current.Spec.Replicas), s.spec.Steps...); err != nil {
		return err
	}
	if current.ResourceVersion != "" {
		obj.SetResourceVersion(current.ResourceVersion)
	}
	return nil
}

// Validate returns the errors of the declared fields of a written object, or nil: numbers of
// replicas must be integers from 0 to 2147483647, and the selector must be a string. Absent fields
// are valid. The object is not changed.
//
// For a write to the status subresource call only [Scaler.ValidateStatus].
func (s *Scaler) Validate(obj map[string]any) field.ErrorList {
	return append(list(s.spec.CheckReplicas(obj)), s.ValidateStatus(obj)...)
}

// ValidateStatus is like [Scaler.Validate] without the desired number of replicas.
func (s *Scaler) ValidateStatus(obj map[string]any) field.ErrorList {
	errs := list(s.status.CheckReplicas(obj))
	if s.selector == nil {
		return errs
	}
	return append(errs, list(s.selector.CheckSelector(obj))...)
}

func list(err *field.Error) field.ErrorList {
	if err == nil {
		return nil
	}
	return field.ErrorList{err}
}
