package main

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// growRoute returns an HTTPRoute of about 100 KB that stays within the limits:
// 16 rules of 8 matches with 8 headers each, and some backends.
func growRoute(small map[string]any) map[string]any {
	obj := testkit.Clone(small)
	spec := obj["spec"].(map[string]any)
	var rules []any
	for i := range 16 {
		var matches, backends []any
		for j := range 8 {
			matches = append(matches, routeMatch(i, j))
			backends = append(backends, map[string]any{
				"name": fmt.Sprintf("backend-%d-%d", i, j), "port": int64(8000 + j), "weight": int64(j + 1),
			})
		}
		rules = append(rules, map[string]any{
			"matches": matches, "backendRefs": backends,
			"timeouts": map[string]any{"request": "10s", "backendRequest": "2s"},
		})
	}
	spec["rules"] = rules
	return obj
}

func routeMatch(i, j int) map[string]any {
	var headers, params []any
	for k := range 9 {
		headers = append(headers, map[string]any{"name": fmt.Sprintf("x-header-%d-%d", j, k), "type": "Exact", "value": fmt.Sprintf("value-%d-%d-%d", i, j, k)})
	}
	for k := range 3 {
		params = append(params, map[string]any{"name": fmt.Sprintf("param-%d", k), "value": fmt.Sprintf("%d", i+j+k)})
	}
	return map[string]any{
		"path":    map[string]any{"type": "PathPrefix", "value": fmt.Sprintf("/api/v%d/resource-%d", i, j)},
		"headers": headers, "queryParams": params, "method": "GET",
	}
}

// growPrometheus returns a Prometheus of about 100 KB with many copies of the first
// container.
func growPrometheus(small map[string]any) map[string]any {
	obj := testkit.Clone(small)
	spec := obj["spec"].(map[string]any)
	first := spec["containers"].([]any)[0].(map[string]any)
	var containers []any
	for i := range 62 {
		c := testkit.Clone(first)
		c["name"] = fmt.Sprintf("proxy-%d", i)
		var env []any
		for j := range 10 {
			env = append(env, map[string]any{"name": fmt.Sprintf("VARIABLE_%d", j), "value": fmt.Sprintf("value %d of %d", j, i)})
		}
		c["env"] = append(env, c["env"].([]any)...)
		containers = append(containers, c)
	}
	spec["containers"] = containers
	return obj
}

// addUnknown adds n undeclared fields to the objects below spec, evenly distributed.
// It does not change maps that admit any key.
func addUnknown(object map[string]any, p *apiextensionsv1.JSONSchemaProps, n int) map[string]any {
	out := testkit.Clone(object)
	spec := p.Properties["spec"]
	objects := objectsIn(out["spec"], &spec)
	for i := range n {
		m := objects[i*len(objects)/n]
		m[fmt.Sprintf("unknownField%d", i)] = map[string]any{"a": int64(i), "b": []any{"text", true}}
	}
	return out
}

// objectsIn lists the maps in v whose fields are declared, in a fixed order.
func objectsIn(v any, p *apiextensionsv1.JSONSchemaProps) []map[string]any {
	var out []map[string]any
	switch v := v.(type) {
	case map[string]any:
		if len(p.Properties) > 0 && p.XPreserveUnknownFields == nil {
			out = append(out, v)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if child, ok := p.Properties[key]; ok {
				out = append(out, objectsIn(v[key], &child)...)
			}
		}
	case []any:
		for _, item := range v {
			if p.Items != nil && p.Items.Schema != nil {
				out = append(out, objectsIn(item, p.Items.Schema)...)
			}
		}
	}
	return out
}

// damage gives every n-th scalar below spec a wrong type.
func damage(object map[string]any, n int) map[string]any {
	out := testkit.Clone(object)
	count := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if _, ok := v[key].(string); ok {
					if count++; count%n == 1 {
						v[key] = true
					}
					continue
				}
				walk(v[key])
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(out["spec"])
	return out
}
