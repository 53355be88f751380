// Package scalepath checks the fields of objects that the scale subresource of
// a definition names: numbers of replicas, and the selector.
//
// # Semantics
//
// A field is named by a path such as .spec.replicas, steps of which are names
// without any escapes. Numbers of replicas are integers from 0 to 2147483647, the
// selector is text, and fields that are absent are right. Errors name a field
// as the definition spells it.
//
// # Differences from Kubernetes
//
// None are known.
//
// # Concurrency and ownership
//
// A Path does not change. Objects are only read.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
package scalepath

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A ScalePath is a field as it is declared, with its leading dot, and in steps.
type ScalePath struct {
	Text  string
	Steps []string
}

// NewScalePath returns the path of that text.
func NewScalePath(text string) ScalePath {
	return ScalePath{Text: text, Steps: strings.Split(strings.TrimPrefix(text, "."), ".")}
}

// CheckReplicas returns what is wrong with a number of replicas, nil if nothing
// is.
func (p ScalePath) CheckReplicas(obj map[string]any) *field.Error {
	n, _, err := unstructured.NestedInt64(obj, p.Steps...)
	switch {
	case err != nil:
		return p.invalid(n, err.Error())
	case n < 0:
		return p.invalid(n, "should be a non-negative integer")
	case n > math.MaxInt32:
		return p.invalid(n, fmt.Sprintf("should be less than or equal to %d", math.MaxInt32))
	}
	return nil
}

// CheckSelector returns what is wrong with a selector, nil if nothing is.
func (p ScalePath) CheckSelector(obj map[string]any) *field.Error {
	if text, _, err := unstructured.NestedString(obj, p.Steps...); err != nil {
		return p.invalid(text, err.Error())
	}
	return nil
}

func (p ScalePath) invalid(value any, detail string) *field.Error {
	return field.Invalid(field.NewPath(p.Text), value, detail)
}
