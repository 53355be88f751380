package generate

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// hostileObject returns an object with several faults.
func (r *run) hostileObject() map[string]any {
	obj := r.base()
	if r.oneIn(4) {
		r.breakMetadata(obj)
	}
	if r.oneIn(40) {
		obj[[]string{"apiVersion", "kind"}[r.rng.IntN(2)]] = r.anything(1)
	}
	for range 1 + r.rng.IntN(5) {
		editBody(obj, r.damageBody)
	}
	return obj
}

func (r *run) damageBody(body map[string]any) {
	all := sites(body, r.target.Schema)
	if len(all) == 0 || r.oneIn(10) {
		body[[]string{"spec", "status", "extra", ""}[r.rng.IntN(4)]] = r.hostileValue()
		return
	}
	r.damageSite(all[r.rng.IntN(len(all))])
}

// editBody changes an object but not its apiVersion, kind and metadata: if
// these are invalid, the server stops before it checks the rest.
func editBody(obj map[string]any, edit func(body map[string]any)) {
	head := map[string]any{}
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		if value, ok := obj[key]; ok {
			head[key] = value
			delete(obj, key)
		}
	}
	edit(obj)
	maps.Copy(obj, head)
}

func (r *run) damageSite(s site) {
	switch v := s.value.(type) {
	case map[string]any:
		v[r.key()] = r.hostileValue()
		if r.oneIn(3) {
			for key := range v {
				v[key] = nil
			}
		}
	case []any:
		s.set(append(slices.Clone(v), r.hostileValue(), nil))
	default:
		s.set(r.hostileValue())
	}
}

func (r *run) hostileValue() any {
	values := []func() any{
		func() any { return nil },
		func() any { return "" },
		func() any { return 1.0 },
		func() any { return 1e3 },
		func() any { return -0.5 },
		func() any { return math.Copysign(0, -1) },
		func() any { return 1e300 },
		func() any { return 9223372036854775808.0 },
		func() any { return int64(math.MaxInt64) },
		func() any { return int64(math.MinInt64) },
		func() any { return int64(math.MaxInt32) + 1 },
		func() any { return "\u0000\u2028\ufffd" },
		func() any { return strings.Repeat("long ", 300) },
		func() any { return []any{} },
		func() any { return map[string]any{} },
		func() any { return []any{nil, []any{nil}, map[string]any{"": nil}} },
		func() any { return r.nested(60) },
		func() any { return map[string]any{"apiVersion": int64(1), "kind": nil, "metadata": []any{}} },
		func() any {
			return map[string]any{"apiVersion": "v1", "kind": "x", "metadata": map[string]any{"labels": map[string]any{"a": int64(1)}}}
		},
		func() any { return r.anything(3) },
	}
	return values[r.rng.IntN(len(values))]()
}

// nested returns a value with this number of levels.
func (r *run) nested(levels int) any {
	var v any = r.anything(0)
	for range levels {
		if r.oneIn(2) {
			v = []any{v}
		} else {
			v = map[string]any{r.key(): v}
		}
	}
	return v
}

var badMetadata = []func(m map[string]any){
	func(m map[string]any) { m["name"] = "Not_A_Name" },
	func(m map[string]any) { m["name"] = int64(5) },
	func(m map[string]any) { m["name"] = ".." },
	func(m map[string]any) { delete(m, "name") },
	func(m map[string]any) { delete(m, "name"); m["generateName"] = "x-" },
	func(m map[string]any) { m["namespace"] = "UPPER" },
	func(m map[string]any) { m["namespace"] = "" },
	func(m map[string]any) { m["labels"] = map[string]any{"a": int64(1), "b": "ok"} },
	func(m map[string]any) { m["labels"] = map[string]any{"bad key": "v", "k": "bad value!"} },
	func(m map[string]any) { m["labels"] = nil },
	func(m map[string]any) { m["annotations"] = map[string]any{"bad key/": "v"} },
	func(m map[string]any) { m["annotations"] = "text" },
	func(m map[string]any) { m["unknown"] = map[string]any{"x": int64(1)} },
	func(m map[string]any) { m["Name"] = "other case" },
	func(m map[string]any) { m["generation"] = int64(-1) },
	func(m map[string]any) { m["generation"] = 1.0 },
	func(m map[string]any) { m["generation"] = int64(0) },
	func(m map[string]any) { m["creationTimestamp"] = "yesterday" },
	func(m map[string]any) { m["deletionTimestamp"] = "2024-01-01T00:00:00Z" },
	func(m map[string]any) { m["deletionGracePeriodSeconds"] = "30" },
	func(m map[string]any) { m["finalizers"] = []any{"a", "orphan", "foregroundDeletion", "Bad Finalizer/"} },
	func(m map[string]any) { m["finalizers"] = []any{int64(1)} },
	func(m map[string]any) {
		m["ownerReferences"] = []any{map[string]any{"kind": "Event", "apiVersion": "v1"}, nil}
	},
	func(m map[string]any) { m["ownerReferences"] = []any{map[string]any{"bar": int64(1)}} },
	func(m map[string]any) {
		m["managedFields"] = []any{map[string]any{"operation": "Bogus", "fieldsType": "X", "fieldsV1": "y"}}
	},
	func(m map[string]any) { m["selfLink"] = "/x"; m["resourceVersion"] = int64(1) },
}

func (r *run) breakMetadata(obj map[string]any) {
	m, ok := obj["metadata"].(map[string]any)
	if !ok || r.oneIn(12) {
		obj["metadata"] = []any{nil, "text", []any{}, map[string]any{}, int64(1)}[r.rng.IntN(5)]
		return
	}
	for range 1 + r.rng.IntN(2) {
		badMetadata[r.rng.IntN(len(badMetadata))](m)
	}
}
