package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// metadataOf sometimes adds metadata to a configuration, in any combination: versions and uids
// that are stale or not, values that a reader of the object cannot see, and characters that
// YAML does not allow.
func metadataOf(rng *rand.Rand, config, live *unstructured.Unstructured) (features []string) {
	metadata, ok := config.Object["metadata"].(map[string]any)
	if !ok {
		return nil
	}
	add := func(chance int, feature, name string, values ...any) {
		if rng.IntN(chance) == 0 {
			features = append(features, feature)
			metadata[name] = values[rng.IntN(len(values))]
		}
	}
	if live != nil {
		add(12, "resourceVersion", "resourceVersion", "5", live.GetResourceVersion())
		add(16, "uid", "uid", "u-9", string(live.GetUID()))
	} else {
		add(12, "resourceVersion", "resourceVersion", "5")
		add(16, "uid", "uid", "u-9")
	}
	add(12, "empty metadata", "labels", map[string]any{}, nil)
	add(12, "empty metadata", "annotations", map[string]any{}, nil)
	add(12, "empty metadata", "finalizers", []any{}, nil)
	add(30, "control character", "annotations", map[string]any{"a": "x\x7fx"}, map[string]any{"a": "x\u0085x"}, map[string]any{"x\x7fx": "a"})
	return features
}

// bodyOf returns a configuration as JSON, as YAML, or as JSON with repeated keys.
func bodyOf(rng *rand.Rand, config *unstructured.Unstructured) (body []byte, feature string) {
	switch rng.IntN(6) {
	case 0:
		if out, err := yaml.Marshal(config.Object); err == nil {
			return out, "block "
		}
	case 1, 2:
		text := repeatedText(rng, config.Object)
		if rng.IntN(2) == 0 {
			text = "# YAML\n" + text
		}
		return []byte(text), "repeated keys "
	}
	return testkit.Encode(config.Object), "JSON "
}

// repeatedText returns a value as JSON. Some of its keys are repeated.
func repeatedText(rng *rand.Rand, v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return encodeText(v)
	}
	var members []string
	for _, name := range namesOf(m) {
		member := encodeText(name) + ":" + repeatedText(rng, m[name])
		switch rng.IntN(10) {
		case 0:
			members = append(members, member)
		case 1:
			members = append(members, encodeText(name)+":null")
		}
		members = append(members, member)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// dropManagers stores the object without managers, as one that was written before the server
// had any.
func (s *applySide) dropManagers(namespace, name string) bool {
	stored, err := s.server.Stored(namespace, name)
	if err != nil || stored == nil || len(stored.GetManagedFields()) == 0 {
		return false
	}
	stored.SetManagedFields(nil)
	return s.server.Put(stored.Object) == nil
}

// wrongConflict describes a conflict whose values are not those of the objects. It looks at
// fields that have one name in each element of their paths, of managers that wrote at the
// version of the request.
func wrongConflict(step applyStep, res *apply.Result) string {
	var config map[string]any
	if len(res.Conflicts) == 0 || utilyaml.Unmarshal(step.request.Body, &config) != nil {
		return ""
	}
	for _, c := range res.Conflicts {
		path := strings.Split(strings.TrimPrefix(c.Field, "."), ".")
		if strings.ContainsAny(c.Field, "[/") || !wroteAt(step.live, c) {
			continue
		}
		for _, side := range []struct {
			object map[string]any
			value  any
		}{{step.live.Object, c.Current}, {config, c.Wanted}} {
			want, found, err := unstructured.NestedFieldNoCopy(side.object, path...)
			if err == nil && found && encodeText(side.value) != encodeText(want) {
				return fmt.Sprintf("the conflict %v has not the value %v", c, want)
			}
		}
	}
	return ""
}

// wroteAt reports whether the owner of a field wrote at the version of the object.
func wroteAt(live *unstructured.Unstructured, c apply.Conflict) bool {
	entries := live.GetManagedFields()
	for _, e := range entries {
		if e.Manager == c.Manager && e.Operation == c.Operation && e.Subresource == c.Subresource && e.APIVersion != live.GetAPIVersion() {
			return false
		}
	}
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == c.Manager })
}
