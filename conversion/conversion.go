package conversion

import (
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Converter converts objects between the versions of one definition.
// Implementations are safe for concurrent use.
type Converter interface {
	// Convert returns objs at version to, in the same order. Neither objs nor
	// the objects in it are changed, and the result shares no memory with
	// them. If one object cannot be converted, none is returned.
	Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error)
}

// ErrNoWebhook says that a definition converts its objects with a webhook and
// that nothing here calls it.
var ErrNoWebhook = errors.New("the definition's conversion strategy is Webhook, and no converter was given to call it")

// New returns the converter that a definition asks for. It returns
// [ErrNoWebhook], wrapped, for a definition with the strategy Webhook, and an
// error for a strategy that does not exist. A definition without a conversion
// has the strategy None.
//
// The definition is not kept and may change afterwards.
func New(crd *apiextensionsv1.CustomResourceDefinition) (Converter, error) {
	if crd.Spec.Conversion == nil {
		return None(crd), nil
	}
	switch s := crd.Spec.Conversion.Strategy; s {
	case apiextensionsv1.NoneConverter, "":
		return None(crd), nil
	case apiextensionsv1.WebhookConverter:
		return nil, fmt.Errorf("conversion: %s: %w", crd.Name, ErrNoWebhook)
	default:
		return nil, fmt.Errorf("unknown conversion strategy %q for CRD %s", s, crd.Name)
	}
}

// None returns the converter of the strategy None, whatever strategy the
// definition has: it changes apiVersion and nothing else.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#overview.
func None(crd *apiextensionsv1.CustomResourceDefinition) Converter {
	n := &none{group: crd.Spec.Group, versions: make(map[string]bool, len(crd.Spec.Versions))}
	for _, v := range crd.Spec.Versions {
		n.versions[v.Name] = true
	}
	return n
}

type none struct {
	group    string
	versions map[string]bool // served or not
}

func (n *none) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	target := schema.GroupVersion{Group: n.group, Version: to}
	if !n.versions[to] {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", target)
	}
	for _, obj := range objs {
		if gv := obj.GroupVersionKind().GroupVersion(); gv.Group != n.group || !n.versions[gv.Version] {
			return nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", gv)
		}
	}
	out := make([]*unstructured.Unstructured, len(objs))
	for i, obj := range objs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = obj.DeepCopy()
		out[i].SetAPIVersion(target.String())
	}
	return out, nil
}
