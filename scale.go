package crdkit

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// scale holds the paths of a scale subresource.
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

// replicas returns the path of the number of replicas asked for, nil if there is no
// scale.
func (s *scale) replicas() []string {
	if s == nil {
		return nil
	}
	return s.spec.Steps
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

// admits reports whether the scale of an object, in JSON, is valid. checked: the
// number of replicas asked for is valid or absent. It reports false, too, if it
// cannot tell.
func (s *scale) admits(text func() string, checked, hasStatus bool) bool {
	if s == nil {
		return true
	}
	return (checked || s.spec.admits(text, hasStatus, isReplicas)) && s.status.admits(text, hasStatus, isReplicas) &&
		(s.selector == nil || s.selector.admits(text, hasStatus, isText))
}

// admits reports whether the object has no value at the path, or a valid one.
func (p scalePath) admits(text func() string, hasStatus bool, valid func(string) bool) bool {
	if p.Steps[0] == "status" && !hasStatus {
		return true
	}
	if p.Steps[0] == "metadata" {
		return false // text has that of the input
	}
	value, ok := jsonscan.Lookup(text(), p.Steps...)
	return ok && (value == "" || valid(value))
}

func isText(value string) bool { return value[0] == '"' }

func isReplicas(value string) bool {
	end, n := jsonscan.Number(value, 0)
	return end == len(value) && !n.IsFloat && crdpath.ValidReplicas(n.Int)
}
