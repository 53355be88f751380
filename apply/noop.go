package apply

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// keepTimes gives the managers of obj the times of live if nothing else differs, as the
// store does, so that a request without effect does not write the object. It reports
// whether the objects are equal then.
func keepTimes(obj, live *unstructured.Unstructured) bool {
	now, before := entriesOf(obj), entriesOf(live)
	if len(now) != len(before) || !equalWithoutManagers(obj.Object, live.Object) {
		return false
	}
	if len(now) == 0 {
		return jsonval.Equal(obj.Object, live.Object)
	}
	for i := range now {
		if !equalExcept(now[i], before[i], "time") {
			return false
		}
	}
	for i := range now {
		if at, ok := before[i]["time"]; ok {
			now[i]["time"] = at
		} else {
			delete(now[i], "time")
		}
	}
	return true
}

// equalExcept reports whether two objects are equal but for one member.
func equalExcept(a, b map[string]any, name string) bool {
	return sizeExcept(a, name) == sizeExcept(b, name) && equalMembers(a, b, name)
}

func sizeExcept(m map[string]any, name string) int {
	if _, found := m[name]; found {
		return len(m) - 1
	}
	return len(m)
}

// equalMembers reports whether b has all members of a, except one, with equal values.
func equalMembers(a, b map[string]any, except string) bool {
	for name, v := range a {
		if name == except {
			continue
		}
		if other, found := b[name]; !found || !jsonval.Equal(v, other) {
			return false
		}
	}
	return true
}

// equalWithoutManagers reports whether two objects are equal but for managedFields.
func equalWithoutManagers(a, b map[string]any) bool {
	metadata, ok := a["metadata"].(map[string]any)
	other, alsoOK := b["metadata"].(map[string]any)
	if !ok || !alsoOK {
		return jsonval.Equal(a, b)
	}
	return equalExcept(metadata, other, "managedFields") && equalExcept(a, b, "metadata")
}
