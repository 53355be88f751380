package crdkit

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// scale holds the paths of a scale subresource. The map carrier checks the fields
// with package crdpath, which is the reference. The fast one for the JSON carrier is
// [fastpath.Output.AdmitsScale].
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
type scale struct {
	spec, status scalePath
	selector     *scalePath
}

type scalePath struct{ crdpath.ScalePath }

func newScalePath(text string) scalePath { return scalePath{crdpath.NewScalePath(text)} }

func newScale(s *apiextensionsv1.CustomResourceSubresourceScale) *scale {
	if s == nil {
		return nil
	}
	out := &scale{spec: newScalePath(s.SpecReplicasPath), status: newScalePath(s.StatusReplicasPath)}
	if s.LabelSelectorPath != nil {
		p := newScalePath(*s.LabelSelectorPath)
		out.selector = &p
	}
	return out
}

// fields returns the fields for the fast path, none if there is no scale.
func (s *scale) fields() fastpath.Scale {
	if s == nil {
		return fastpath.Scale{}
	}
	f := fastpath.Scale{Replicas: s.spec.Steps, StatusReplicas: s.status.Steps}
	if s.selector != nil {
		f.Selector = s.selector.Steps
	}
	return f
}

// checkSpec returns the errors of the number of replicas asked for.
func (s *scale) checkSpec(obj map[string]any) validation.ErrorList {
	if s == nil {
		return nil
	}
	return s.spec.checkReplicas(obj)
}

// checkStatus returns the errors of the observed number of replicas and of the
// selector.
func (s *scale) checkStatus(obj map[string]any) validation.ErrorList {
	if s == nil {
		return nil
	}
	errs := s.status.checkReplicas(obj)
	if s.selector == nil {
		return errs
	}
	return append(errs, s.selector.placed(s.selector.CheckSelector(obj))...)
}

func (p scalePath) checkReplicas(obj map[string]any) validation.ErrorList {
	return p.placed(p.CheckReplicas(obj))
}

// placed adds the pointer of the field to an error about it.
func (p scalePath) placed(err *field.Error) validation.ErrorList {
	if err == nil {
		return nil
	}
	var path schema.Path
	for _, name := range p.Steps {
		path = append(path, schema.Field(name))
	}
	return validation.ErrorList{validation.NewError(err, validation.StepScale, path.Pointer(), "")}
}
