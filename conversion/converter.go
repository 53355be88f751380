package conversion

import (
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Converter converts objects between the versions of one definition.
// Implementations are safe for concurrent use.
type Converter interface {
	// Convert returns objs at version to, which is the name of a version such
	// as "v1", in the same order. It changes neither objs nor the objects in
	// it, and every result is an object of its own. But results may share what
	// is below their top-level fields with objs: so that converting costs no
	// more than it changes, nothing else is copied. Who changes one of the two
	// in depth afterwards must no longer need the other, or call DeepCopy
	// first.
	//
	// If one object cannot be converted, none is returned.
	Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error)
}

// ErrNoWebhook says that a definition converts its objects with a webhook that
// cannot be called: it names no address, or a wrong one, or certificates that
// cannot be read.
var ErrNoWebhook = errors.New("the definition's conversion strategy is Webhook, and there is no webhook to call")

// New returns the converter that a definition asks for: None, or a client of
// its webhook. A definition without a conversion has the strategy None.
//
// New calls nobody: whether the webhook answers shows in Convert. It returns
// [ErrNoWebhook], wrapped together with the reason, if the webhook cannot be
// called at all, and another error for a strategy that does not exist and for
// options that exclude one another. Options have no effect on None.
//
// The definition is not kept and may change afterwards.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion.
func New(crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (Converter, error) {
	if crd == nil {
		return nil, errors.New("conversion: the definition is nil")
	}
	if crd.Spec.Conversion == nil {
		return None(crd), nil
	}
	switch s := crd.Spec.Conversion.Strategy; s {
	case apiextensionsv1.NoneConverter, "":
		return None(crd), nil
	case apiextensionsv1.WebhookConverter:
		w, err := newWebhook(crd, opts)
		if err != nil {
			return nil, err
		}
		return w, nil
	default:
		return nil, fmt.Errorf("unknown conversion strategy %q for CRD %s", s, crd.Name)
	}
}

// ConvertList returns a list at version to, with its items in the same order.
// It is to a list what [Converter.Convert] is to objects, and says in errors
// what the server says when it converts a list. The items share memory with
// those of list as the results of Convert do.
//
// ConvertList does not change the list. A nil list and a nil converter are errors.
func ConvertList(ctx context.Context, c Converter, list *unstructured.UnstructuredList, to string) (*unstructured.UnstructuredList, error) {
	if list == nil {
		return nil, errors.New("conversion: the list is nil")
	}
	if c == nil {
		return nil, errors.New("conversion: the converter is nil")
	}
	if c, ok := c.(listConverter); ok {
		return c.convertList(ctx, list, to)
	}
	objs := make([]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		objs[i] = &list.Items[i]
	}
	converted, err := c.Convert(ctx, objs, to)
	if err != nil {
		return nil, err
	}
	if len(converted) != len(objs) {
		return nil, fmt.Errorf("conversion: the converter returned %d objects for %d", len(converted), len(objs))
	}
	target := list.GroupVersionKind().GroupVersion()
	target.Version = to
	return listOf(list, target.String(), converted)
}

// listConverter is implemented by the converters of this package.
type listConverter interface {
	convertList(ctx context.Context, list *unstructured.UnstructuredList, to string) (*unstructured.UnstructuredList, error)
}

// listOf is list with another apiVersion and other items.
func listOf(list *unstructured.UnstructuredList, apiVersion string, items []*unstructured.Unstructured) (*unstructured.UnstructuredList, error) {
	out := &unstructured.UnstructuredList{
		Object: withAPIVersion(list.Object, apiVersion),
		Items:  make([]unstructured.Unstructured, len(items)),
	}
	for i, item := range items {
		if item == nil {
			return nil, fmt.Errorf("conversion: the converter returned nothing for item %d", i)
		}
		out.Items[i] = *item
	}
	return out, nil
}
