package apply

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// keepTimes gives the managers of obj the times of live if nothing else differs, as the
// store does, so that a request without effect does not write the object.
func keepTimes(obj, live *unstructured.Unstructured) {
	now, before := entriesOf(obj), entriesOf(live)
	if len(now) == 0 || len(now) != len(before) {
		return
	}
	for i := range now {
		if !jsonval.Equal(without(now[i], "time"), without(before[i], "time")) {
			return
		}
	}
	if !jsonval.Equal(withoutManagers(obj.Object), withoutManagers(live.Object)) {
		return
	}
	for i := range now {
		if at, ok := before[i]["time"]; ok {
			now[i]["time"] = at
		} else {
			delete(now[i], "time")
		}
	}
}

// without returns a copy of m without a member.
func without(m map[string]any, name string) map[string]any {
	m = maps.Clone(m)
	delete(m, name)
	return m
}

// withoutManagers returns a copy of obj, as far as it changes, without managedFields.
func withoutManagers(obj map[string]any) map[string]any {
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok {
		return obj
	}
	obj = maps.Clone(obj)
	obj["metadata"] = without(metadata, "managedFields")
	return obj
}
