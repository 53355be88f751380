package conversion

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Spoke has the conversions of a version to and from the hub. A conversion
// without a function is an error.
type Spoke struct {
	ToHub, FromHub ConvertFunc
}

// TypedSpoke returns the spoke of a version with the Go type S to a hub with
// the Go type H; see [Typed].
func TypedSpoke[S, H any](toHub func(in *S, out *H) error, fromHub func(in *H, out *S) error) Spoke {
	return Spoke{ToHub: Typed(toHub), FromHub: Typed(fromHub)}
}

// Hub returns a ConvertFunc for any number of versions from conversions to and
// from one of them, the hub. It converts from one spoke to another through the
// hub. spokes has the other versions by name; Hub copies it. Converting a
// version that is neither the hub nor a spoke is an error.
//
// No data is lost if the hub can express everything that the spokes can.
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

// convertStep converts an object to or from the hub. The result is as a webhook
// would send it, because a second step may take it as input.
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
