package conversion

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A ConvertFunc converts one object to another version of its group. It is the
// body of a conversion webhook; see [Handler] and [Local].
//
// The object belongs to the function, which may change and return it. to is the
// name of the target version, such as "v1", and differs from the version of the
// object. The function need not set apiVersion. It must keep all data that it
// does not know. It must not expect a valid object: the server sets defaults
// and validates after the conversion, and an object of server-side apply has
// only the applied fields and perhaps no metadata. The server takes changes of
// labels and annotations only from the metadata; kind, name, namespace and UID
// must not change.
//
// It must be safe for concurrent use.
type ConvertFunc func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error)

// Local returns a converter that calls convert in this process and applies the
// server's rules for responses of webhooks to its results. Results are as a
// webhook would send them: an int becomes an int64. Local serves to use and to
// test a conversion without a server. A nil crd has no versions.
//
// A panic in convert becomes an error that wraps a [*PanicError].
func Local(crd *apiextensionsv1.CustomResourceDefinition, convert ConvertFunc) Converter {
	return &converter{versions: versionsOf(crd), run: func(ctx context.Context, b *batch) ([]*unstructured.Unstructured, error) {
		return runLocal(ctx, b, convert)
	}}
}

func runLocal(ctx context.Context, b *batch, convert ConvertFunc) ([]*unstructured.Unstructured, error) {
	if b.empty() {
		return b.relabel(), nil
	}
	stale := b.unconverted()
	converted := make([]*unstructured.Unstructured, len(stale))
	for i, obj := range stale {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		obj, err := clone(obj)
		if err == nil {
			converted[i], err = convertDecoded(ctx, convert, obj, b.to)
		}
		if err != nil {
			return nil, b.failed(err)
		}
	}
	return b.merge(ctx, stale, func(i int) (*unstructured.Unstructured, error) { return converted[i], nil })
}

// asDecoded returns an object as a webhook would send it: with int64 instead of
// int and []any instead of []string.
func asDecoded(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if jsonval.IsDecoded(obj.Object) && jsonval.IsWired(obj.Object) {
		return obj, nil
	}
	text, err := appendJSON(nil, obj.Object, true)
	if err != nil {
		return nil, fmt.Errorf("encoding what the conversion returned: %w", err)
	}
	value, err := decodeObject(string(text))
	object, _ := value.(map[string]any)
	if err != nil {
		return nil, fmt.Errorf("decoding what the conversion returned: %w", err)
	}
	return &unstructured.Unstructured{Object: object}, nil
}
