package crdkit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// Programs make objects by hand, and then numbers are int and lists are
// []string, which decoded JSON never has. Engines take such a value for one of
// the wrong type, and a verdict on it would be wrong. Looking for them costs a
// walk over the object, so it is done when the object is refused: what is
// admitted has none where the schema says a type.

// checkGoTypes returns an error that names the first value of the objects of a
// request, in increasing order of names, whose Go type is none that JSON is
// decoded to.
func (r *request) checkGoTypes() error {
	if r.obj != nil && (!r.encoded || r.mutate != nil) {
		if path, odd := foreign(r.obj.Object, nil); path != nil {
			return fmt.Errorf("crdkit: %s is of the Go type %T; %s", path, odd, goTypes)
		}
	}
	if r.encoded || r.old == nil {
		return nil
	}
	if path, odd := foreign(r.old.Object, nil); path != nil {
		return fmt.Errorf("crdkit: %s of the old object is of the Go type %T; %s", path, odd, goTypes)
	}
	return nil
}

const goTypes = "objects have the types that JSON is decoded to: map[string]any, []any, string, int64, float64, bool and nil"

// foreign returns the place of such a value below v and the value, and no path
// if there is none.
func foreign(v any, path schema.Path) (schema.Path, any) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return nil, nil
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found, odd := foreign(v[name], append(path, schema.Field(name))); found != nil {
				return found, odd
			}
		}
		return nil, nil
	case []any:
		for i, element := range v {
			if found, odd := foreign(element, append(path, schema.Index(i))); found != nil {
				return found, odd
			}
		}
		return nil, nil
	default:
		return path, v
	}
}

// clone is obj.DeepCopy, which panics at Go types that JSON is not decoded to.
func clone(obj *unstructured.Unstructured) *unstructured.Unstructured {
	object, _ := jsonval.Clone(obj.Object).(map[string]any)
	return &unstructured.Unstructured{Object: object}
}

// orBackground returns ctx, or for nil the context that never ends, as package
// cel does.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
