package conversion

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// None returns the converter of the strategy None, whatever the strategy of the
// definition: it changes apiVersion only. Its results share everything below
// their top-level fields with its input.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#overview.
func None(crd *apiextensionsv1.CustomResourceDefinition) Converter {
	return &none{versionsOf(crd)}
}

type none struct{ versions versions }

func (n *none) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	b, err := n.versions.batch(ctx, objs, to)
	if err != nil {
		return nil, err
	}
	return b.relabel(ctx)
}

func (n *none) convertList(ctx context.Context, list *unstructured.UnstructuredList, to string) (*unstructured.UnstructuredList, error) {
	b, err := n.versions.listBatch(ctx, list, to)
	if err != nil {
		return nil, err
	}
	out, err := b.relabel(ctx)
	if err != nil {
		return nil, err
	}
	return listOf(list, b.to.String(), out)
}
