package crdpath

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A ScalePath names a field by property names that are separated by dots, such
// as .spec.replicas. It has no escapes.
type ScalePath struct {
	Text  string   // as the definition declares it, with its leading dot
	Steps []string // the property names
}

// NewScalePath returns the path that a definition declares as text.
func NewScalePath(text string) ScalePath {
	return ScalePath{Text: text, Steps: strings.Split(strings.TrimPrefix(text, "."), ".")}
}

// CheckReplicas returns the error of a number of replicas that is not an integer
// from 0 to 2147483647. It returns nil for a valid or absent number.
func (p ScalePath) CheckReplicas(obj map[string]any) *field.Error {
	n, _, err := unstructured.NestedInt64(obj, p.Steps...)
	switch {
	case err != nil:
		return p.invalid(n, err.Error())
	case ValidReplicas(n):
		return nil
	case n < 0:
		return p.invalid(n, "should be a non-negative integer")
	}
	return p.invalid(n, fmt.Sprintf("should be less than or equal to %d", maxReplicas))
}

const maxReplicas = math.MaxInt32

// ValidReplicas reports whether n can be a number of replicas.
func ValidReplicas(n int64) bool { return n >= 0 && n <= maxReplicas }

// CheckSelector returns the error of a selector that is not a string. It returns
// nil for a string or an absent selector.
func (p ScalePath) CheckSelector(obj map[string]any) *field.Error {
	if text, _, err := unstructured.NestedString(obj, p.Steps...); err != nil {
		return p.invalid(text, err.Error())
	}
	return nil
}

func (p ScalePath) invalid(value any, detail string) *field.Error {
	return field.Invalid(field.NewPath(p.Text), value, detail)
}
