package testkit

import (
	"math/rand/v2"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A random makes values and changes objects.
type random struct{ *rand.Rand }

func (r random) oneIn(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r random, list []T) T { return list[r.IntN(len(list))] }

var (
	keys = []string{
		"a", "b", "key", "name", "example.com/x", "x-y_z", "ключ", "a.b", "0", "kind", "metadata", "apiVersion", "", "spec", "for", "__dash__",
	}
	words = []string{
		"demo", "x", "", "true", "1", "10s", "a b", "über", "日本", "https://example.com/a?b=c", "10.0.0.1", "UPPER", "a/b", "line\nbreak", "<&>\u2028",
	}
)

// value returns a value that depends on no schema.
func (r random) value(depth int) any {
	n := 8
	if depth > 0 {
		n = 10
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.oneIn(2)
	case 2, 3:
		return int64(r.IntN(2000) - 1000)
	case 4:
		return float64(r.IntN(100)) / 4
	case 8:
		list := make([]any, r.IntN(3))
		for i := range list {
			list[i] = r.value(depth - 1)
		}
		return list
	case 9:
		obj := map[string]any{}
		for range r.IntN(4) {
			obj[pick(r, keys)] = r.value(depth - 1)
		}
		return obj
	}
	return pick(r, words)
}

// childSchema returns the schema of a member, nil if there is none.
func childSchema(p *apiextensionsv1.JSONSchemaProps, name string) *apiextensionsv1.JSONSchemaProps {
	if p == nil {
		return nil
	}
	if child, ok := p.Properties[name]; ok {
		return &child
	}
	if p.AdditionalProperties != nil {
		return p.AdditionalProperties.Schema
	}
	return nil
}

func itemSchema(p *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if p == nil || p.Items == nil {
		return nil
	}
	return p.Items.Schema
}
