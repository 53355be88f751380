package apply

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// keepTimes gives the managers of obj the times of live if nothing else differs, as the
// store does, so that a request without effect does not write the object. It reports
// whether the objects are equal then.
func keepTimes(obj, live *unstructured.Unstructured) bool {
	if !jsonval.Equal(withoutTimes(obj), withoutTimes(live)) {
		return false
	}
	now, before := entriesOf(obj), entriesOf(live)
	for i := range now {
		if at, ok := before[i]["time"]; ok {
			now[i]["time"] = at
		} else {
			delete(now[i], "time")
		}
	}
	return true
}

// withoutTimes returns an object without the times of managers. It shares memory with obj.
func withoutTimes(obj *unstructured.Unstructured) map[string]any {
	entries := entriesOf(obj)
	if len(entries) == 0 {
		return obj.Object
	}
	list := make([]any, len(entries))
	for i, entry := range entries {
		entry = maps.Clone(entry)
		delete(entry, "time")
		list[i] = entry
	}
	metadata := maps.Clone(obj.Object["metadata"].(map[string]any))
	metadata["managedFields"] = list
	object := maps.Clone(obj.Object)
	object["metadata"] = metadata
	return object
}
