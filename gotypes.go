package crdkit

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// Programs build objects with values such as int and []string, which decoded JSON does
// not have. Engines take such a value for one of the wrong type, so a verdict on it
// would be wrong. To search for them costs a walk over the object, so a request does it
// only if the object is refused: an admitted object has none where the schema declares
// a type.

// checkGoTypes returns an error that names the first value of the objects of a
// request, in increasing order of names, of a Go type that JSON is not decoded to.
func (r *request) checkGoTypes() error {
	if r.obj != nil && (!r.encoded || r.mutate != nil) {
		if err := checkGoTypes(r.obj.Object, ""); err != nil {
			return err
		}
	}
	if r.encoded || r.old == nil {
		return nil
	}
	return checkGoTypes(r.old.Object, "old ")
}

// checkGoTypes is [request.checkGoTypes] for one object, which is "" or "old ".
func checkGoTypes(obj map[string]any, which string) error {
	if jsonval.IsDecoded(obj) {
		return nil
	}
	if jsonval.TooDeep(obj) {
		return fmt.Errorf("crdkit: the %sobject: %w", which, jsonval.ErrDepth)
	}
	path, value, _ := jsonval.Foreign(obj)
	if which != "" {
		path += " of the " + which + "object"
	}
	return fmt.Errorf("crdkit: %s is of the Go type %T; %s", path, value, jsonval.GoTypes)
}

// clone is obj.DeepCopy, which panics at Go types that JSON is not decoded to. It
// returns an error for an object that is nested too deeply, and if the watch ends.
func clone(obj *unstructured.Unstructured, watch *interrupt.Watch) (*unstructured.Unstructured, error) {
	value, err := jsonval.CloneWithin(obj.Object, watch)
	if ended := watch.Err(); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, fmt.Errorf("crdkit: the object: %w", err)
	}
	object, _ := value.(map[string]any)
	return &unstructured.Unstructured{Object: object}, nil
}

// orBackground returns ctx, or for nil the context that never ends, as package
// cel does.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
