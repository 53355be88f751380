package generate

import (
	"maps"
	"math/rand/v2"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A Class is a class of objects that a [Generator] generates.
type Class int

const (
	Valid    Class = iota // should be accepted
	Boundary              // should be accepted, with values at limits where possible
	Fault                 // has one fault
	Hostile               // has several faults, which no schema expects
)

func (c Class) String() string {
	return [...]string{"valid", "boundary", "fault", "hostile"}[c]
}

// A Target describes the objects that a [Generator] generates.
type Target struct {
	Group, Version, Kind string
	Namespaced           bool
	Schema               *apiextensionsv1.JSONSchemaProps // nil: any content
}

// A Generator generates objects for a target. It is immutable and safe for
// concurrent use; the random source belongs to the caller.
type Generator struct {
	target  Target
	samples []map[string]any
	seen    map[string][]any // scalars of the samples, by the path of their schema
}

// New returns a generator. It uses values, and sometimes whole objects, of the
// samples with the apiVersion of the target.
func New(t Target, samples ...map[string]any) *Generator {
	g := &Generator{target: t, seen: map[string][]any{}}
	if g.target.Schema == nil {
		g.target.Schema = &apiextensionsv1.JSONSchemaProps{Type: "object"}
	}
	for _, s := range samples {
		if s["apiVersion"] == t.Group+"/"+t.Version {
			g.samples = append(g.samples, s)
			g.learn("", s, g.target.Schema)
		}
	}
	return g
}

// learn records the scalars of a sample under the paths of their schemas.
func (g *Generator) learn(path string, v any, p *apiextensionsv1.JSONSchemaProps) {
	if p == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			child, step := childSchema(p, key)
			g.learn(path+step, v[key], child)
		}
	case []any:
		for _, item := range v {
			g.learn(path+"[]", item, itemSchema(p))
		}
	case nil:
	default:
		if len(g.seen[path]) < 20 {
			g.seen[path] = append(g.seen[path], v)
		}
	}
}

// childSchema returns the schema of a key, and the step to that schema in a
// schema path.
func childSchema(p *apiextensionsv1.JSONSchemaProps, key string) (*apiextensionsv1.JSONSchemaProps, string) {
	if child, ok := p.Properties[key]; ok {
		return &child, "." + key
	}
	if p.AdditionalProperties != nil {
		return p.AdditionalProperties.Schema, "{}"
	}
	return nil, "?"
}

func itemSchema(p *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if p.Items == nil {
		return nil
	}
	return p.Items.Schema
}

// Object returns a new object of the class. It belongs to the caller.
func (g *Generator) Object(rng *rand.Rand, class Class) map[string]any {
	r := &run{Generator: g, rng: rng, budget: 20 + rng.IntN(180), edge: class == Boundary}
	switch class {
	case Fault:
		return r.invalidObject()
	case Hostile:
		return r.hostileObject()
	}
	return r.object()
}

// A run generates one object.
type run struct {
	*Generator
	rng    *rand.Rand
	budget int  // how many more optional values it may add
	edge   bool // prefer values at limits
	work   int  // schemas and branches read
}

func (r *run) oneIn(n int) bool { return r.rng.IntN(n) == 0 }

// base returns an object to break: a copy of a sample or a generated one.
func (r *run) base() map[string]any {
	if len(r.samples) > 0 && r.oneIn(2) {
		return Clone(r.samples[r.rng.IntN(len(r.samples))])
	}
	return r.object()
}

// object returns an object that should be valid.
func (r *run) object() map[string]any {
	obj, ok := r.properties("", r.constraintsOf(r.target.Schema)).(map[string]any)
	if !ok {
		obj = map[string]any{}
	}
	obj["apiVersion"] = r.target.Group + "/" + r.target.Version
	obj["kind"] = r.target.Kind
	obj["metadata"] = r.metadata(r.target.Namespaced)
	return obj
}

var metadataExtras = []func(r *run, m map[string]any){
	func(_ *run, m map[string]any) { m["labels"] = map[string]any{"app": "demo", "example.com/tier": ""} },
	func(_ *run, m map[string]any) { m["annotations"] = map[string]any{"example.com/note": "ünï\ncode"} },
	func(_ *run, m map[string]any) { m["finalizers"] = []any{"example.com/guard"} },
	func(_ *run, m map[string]any) { m["uid"] = "5f7a6b1c-0000-4000-8000-000000000001" },
	func(_ *run, m map[string]any) { m["generation"] = int64(3) },
	func(_ *run, m map[string]any) { m["creationTimestamp"] = "2024-02-29T12:00:00Z" },
	func(_ *run, m map[string]any) { m["creationTimestamp"] = nil },
	func(_ *run, m map[string]any) { m["resourceVersion"] = "17" },
	func(_ *run, m map[string]any) {
		m["ownerReferences"] = []any{map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u-1", "controller": true,
		}}
	},
	func(_ *run, m map[string]any) {
		m["managedFields"] = []any{map[string]any{
			"manager": "kubectl", "operation": "Update", "apiVersion": "v1",
			"time": "2024-01-01T00:00:00Z", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:spec": map[string]any{".": map[string]any{}}},
		}}
	},
}

func (r *run) metadata(namespaced bool) map[string]any {
	m := map[string]any{"name": []string{"demo", "a", "a.b-c.d0"}[r.rng.IntN(3)]}
	if namespaced {
		m["namespace"] = "default"
	}
	for range r.rng.IntN(3) {
		metadataExtras[r.rng.IntN(len(metadataExtras))](r, m)
	}
	return m
}
