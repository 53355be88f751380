package conversion

import (
	"context"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// A ConvertFunc converts one object to another version of its group. It is what
// a conversion webhook consists of; see [Handler] and [Local].
//
// The object belongs to the function, which may change and return it. to is the
// name of the version asked for, such as "v1", and is never the object's own.
// The function need not set apiVersion. It must leave alone whatever it does
// not understand, and must not expect a valid object: defaults are set after
// conversion, values are validated after it, and an object of server-side apply
// has only the fields that were applied, maybe no metadata. Of metadata, only
// changes of labels and annotations count; kind, name, namespace and uid must
// stay.
//
// It must be safe for concurrent use.
type ConvertFunc func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error)

// Local returns a converter that calls convert in this process, and holds its
// results to the rules that the server has for the answers of webhooks. They are
// what a webhook would have sent: where convert wrote an int, there is an int64.
// Local serves to use and to test a conversion without a server. A nil crd has no
// versions.
//
// A panic in convert becomes an error that wraps a [*PanicError].
func Local(crd *apiextensionsv1.CustomResourceDefinition, convert ConvertFunc) Converter {
	return &local{versions: versionsOf(crd), convert: recovered(convert)}
}

type local struct {
	versions versions
	convert  ConvertFunc
}

func (l *local) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	b, err := l.versions.batch(objs, to)
	if err != nil {
		return nil, err
	}
	return l.run(ctx, b)
}

func (l *local) convertList(ctx context.Context, list *unstructured.UnstructuredList, to string) (*unstructured.UnstructuredList, error) {
	b, err := l.versions.listBatch(list, to)
	if err != nil {
		return nil, err
	}
	out, err := l.run(ctx, b)
	if err != nil {
		return nil, err
	}
	return listOf(list, b.to.String(), out)
}

func (l *local) run(ctx context.Context, b *batch) ([]*unstructured.Unstructured, error) {
	if b.empty() {
		return b.relabel(ctx)
	}
	stale := b.unconverted()
	converted := make([]*unstructured.Unstructured, len(stale))
	for i, obj := range stale {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out, err := convertOne(ctx, l.convert, clone(obj), b.to)
		if err != nil {
			return nil, fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, err)
		}
		if out, err = asDecoded(out); err != nil {
			return nil, fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, err)
		}
		converted[i] = out
	}
	return b.merge(stale, converted)
}

// asDecoded returns an object as it is once a webhook has sent it: with int64 where
// a conversion wrote an int, and []any where it wrote a []string.
func asDecoded(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if jsonval.IsDecoded(obj.Object) && jsonval.IsWired(obj.Object) {
		return obj, nil
	}
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding what the conversion returned: %w", err)
	}
	out := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(text, &out.Object); err != nil {
		return nil, fmt.Errorf("decoding what the conversion returned: %w", err)
	}
	return out, nil
}
