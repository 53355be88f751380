package testkit

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A site is a value in an object, with the schema for it, nil if there is none.
type site struct {
	schema *apiextensionsv1.JSONSchemaProps
	value  any
	set    func(any)
	remove func() // nil for list elements
}

// sites returns all values below v, parents before children, in a fixed order.
func sites(v any, p *apiextensionsv1.JSONSchemaProps) []site {
	var found []site
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			child := childSchema(p, key)
			found = append(found, site{
				schema: child, value: v[key],
				set:    func(x any) { v[key] = x },
				remove: func() { delete(v, key) },
			})
			found = append(found, sites(v[key], child)...)
		}
	case []any:
		for i := range v {
			found = append(found, site{schema: itemSchema(p), value: v[i], set: func(x any) { v[i] = x }})
			found = append(found, sites(v[i], itemSchema(p))...)
		}
	}
	return found
}

// AddFault makes an object of a schema invalid, with one fault.
func AddFault(rng *rand.Rand, obj map[string]any, schema *apiextensionsv1.JSONSchemaProps) {
	r := random{rng}
	if r.oneIn(12) {
		r.breakMetadata(obj)
		return
	}
	var governed []site
	for _, s := range sites(obj, schema) {
		if s.schema != nil {
			governed = append(governed, s)
		}
	}
	for range 10 {
		if len(governed) == 0 {
			break
		}
		s := pick(r, governed)
		if faults := r.siteFaults(s); len(faults) > 0 {
			pick(r, faults)()
			return
		}
	}
	r.breakMetadata(obj)
}

// siteFaults returns functions that each make the value at s invalid.
func (r random) siteFaults(s site) []func() {
	p := s.schema
	faults := []func(){
		func() { s.set(r.otherType(s.value)) },
	}
	if !p.Nullable {
		faults = append(faults, func() { s.set(nil) })
	}
	if len(p.Enum) > 0 {
		faults = append(faults, func() { s.set("not-in-the-enum") })
	}
	switch v := s.value.(type) {
	case string:
		faults = append(faults, textFaults(s, v)...)
	case int64, float64:
		faults = append(faults, numberFaults(s)...)
	case []any:
		faults = append(faults, listFaults(s, v)...)
	case map[string]any:
		faults = append(faults, r.mapFaults(s, v)...)
	}
	return faults
}

func (r random) otherType(v any) any {
	for {
		other := r.value(1)
		if kindOf(other) != kindOf(v) {
			return other
		}
	}
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case int64, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func textFaults(s site, v string) []func() {
	var faults []func()
	if p := s.schema; p.MaxLength != nil && *p.MaxLength < 5000 {
		faults = append(faults, func() { s.set(strings.Repeat("ü", int(max(0, *p.MaxLength)+1))) })
	}
	if s.schema.MinLength != nil {
		faults = append(faults, func() { s.set(string([]rune(v)[:min(len([]rune(v)), int(max(0, *s.schema.MinLength-1)))])) })
	}
	if s.schema.Pattern != "" || s.schema.Format != "" {
		faults = append(faults, func() { s.set("!\n" + v) }, func() { s.set("") })
	}
	return faults
}

func numberFaults(s site) []func() {
	p := s.schema
	faults := []func(){
		func() { s.set(1.5) },
		func() { s.set(9223372036854775808.0) },
		func() { s.set(float64(3)) },
	}
	for _, limit := range []*float64{p.Minimum, p.Maximum, p.MultipleOf} {
		if limit != nil {
			faults = append(faults,
				func() { s.set(int64(*limit) - 1) }, func() { s.set(int64(*limit) + 1) },
				func() { s.set(int64(*limit)) }, func() { s.set(*limit + 0.5) })
		}
	}
	return faults
}

func listFaults(s site, v []any) []func() {
	p := s.schema
	var faults []func()
	if p.MinItems != nil && *p.MinItems > 0 {
		faults = append(faults, func() { s.set(v[:min(len(v), int(*p.MinItems)-1)]) })
	}
	if len(v) == 0 {
		return faults
	}
	faults = append(faults, func() { s.set(append(slices.Clone(v), cloneValue(v[0]))) })
	if p.MaxItems != nil && *p.MaxItems < 200 {
		faults = append(faults, func() {
			long := slices.Clone(v)
			for int64(len(long)) <= *p.MaxItems {
				long = append(long, cloneValue(v[0]))
			}
			s.set(long)
		})
	}
	return faults
}

func (r random) mapFaults(s site, v map[string]any) []func() {
	p := s.schema
	faults := []func(){func() { v["unknownField"] = r.value(2) }}
	for _, name := range p.Required {
		faults = append(faults, func() { delete(v, name) })
	}
	if p.MinProperties != nil {
		faults = append(faults, func() { clear(v) })
	}
	if p.MaxProperties != nil && *p.MaxProperties < 200 {
		faults = append(faults, func() {
			for i := 0; int64(len(v)) <= *p.MaxProperties; i++ {
				v["k"+string(rune('a'+i%26))+strings.Repeat("x", i/26)] = r.value(0)
			}
		})
	}
	if p.XEmbeddedResource {
		faults = append(faults, func() { r.breakMetadata(v) }, func() { delete(v, "kind") },
			func() { v["apiVersion"] = "a/b/c" }, func() { v["kind"] = "Bad Kind" })
	}
	return faults
}
