package testkit

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Damage adds several faults to an object of a schema, which no schema expects.
func Damage(rng *rand.Rand, obj map[string]any, schema *apiextensionsv1.JSONSchemaProps) {
	r := random{rng}
	if r.oneIn(4) {
		r.breakMetadata(obj)
	}
	if r.oneIn(40) {
		obj[pick(r, []string{"apiVersion", "kind"})] = r.value(1)
	}
	for range 1 + r.IntN(5) {
		editBody(obj, func(body map[string]any) { r.damageBody(body, schema) })
	}
}

func (r random) damageBody(body map[string]any, schema *apiextensionsv1.JSONSchemaProps) {
	all := sites(body, schema)
	if len(all) == 0 || r.oneIn(10) {
		body[pick(r, []string{"spec", "status", "extra", ""})] = r.hostileValue()
		return
	}
	r.damageSite(pick(r, all))
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

func (r random) damageSite(s site) {
	switch v := s.value.(type) {
	case map[string]any:
		v[pick(r, keys)] = r.hostileValue()
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

func (r random) hostileValue() any {
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
		func() any { return r.value(3) },
	}
	return pick(r, values)()
}

// nested returns a value with this number of levels.
func (r random) nested(levels int) any {
	var v any = r.value(0)
	for range levels {
		if r.oneIn(2) {
			v = []any{v}
		} else {
			v = map[string]any{pick(r, keys): v}
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

func (r random) breakMetadata(obj map[string]any) {
	m, ok := obj["metadata"].(map[string]any)
	if !ok || r.oneIn(12) {
		obj["metadata"] = pick(r, []any{nil, "text", []any{}, map[string]any{}, int64(1)})
		return
	}
	for range 1 + r.IntN(2) {
		pick(r, badMetadata)(m)
	}
}
