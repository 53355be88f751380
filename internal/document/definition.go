package document

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
)

type props = apiextensionsv1.JSONSchemaProps

// ReadDefinition reads the definition that is the only document of a text. It
// reports false if it declines the text. The definition shares no memory with
// data.
func ReadDefinition(data []byte) (*apiextensionsv1.CustomResourceDefinition, bool) {
	t, ok := Tokenize(string(data))
	if !ok || !isDefinition(t) {
		return nil, false
	}
	schemas, values, ok := versionSchemas(t)
	if !ok {
		return nil, false
	}
	rest, ok := t.AppendJSON(nil, 0, values...)
	if !ok {
		return nil, false
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if strict, err := kjson.UnmarshalStrict(rest, crd); err != nil || len(strict) > 0 {
		return nil, false
	}
	r := definitionReader{tokens: t, strings: map[string]string{}}
	for i, at := range schemas {
		if at == 0 {
			continue
		}
		s := &props{}
		if !r.schema(at, s) {
			return nil, false
		}
		crd.Spec.Versions[i].Schema.OpenAPIV3Schema = s
	}
	return crd, true
}

func isDefinition(t *Tokens) bool {
	for name, want := range map[string]string{
		"kind":       "CustomResourceDefinition",
		"apiVersion": apiextensionsv1.SchemeGroupVersion.String(),
	} {
		if v, n := t.Member(0, name); n != 1 || t.Kind(v) != String || t.Text(v) != want {
			return false
		}
	}
	return true
}

// versionSchemas returns the values of the versions' schemas: in schemas one
// for each version, 0 for a version without a schema, and in values those that
// exist. It reports false if the definition has no versions or a duplicate
// member decides which schema counts.
func versionSchemas(t *Tokens) (schemas, values []int, ok bool) {
	spec, n := t.Member(0, "spec")
	if n != 1 {
		return nil, nil, false
	}
	versions, n := t.Member(spec, "versions")
	if n != 1 || t.Kind(versions) != List {
		return nil, nil, false
	}
	version := versions + 1
	for range t.Len(versions) {
		validation, n := t.Member(version, "schema")
		if n > 1 {
			return nil, nil, false
		}
		at := 0
		if n == 1 && t.Kind(validation) == Object {
			v, n := t.Member(validation, "openAPIV3Schema")
			switch {
			case n > 1:
				return nil, nil, false
			case n == 1 && t.Kind(v) == Object:
				at = v
				values = append(values, v)
			}
		}
		schemas = append(schemas, at)
		version = t.Next(version)
	}
	return schemas, values, true
}

// A definitionReader reads schemas from tokens.
type definitionReader struct {
	tokens  *Tokens
	strings map[string]string
	depth   int
	spare   []*props // by depth: the schema into which a property is read before it is copied
}

// string returns a string that does not share memory with the text. Equal
// strings share memory.
func (r *definitionReader) string(i int) string {
	text := r.tokens.Text(i)
	if s, ok := r.strings[text]; ok {
		return s
	}
	s := strings.Clone(text)
	r.strings[s] = s
	return s
}

// hasDistinctMembers reports whether an object has few members and no duplicate
// names.
func (r *definitionReader) hasDistinctMembers(i int) bool {
	const most = 48 // more than there are keywords
	var names [most]string
	n := r.tokens.Len(i)
	if n > most {
		return false
	}
	at := i + 1
	for k := range n {
		names[k] = r.tokens.Text(at)
		for _, other := range names[:k] {
			if other == names[k] {
				return false
			}
		}
		at = r.tokens.Next(at + 1)
	}
	return true
}

// schema reads a schema into s, which must be zero.
func (r *definitionReader) schema(i int, s *props) bool {
	if r.tokens.Kind(i) != Object || !r.hasDistinctMembers(i) {
		return false
	}
	name := i + 1
	for range r.tokens.Len(i) {
		if !r.keyword(r.tokens.Text(name), name+1, s) {
			return false
		}
		name = r.tokens.Next(name + 1)
	}
	return true
}
