package conversion

import (
	"context"
	"fmt"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A ConvertFunc converts one object to another version of its group. It is the body of a conversion
// webhook; see [Handler] and [Local].
//
// The object belongs to the function, which may change and return it. to is the name of the target
// version, such as "v1". It differs from the version of the object. The function
//
//   - need not set apiVersion;
//   - must keep all data that it does not know;
//   - must not expect a valid object: the server sets defaults and validates after the conversion,
//     and an object of server-side apply has only the applied fields and perhaps no metadata;
//   - must not change kind, name, namespace and UID. In the other metadata, the server only takes
//     changes of labels and annotations;
//   - must be safe for concurrent use.
type ConvertFunc func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error)

// Local returns a converter that calls convert in this process. The server's rules for responses of
// webhooks apply to the results. The results are as a webhook would send them: an int becomes an
// int64. A nil crd has no versions.
//
// If convert panics, the error wraps a [*PanicError].
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

// asDecoded returns an object as decoding would: int64 for int, []any for []string.
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

// Typed returns the ConvertFunc of a conversion between two Go structs. The functions that
// conversion-gen writes have one more parameter, a scope:
//
//	conversion.Typed(func(in *v1beta1.CronTab, out *v1.CronTab) error {
//		return v1beta1.Convert_v1beta1_CronTab_To_v1_CronTab(in, out, nil)
//	})
//
// It converts one pair of versions; [Hub] combines several. convert need not set kind and
// apiVersion.
//
// If the type In lacks a field of the object, there is an error, because the field would be lost.
func Typed[In, Out any](convert func(in *In, out *Out) error) ConvertFunc {
	return func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		in, out := new(In), new(Out)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, in, true); err != nil {
			return nil, fmt.Errorf("decoding as %T: %w", in, err)
		}
		if err := convert(in, out); err != nil {
			return nil, err
		}
		converted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(out)
		if err != nil {
			return nil, fmt.Errorf("encoding %T: %w", out, err)
		}
		converted["kind"] = obj.GetKind()
		delete(converted, "apiVersion")
		return &unstructured.Unstructured{Object: converted}, nil
	}
}

// A Spoke has the conversions of a version to and from the hub. If one is nil, using it is an
// error.
type Spoke struct {
	ToHub, FromHub ConvertFunc
}

// TypedSpoke returns the spoke of a version with the Go type S, for a hub with the Go type H; see
// [Typed].
func TypedSpoke[S, H any](toHub func(in *S, out *H) error, fromHub func(in *H, out *S) error) Spoke {
	return Spoke{ToHub: Typed(toHub), FromHub: Typed(fromHub)}
}

// Hub returns a ConvertFunc for any number of versions: the hub, and spokes by the names of their
// versions. It converts from one spoke to another through the hub. Hub copies spokes. Any other
// version is an error.
func Hub(hub string, spokes map[string]Spoke) ConvertFunc {
	spokes = maps.Clone(spokes)
	return func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		gv := groupVersion(obj)
		for _, version := range []string{gv.Version, to} {
			if _, ok := spokes[version]; !ok && version != hub {
				return nil, fmt.Errorf("version %q is neither the hub nor a spoke", version)
			}
		}
		if gv.Version != hub {
			gv.Version = hub
			var err error
			if obj, err = convertStep(ctx, spokes[groupVersion(obj).Version].ToHub, obj, gv); err != nil {
				return nil, err
			}
		}
		if to == hub {
			return obj, nil
		}
		gv.Version = to
		return convertStep(ctx, spokes[to].FromHub, obj, gv)
	}
}

// convertStep converts to or from the hub. Its result can be the input of the next step.
func convertStep(ctx context.Context, convert ConvertFunc, obj *unstructured.Unstructured, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	if convert == nil {
		return nil, fmt.Errorf("there is no conversion from %q to %q", groupVersion(obj), to)
	}
	out, err := convertOne(ctx, convert, obj, to)
	if err != nil {
		return nil, err
	}
	return asDecoded(out)
}
