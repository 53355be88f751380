package crdkit

import (
	"fmt"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

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

type scalePath struct {
	text  string // as declared, with its leading dot; errors name it so
	steps []string
}

func newScalePath(text string) scalePath {
	return scalePath{text: text, steps: strings.Split(strings.TrimPrefix(text, "."), ".")}
}

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

// checkSpec returns what is wrong with the number of replicas asked for.
func (s *scale) checkSpec(obj map[string]any) validation.ErrorList {
	if s == nil {
		return nil
	}
	return s.spec.checkReplicas(obj)
}

// checkStatus returns what is wrong with the observed number of replicas and
// with the selector.
func (s *scale) checkStatus(obj map[string]any) validation.ErrorList {
	if s == nil {
		return nil
	}
	errs := s.status.checkReplicas(obj)
	if s.selector == nil {
		return errs
	}
	if selector, _, err := unstructured.NestedString(obj, s.selector.steps...); err != nil {
		errs = append(errs, s.selector.invalid(selector, err.Error()))
	}
	return errs
}

func (p scalePath) checkReplicas(obj map[string]any) validation.ErrorList {
	n, _, err := unstructured.NestedInt64(obj, p.steps...)
	switch {
	case err != nil:
		return validation.ErrorList{p.invalid(n, err.Error())}
	case n < 0:
		return validation.ErrorList{p.invalid(n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return validation.ErrorList{p.invalid(n, fmt.Sprintf("should be less than or equal to %d", math.MaxInt32))}
	}
	return nil
}

func (p scalePath) invalid(value any, detail string) *validation.Error {
	var path schema.Path
	for _, name := range p.steps {
		path = append(path, schema.Field(name))
	}
	return validation.NewError(field.Invalid(field.NewPath(p.text), value, detail), validation.StepScale, path.Pointer(), "")
}
