package search

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// maxGenerated bounds one value, by the schemas and branches that were read for it: a list
// of a million lists of a million elements is not made.
const maxGenerated = 5_000

// A generator generates a value for a schema. The value may be invalid.
type generator struct {
	rng     *rand.Rand
	samples map[string][]any
	budget  int  // how many more optional values it may add
	edge    bool // prefer values at limits
	inherit bool // the next value keeps unknown fields, as the list around it does
	work    int  // schemas and branches read
}

func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// Learn makes [Space.Object] use values of those samples that have the apiVersion of the
// version. It must not run while other methods do.
func (s *Space) Learn(samples ...map[string]any) {
	for _, sample := range samples {
		if sample["apiVersion"] == s.head.APIVersion {
			s.learn("", sample, s.root)
		}
	}
}

// maxSamples is how many sample values of one schema are kept.
const maxSamples = 20

// learn keeps the scalars of a sample under the paths of their schemas.
func (s *Space) learn(path string, v any, n *schema.Node) {
	switch v := v.(type) {
	case map[string]any:
		values, _ := n.AdditionalProperties()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if child := n.Property(name); child != nil {
				s.learn(path+"."+name, v[name], child)
			} else if values != nil {
				s.learn(path+"{}", v[name], values)
			}
		}
	case []any:
		for _, item := range v {
			if n.Items() != nil {
				s.learn(path+"[]", item, n.Items())
			}
		}
	case nil:
	default:
		if len(s.samples[path]) < maxSamples {
			s.samples[path] = append(s.samples[path], v)
		}
	}
}

// Object generates an object that should be valid, but may not be: a rule, or a
// pattern that the generator cannot solve, may refuse it. Its values are at limits where
// possible if edge is true. The object belongs to the caller.
func (s *Space) Object(rng *rand.Rand, edge bool) map[string]any {
	g := &generator{rng: rng, samples: s.samples, budget: 20 + rng.IntN(180), edge: edge}
	obj := g.properties("", g.constraintsOf(s.root, nil))
	obj["apiVersion"], obj["kind"] = s.head.APIVersion, s.head.Kind
	obj["metadata"] = g.metadata(s.head.Namespaced)
	return obj
}

var metadataExtras = []func(m map[string]any){
	func(m map[string]any) { m["labels"] = map[string]any{"app": "demo", "example.com/tier": ""} },
	func(m map[string]any) { m["annotations"] = map[string]any{"example.com/note": "ünï\ncode"} },
	func(m map[string]any) { m["finalizers"] = []any{"example.com/guard"} },
	func(m map[string]any) { m["uid"] = "5f7a6b1c-0000-4000-8000-000000000001" },
	func(m map[string]any) { m["generation"] = int64(3) },
	func(m map[string]any) { m["creationTimestamp"] = "2024-02-29T12:00:00Z" },
	func(m map[string]any) { m["creationTimestamp"] = nil },
	func(m map[string]any) { m["resourceVersion"] = "17" },
	func(m map[string]any) {
		m["ownerReferences"] = []any{map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u-1", "controller": true,
		}}
	},
	func(m map[string]any) {
		m["managedFields"] = []any{map[string]any{
			"manager": "kubectl", "operation": "Update", "apiVersion": "v1",
			"time": "2024-01-01T00:00:00Z", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:spec": map[string]any{".": map[string]any{}}},
		}}
	},
}

func (g *generator) metadata(namespaced bool) map[string]any {
	m := map[string]any{"name": pick(g.rng, []string{"demo", "a", "a.b-c.d0"})}
	if namespaced {
		m["namespace"] = "default"
	}
	for range g.rng.IntN(3) {
		pick(g.rng, metadataExtras)(m)
	}
	return m
}

// value returns a value for a schema and the branches that constrain it beside. path is
// the path of the schema, under which the space keeps values of samples.
func (g *generator) value(path string, n *schema.Node, demands []demand) any {
	if g.budget--; g.work > maxGenerated {
		return nil
	}
	c := g.constraintsOf(n, demands)
	c.keeps = c.keeps || g.inherit
	g.inherit = false
	if v, ok := g.known(path, c); ok {
		return v
	}
	switch {
	case n.IntOrString():
		return g.intOrString(c)
	case c.typ == "object" || n.Len() > 0 || n.EmbeddedResource():
		return g.properties(path, c)
	case c.typ == "array" || c.typ == "" && n.Items() != nil:
		return g.items(path, c)
	case c.typ == "string":
		return g.text(c)
	case c.typ == "integer":
		return g.integer(c)
	case c.typ == "number":
		return g.number(c)
	case c.typ == "boolean":
		return g.oneIn(2)
	}
	return g.anything(2)
}

// known returns a value that is not generated: from the enum, the default or the samples,
// or null.
func (g *generator) known(path string, c *constraints) (any, bool) {
	if c.node.Nullable() && g.oneIn(8) {
		return nil, true
	}
	if len(c.Enum) > 0 {
		return jsonval.Clone(pick(g.rng, c.Enum)), true
	}
	if def, ok := c.node.Default(); ok && g.oneIn(4) {
		return def, true
	}
	if seen := g.samples[path]; len(seen) > 0 && !g.edge && !g.oneIn(4) {
		return pick(g.rng, seen), true
	}
	return nil, false
}

func (g *generator) properties(path string, c *constraints) map[string]any {
	obj := map[string]any{}
	var names []string
	for name := range c.node.Properties() {
		names = append(names, name)
	}
	for i, name := range g.shuffled(names) {
		if c.forbidden[name] || path == "" && isHead(name) {
			continue
		}
		if slices.Contains(c.Required, name) || g.budget > 0 && i < 12 && (path == "" || !g.oneIn(3)) {
			demands := below(c.demands, func(b *schema.Branch) *schema.Branch { return b.Property(name) })
			obj[name] = g.value(path+"."+name, c.node.Property(name), demands)
		}
	}
	for _, name := range c.Required {
		if _, ok := obj[name]; !ok && path != "" && !c.forbidden[name] {
			obj[name] = g.additional(path, c)
		}
	}
	if _, declared := c.node.AdditionalProperties(); declared || c.MinProperties.Set {
		want := g.count(bounds(c.MinProperties, c.MaxProperties))
		for i := 0; len(obj) < want && i < 3*want; i++ {
			obj[g.key()] = g.additional(path, c)
		}
	}
	if c.keeps && g.oneIn(2) {
		obj[g.key()] = g.anything(2)
	}
	if c.node.EmbeddedResource() {
		g.embed(obj)
	}
	return obj
}

// embed adds to an object the fields that every resource must have.
func (g *generator) embed(obj map[string]any) {
	obj["apiVersion"] = pick(g.rng, []string{"v1", "apps/v1", "example.com/v1alpha1"})
	obj["kind"] = pick(g.rng, []string{"Pod", "Widget"})
	if g.oneIn(2) {
		obj["metadata"] = g.metadata(g.oneIn(2))
	}
}

func (g *generator) additional(path string, c *constraints) any {
	if values, _ := c.node.AdditionalProperties(); values != nil {
		return g.value(path+"{}", values, nil)
	}
	return g.anything(1)
}

// items returns a list. Its elements differ if the list is a set or a map.
func (g *generator) items(path string, c *constraints) []any {
	want := g.count(bounds(c.MinItems, c.MaxItems))
	list := make([]any, 0, want)
	items := c.node.Items()
	if items == nil {
		return list
	}
	listType, _ := c.node.ListType()
	demands := below(c.demands, (*schema.Branch).Items)
	for i := 0; len(list) < want && i < 4*want; i++ {
		g.inherit = c.keeps
		item := g.value(path+"[]", items, demands)
		same := func(other any) bool { return sameKeys(item, other, c.node.ListMapKeys()) }
		if listType != "set" && listType != "map" || !slices.ContainsFunc(list, same) {
			list = append(list, item)
		}
	}
	return list
}

// bounds returns a small range within the limits of a list or map.
func bounds(low, high schema.Count) (int, int) {
	const spread = 3
	from, to := 0, spread
	if low.Set && low.N > 0 {
		from = int(min(low.N, 60))
		to = from + spread
	}
	if high.Set {
		to = int(max(0, min(high.N, 60)))
	}
	return min(from, to), to
}

func (g *generator) count(low, high int) int {
	if g.edge && g.oneIn(2) {
		if g.budget > 40 && g.oneIn(3) {
			return high
		}
		return low
	}
	if g.budget <= 0 {
		return low
	}
	return low + g.rng.IntN(min(high-low, 3)+1)
}

var someKeys = []string{
	"a", "b", "key", "name", "example.com/x", "x-y_z", "ключ", "a.b", "0", "kind", "metadata", "apiVersion", "", "spec", "for", "__dash__",
}

func (g *generator) key() string { return pick(g.rng, someKeys) }

func (g *generator) shuffled(names []string) []string {
	g.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// anything returns a value that depends on no schema.
func (g *generator) anything(depth int) any {
	n := 8
	if depth > 0 {
		n = 10
	}
	switch g.rng.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.oneIn(2)
	case 2, 3:
		return int64(g.rng.IntN(2000) - 1000)
	case 4:
		return float64(g.rng.IntN(100)) / 4
	case 8:
		list := make([]any, g.rng.IntN(3))
		for i := range list {
			list[i] = g.anything(depth - 1)
		}
		return list
	case 9:
		obj := map[string]any{}
		for range g.rng.IntN(4) {
			obj[g.key()] = g.anything(depth - 1)
		}
		return obj
	}
	return g.word()
}
