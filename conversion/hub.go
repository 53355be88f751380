package conversion

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Spoke is a version that is converted to and from the hub. A conversion for
// which there is no function is an error.
type Spoke struct {
	ToHub, FromHub ConvertFunc
}

// TypedSpoke returns the spoke of a version with the Go type S to a hub with
// the Go type H; see [Typed].
func TypedSpoke[S, H any](toHub func(in *S, out *H) error, fromHub func(in *H, out *S) error) Spoke {
	return Spoke{ToHub: Typed(toHub), FromHub: Typed(fromHub)}
}

// Hub returns a ConvertFunc for any number of versions, of which only
// conversions to and from one, the hub, are written. From one spoke to another
// an object goes by way of the hub. spokes has the other versions by name; it is
// copied. Versions that are neither are an error of the conversion.
//
// Nothing is lost if the hub has a place for everything that spokes have.
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
			if obj, err = toHubVersion(ctx, spokes[groupVersion(obj).Version].ToHub, obj, gv); err != nil {
				return nil, err
			}
		}
		if to == hub {
			return obj, nil
		}
		gv.Version = to
		return toHubVersion(ctx, spokes[to].FromHub, obj, gv)
	}
}

// toHubVersion converts an object to or from the hub. The second half of the way gets
// the object as a webhook of its own would.
func toHubVersion(ctx context.Context, convert ConvertFunc, obj *unstructured.Unstructured, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	if convert == nil {
		return nil, fmt.Errorf("there is no conversion from %q to %q", groupVersion(obj), to)
	}
	out, err := convertOne(ctx, convert, obj, to)
	if err != nil {
		return nil, err
	}
	return asDecoded(out)
}
