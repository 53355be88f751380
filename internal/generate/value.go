package generate

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// maxWork bounds one value: a list of a million lists of a million elements is not made.
const maxWork = 5_000

// schemaValue returns a value for a schema. path is the path of the schema,
// under which the generator keeps the values of samples.
func (r *run) schemaValue(path string, p *apiextensionsv1.JSONSchemaProps) any {
	if r.budget--; r.work > maxWork {
		return nil
	}
	s := r.constraintsOf(p)
	if v, ok := r.sampleValue(path, s); ok {
		return v
	}
	switch {
	case s.XIntOrString:
		return r.intOrString(s)
	case s.Type == "object" || len(s.Properties) > 0 || s.XEmbeddedResource:
		return r.properties(path, s)
	case s.Type == "array":
		return r.items(path, s)
	case s.Type == "string":
		return r.text(s)
	case s.Type == "integer":
		return r.integer(s)
	case s.Type == "number":
		return r.number(s)
	case s.Type == "boolean":
		return r.oneIn(2)
	}
	return r.anything(2)
}

// sampleValue returns a value that was not generated: from the enum, the
// default or the samples, or null.
func (r *run) sampleValue(path string, s *constraints) (any, bool) {
	if s.Nullable && r.oneIn(8) {
		return nil, true
	}
	if len(s.Enum) > 0 {
		v, err := DecodeJSON(s.Enum[r.rng.IntN(len(s.Enum))].Raw)
		return v, err == nil
	}
	if s.Default != nil && r.oneIn(4) {
		v, err := DecodeJSON(s.Default.Raw)
		return v, err == nil
	}
	if seen := r.seen[path]; len(seen) > 0 && !r.edge && !r.oneIn(4) {
		return seen[r.rng.IntN(len(seen))], true
	}
	return nil, false
}

func (r *run) intOrString(s *constraints) any {
	if s.Pattern != "" && r.oneIn(2) {
		return r.text(s)
	}
	if r.oneIn(3) {
		return []string{"50%", "100m", "1Gi", "http", "0"}[r.rng.IntN(5)]
	}
	return r.integer(s)
}

func (r *run) properties(path string, s *constraints) any {
	obj := map[string]any{}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = !s.forbidden[name]
	}
	for i, name := range r.shuffled(slices.Sorted(maps.Keys(s.Properties))) {
		if s.forbidden[name] || path == "" && (name == "metadata" || name == "apiVersion" || name == "kind") {
			continue
		}
		if required[name] || r.budget > 0 && i < 12 && (path == "" || !r.oneIn(3)) {
			child := s.Properties[name]
			obj[name] = r.schemaValue(path+"."+name, &child)
		}
	}
	for _, name := range s.Required {
		if _, ok := obj[name]; !ok && path != "" && required[name] {
			obj[name] = r.additional(path, s)
		}
	}
	if s.AdditionalProperties != nil || s.MinProperties != nil {
		r.addProperties(path, s, obj)
	}
	if s.XPreserveUnknownFields != nil && r.oneIn(2) {
		obj[r.key()] = r.anything(2)
	}
	if s.XEmbeddedResource {
		r.embed(obj)
	}
	return obj
}

// embed adds to an object the fields that every resource must have.
func (r *run) embed(obj map[string]any) {
	obj["apiVersion"] = []string{"v1", "apps/v1", "example.com/v1alpha1"}[r.rng.IntN(3)]
	obj["kind"] = []string{"Pod", "Widget"}[r.rng.IntN(2)]
	if r.oneIn(2) {
		obj["metadata"] = r.metadata(r.oneIn(2))
	}
}

func (r *run) additional(path string, s *constraints) any {
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		return r.schemaValue(path+"{}", s.AdditionalProperties.Schema)
	}
	return r.anything(1)
}

func (r *run) addProperties(path string, s *constraints, obj map[string]any) {
	low, high := bounds(s.MinProperties, s.MaxProperties, 3)
	want := r.count(low, high)
	for i := 0; len(obj) < want && i < 3*want; i++ {
		obj[r.key()] = r.additional(path, s)
	}
}

// items returns a list. Its elements differ if the list is a set or a map.
func (r *run) items(path string, s *constraints) any {
	low, high := bounds(s.MinItems, s.MaxItems, 3)
	want := r.count(low, high)
	list := make([]any, 0, want)
	if s.Items == nil || s.Items.Schema == nil {
		return list
	}
	taken := map[string]bool{}
	for i := 0; len(list) < want && i < 4*want; i++ {
		item := r.schemaValue(path+"[]", s.Items.Schema)
		id := identity(s, item, i)
		if !taken[id] {
			taken[id] = true
			list = append(list, item)
		}
	}
	return list
}

// identity returns the text in which two elements of a list must differ.
func identity(s *constraints, item any, index int) string {
	listType := ""
	if s.XListType != nil {
		listType = *s.XListType
	}
	obj, isMap := item.(map[string]any)
	switch {
	case listType == "set":
		return string(Encode(item))
	case listType == "map" && isMap:
		keys := make([]any, 0, len(s.XListMapKeys))
		for _, key := range s.XListMapKeys {
			keys = append(keys, obj[key])
		}
		return string(Encode(keys))
	}
	return fmt.Sprint(index)
}

// bounds returns a small range within the limits of a list or map.
func bounds(low, high *int64, spread int) (int, int) {
	from, to := 0, spread
	if low != nil && *low > 0 {
		from = int(min(*low, 60))
		to = from + spread
	}
	if high != nil {
		to = int(max(0, min(*high, 60)))
	}
	return min(from, to), to
}

func (r *run) count(low, high int) int {
	if r.edge && r.oneIn(2) {
		if r.budget > 40 && r.oneIn(3) {
			return high
		}
		return low
	}
	if r.budget <= 0 {
		return low
	}
	return low + r.rng.IntN(min(high-low, 3)+1)
}

var keys = []string{
	"a", "b", "key", "name", "example.com/x", "x-y_z", "ключ", "a.b", "0", "kind", "metadata", "apiVersion", "", "spec", "for", "__dash__",
}

func (r *run) key() string { return keys[r.rng.IntN(len(keys))] }

func (r *run) shuffled(names []string) []string {
	r.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// anything returns a value that depends on no schema.
func (r *run) anything(depth int) any {
	n := 8
	if depth > 0 {
		n = 10
	}
	switch r.rng.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.oneIn(2)
	case 2, 3:
		return int64(r.rng.IntN(2000) - 1000)
	case 4:
		return float64(r.rng.IntN(100)) / 4
	case 8:
		list := make([]any, r.rng.IntN(3))
		for i := range list {
			list[i] = r.anything(depth - 1)
		}
		return list
	case 9:
		obj := map[string]any{}
		for range r.rng.IntN(4) {
			obj[r.key()] = r.anything(depth - 1)
		}
		return obj
	}
	return r.word()
}
