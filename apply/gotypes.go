package apply

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// checkGoTypes returns an error for an object with a value of a Go type that JSON is not
// decoded to, or that is nested too deeply: the library of the server cannot copy it. A
// nil object has no error.
func checkGoTypes(objs ...*unstructured.Unstructured) error {
	for _, obj := range objs {
		if obj == nil || jsonval.IsDecoded(obj.Object) {
			continue
		}
		if jsonval.TooDeep(obj.Object) {
			return fmt.Errorf("apply: the object: %w", jsonval.ErrDepth)
		}
		path, value, _ := jsonval.Foreign(obj.Object)
		return fmt.Errorf("apply: %s is of the Go type %T; %s", path, value, jsonval.GoTypes)
	}
	return nil
}
