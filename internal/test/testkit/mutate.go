package testkit

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Mutate returns a changed copy of an object, such as an update would send. It
// changes, removes and adds values, sets values to null or to another type,
// reorders lists and repeats elements. It sometimes changes metadata too. It
// never changes apiVersion and kind. obj itself does not change.
func Mutate(rng *rand.Rand, obj map[string]any) map[string]any {
	r := random{rng}
	out := Clone(obj)
	if m, ok := out["metadata"].(map[string]any); ok && r.oneIn(6) {
		pick(r, metadataChanges)(m)
	}
	for range 1 + rng.IntN(3) {
		editBody(out, r.mutateBody)
	}
	return out
}

var metadataChanges = []func(m map[string]any){
	func(m map[string]any) { m["labels"] = map[string]any{"changed": "yes"} },
	func(m map[string]any) { delete(m, "labels") },
	func(m map[string]any) { m["name"] = "renamed" },
	func(m map[string]any) { m["namespace"] = "elsewhere" },
	func(m map[string]any) { m["uid"] = "another-uid" },
	func(m map[string]any) { m["generation"] = int64(99) },
	func(m map[string]any) { m["creationTimestamp"] = "2020-01-01T00:00:00Z" },
	func(m map[string]any) { m["finalizers"] = []any{"example.com/new"} },
	func(m map[string]any) { m["resourceVersion"] = "99" },
	func(m map[string]any) { m["deletionTimestamp"] = "2024-01-01T00:00:00Z" },
	func(m map[string]any) { delete(m, "resourceVersion") },
}

func (r random) mutateBody(body map[string]any) {
	if len(body) == 0 || r.oneIn(15) {
		body[pick(r, []string{"spec", "status", "extra"})] = r.value(2)
		return
	}
	all := sites(body, nil)
	s := pick(r, all)
	switch v := s.value.(type) {
	case map[string]any:
		r.mutateMap(s, v)
	case []any:
		r.mutateList(s, v)
	default:
		r.mutateScalar(s)
	}
}

func (r random) mutateMap(s site, v map[string]any) {
	switch names := slices.Sorted(maps.Keys(v)); {
	case len(names) > 0 && r.oneIn(2):
		delete(v, pick(r, names))
	case r.oneIn(6):
		s.set(nil)
	case r.oneIn(6) && s.remove != nil:
		s.remove()
	default:
		v[pick(r, keys)] = r.value(1)
	}
}

func (r random) mutateList(s site, v []any) {
	switch {
	case len(v) > 1 && r.oneIn(3):
		changed := slices.Clone(v)
		r.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
		s.set(changed)
	case len(v) > 0 && r.oneIn(3):
		s.set(append(slices.Clone(v), cloneValue(pick(r, v))))
	case len(v) > 0 && r.oneIn(2):
		i := r.IntN(len(v))
		s.set(slices.Delete(slices.Clone(v), i, i+1))
	case r.oneIn(4):
		s.set(nil)
	default:
		s.set(append(slices.Clone(v), r.value(1)))
	}
}

func (r random) mutateScalar(s site) {
	switch r.IntN(6) {
	case 0:
		s.set(nil)
	case 1:
		if s.remove != nil {
			s.remove()
			return
		}
		s.set(nil)
	case 2:
		s.set(r.otherType(s.value))
	default:
		s.set(r.nearby(s.value))
	}
}

// nearby returns a slightly different value of the same type.
func (r random) nearby(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case int64:
		return v + int64(r.IntN(5)) - 2
	case float64:
		return v + 0.5
	case string:
		return pick(r, []string{v + "x", "", pick(r, words)})
	}
	return r.value(0)
}
