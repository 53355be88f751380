package oracle_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A mutator changes a schema at random. It adds, removes and moves keywords,
// and nests schemas.
type mutator struct {
	t    *testing.T
	rng  *rand.Rand
	root map[string]any
}

// mutant changes the schema one to five times and returns it. Sometimes it
// first makes the schema the field spec of a whole object.
func (m *mutator) mutant() map[string]any {
	if m.rng.IntN(3) == 0 {
		m.root = map[string]any{"type": "object", "properties": map[string]any{
			"spec": m.root, "kind": map[string]any{"type": "string"}, "metadata": map[string]any{"type": "object"},
		}}
	}
	for range 1 + m.rng.IntN(5) {
		m.mutate()
	}
	return m.root
}

func (m *mutator) mutate() {
	n := m.pickNode()
	switch m.rng.IntN(10) {
	case 0, 1:
		delete(n, m.key(n))
	case 2:
		if k := m.key(n); k != "" {
			m.pickNode()[k] = m.clone(n[k])
		}
	case 3:
		m.nest(n)
	default:
		m.add(n)
	}
}

// pickNode picks a schema. It prefers the root and its metadata.
func (m *mutator) pickNode() map[string]any {
	switch m.rng.IntN(8) {
	case 0:
		return m.root
	case 1:
		properties, _ := m.root["properties"].(map[string]any)
		if metadata, ok := properties["metadata"].(map[string]any); ok {
			return metadata
		}
	}
	var all []map[string]any
	eachSchema(m.root, func(n map[string]any) { all = append(all, n) })
	return all[m.rng.IntN(len(all))]
}

// add sets a keyword. It rarely sets an unsupported keyword, because an
// unsupported keyword hides all other errors.
func (m *mutator) add(n map[string]any) {
	const unsupported = 7 // at the end of the table
	keywords := structuralKeywords
	if m.rng.IntN(50) > 0 {
		keywords = keywords[:len(keywords)-unsupported]
	}
	k := keywords[m.rng.IntN(len(keywords))]
	n[k.name] = decodeAny(m.t, k.values[m.rng.IntN(len(k.values))])
}

// nest puts a copy of n into a junctor of n. Half of the copies keep only
// properties, items and required, and get another property.
func (m *mutator) nest(n map[string]any) {
	inner := m.clone(n).(map[string]any)
	if m.rng.IntN(2) == 0 {
		eachSchema(inner, func(x map[string]any) {
			maps.DeleteFunc(x, func(k string, _ any) bool { return k != "properties" && k != "items" && k != "required" })
		})
		if properties, ok := inner["properties"].(map[string]any); ok && len(properties) > 0 {
			k := m.key(properties)
			properties[k+"x"] = properties[k]
		}
	}
	switch keyword := []string{"allOf", "anyOf", "oneOf", "not"}[m.rng.IntN(4)]; keyword {
	case "not":
		n[keyword] = inner
	default:
		n[keyword] = []any{inner}
	}
}

// key picks a key. It returns "" for an empty map.
func (m *mutator) key(of map[string]any) string {
	if len(of) == 0 {
		return ""
	}
	return slices.Sorted(maps.Keys(of))[m.rng.IntN(len(of))]
}

func (m *mutator) clone(v any) any { return decodeAny(m.t, string(encode(m.t, v))) }

// eachSchema visits a schema and all schemas below it in a fixed order.
func eachSchema(n map[string]any, visit func(map[string]any)) {
	visit(n)
	below := func(v any) {
		if x, ok := v.(map[string]any); ok {
			eachSchema(x, visit)
		}
	}
	for _, k := range []string{"items", "not", "additionalProperties"} {
		below(n[k])
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := n[k].([]any)
		for _, x := range list {
			below(x)
		}
	}
	properties, _ := n["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		below(properties[name])
	}
}
