package oracle

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Mutants of definitions.
//
// A mutant differs from a definition in one field or in several. The tests
// choose fields by type, so that every field of every struct type has its turn.
// The changed field is in a random struct of this type in the definition.

// A typeField is one field of the Go types of a definition.
type typeField struct {
	of    reflect.Type
	index int
}

func (f typeField) String() string { return f.of.Name() + "." + f.of.Field(f.index).Name }

// leaves are the types that are changed as a whole.
var leaves = []reflect.Type{
	reflect.TypeFor[metav1.Time](),
	reflect.TypeFor[metav1.FieldsV1](),
	reflect.TypeFor[apiextensionsv1.JSON](),
	reflect.TypeFor[apiextensionsv1beta1.JSON](),
}

// definitionFields returns the fields of all structs in a definition.
func definitionFields() []typeField {
	return fieldsOf(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition]())
}

// fieldsOf returns the fields of all structs in values of a type.
func fieldsOf(root reflect.Type) []typeField {
	var out []typeField
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			if seen[t] || slices.Contains(leaves, t) {
				return
			}
			seen[t] = true
			for i := range t.NumField() {
				if !t.Field(i).Anonymous {
					out = append(out, typeField{t, i})
				}
				visit(t.Field(i).Type)
			}
		}
	}
	visit(root)
	return out
}

// A definitionMutator changes definitions.
type definitionMutator struct {
	t     *testing.T
	rng   *rand.Rand
	donor reflect.Value // another definition, whose parts graft copies
}

// mutate changes the field f in a struct of the definition v. It reports false
// if the definition has no struct of this type.
func (m *definitionMutator) mutate(v reflect.Value, f typeField) bool {
	n := 0
	eachStruct(v, f.of, func(reflect.Value) bool { n++; return false })
	if n == 0 {
		return false
	}
	pick := m.rng.IntN(n)
	if m.rng.IntN(4) == 0 {
		pick = min(pick, m.rng.IntN(3)) // near the root of the schema
	}
	n = -1
	eachStruct(v, f.of, func(s reflect.Value) bool {
		n++
		if n == pick {
			m.change(s.Field(f.index), f.of.Field(f.index).Name)
		}
		return n == pick
	})
	return true
}

// eachStruct calls do with the structs of type t in v until do returns true. It
// reports whether do returned true. The structs can be set.
func eachStruct(v reflect.Value, t reflect.Type, do func(reflect.Value) bool) bool {
	if slices.Contains(leaves, v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && eachStruct(v.Elem(), t, do)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return false
		}
		for i := range v.Len() {
			if eachStruct(v.Index(i), t, do) {
				return true
			}
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.String {
			return false
		}
		for _, key := range sortedKeys(v) {
			entry := reflect.New(v.Type().Elem()).Elem()
			entry.Set(v.MapIndex(key))
			if eachStruct(entry, t, do) {
				v.SetMapIndex(key, entry)
				return true
			}
		}
	case reflect.Struct:
		if v.Type() == t && do(v) {
			return true
		}
		for i := range v.NumField() {
			if eachStruct(v.Field(i), t, do) {
				return true
			}
		}
	}
	return false
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// change sets v to another value.
func (m *definitionMutator) change(v reflect.Value, name string) {
	if slices.Contains(leaves, v.Type()) {
		m.changeLeaf(v)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(m.text(v.String(), name))
	case reflect.Int32, reflect.Int64:
		v.SetInt(m.pick([]any{int64(-1), int64(0), int64(1), int64(2), int64(8), int64(443), int64(70000), int64(1) << 30}).(int64))
	case reflect.Float64:
		v.SetFloat(m.pick([]any{-1.0, 0.0, 0.5, 1.0, 10.0, 1e9}).(float64))
	case reflect.Pointer:
		m.changePointer(v, name)
	case reflect.Slice:
		m.changeSlice(v, name)
	case reflect.Map:
		m.changeMap(v, name)
	case reflect.Struct:
		m.graft(v)
	}
}

func (m *definitionMutator) pick(values []any) any { return values[m.rng.IntN(len(values))] }

func (m *definitionMutator) changeLeaf(v reflect.Value) {
	switch v.Type() {
	case leaves[0]:
		v.Set(reflect.ValueOf(metav1.Unix(1_700_000_000, 0)))
	case leaves[1]:
		v.Set(reflect.ValueOf(metav1.FieldsV1{Raw: []byte(m.pick([]any{`{}`, `{"f:spec":{}}`, `{"x":1}`}).(string))}))
	default:
		v.FieldByName("Raw").SetBytes([]byte(m.literal()))
	}
}

func (m *definitionMutator) literal() string {
	return m.pick([]any{
		`null`, `{}`, `[]`, `"x"`, `""`, `"2020-01-01"`, `"5s"`, `1`, `-3`, `1.5`, `1.0`, `true`, `false`, `{"a":1}`, `{"a":{"b":[1,2]}}`,
		`["a","a"]`, `["a","b"]`, `[{"name":"a"},{"name":"a"}]`, `[{"name":"a","x":1}]`, `{"name":"x","odd":true}`, `{"replicas":3}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}`, `{"apiVersion":"v1","kind":"","metadata":{"name":"UPPER","odd":1}}`,
		`{"apiVersion":5,"kind":"Pod"}`, `{"metadata":{"labels":{"a":1}}}`, `[[1],[2]]`, `[null]`, `{"a":null}`, `9007199254740993`,
	}).(string)
}

func (m *definitionMutator) changePointer(v reflect.Value, name string) {
	if !v.IsNil() && m.rng.IntN(3) == 0 {
		v.Set(reflect.Zero(v.Type()))
		return
	}
	fresh := reflect.New(v.Type().Elem())
	if !v.IsNil() {
		fresh.Elem().Set(v.Elem())
	}
	m.change(fresh.Elem(), name)
	v.Set(fresh)
}

func (m *definitionMutator) changeSlice(v reflect.Value, name string) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(m.pick([]any{"", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}).(string)))
		return
	}
	switch n := v.Len(); m.rng.IntN(7) {
	case 0:
		v.Set(reflect.Zero(v.Type()))
	case 1:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case 2:
		if n > 0 {
			i := m.rng.IntN(n)
			v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, n)))
		}
	case 3:
		if n > 0 {
			v.Set(reflect.Append(v.Slice3(0, n, n), v.Index(m.rng.IntN(n))))
		}
	case 4:
		for range 9 { // more than any list allows
			extra := reflect.New(v.Type().Elem()).Elem()
			m.change(extra, name)
			v.Set(reflect.Append(v.Slice3(0, v.Len(), v.Len()), extra))
		}
	default:
		extra := reflect.New(v.Type().Elem()).Elem()
		m.change(extra, name)
		v.Set(reflect.Append(v.Slice3(0, n, n), extra))
	}
}

func (m *definitionMutator) changeMap(v reflect.Value, name string) {
	keys := sortedKeys(v)
	out := reflect.MakeMap(v.Type())
	for _, key := range keys {
		out.SetMapIndex(key, v.MapIndex(key))
	}
	switch m.rng.IntN(6) {
	case 0:
		v.Set(reflect.Zero(v.Type()))
		return
	case 1:
		out = reflect.MakeMap(v.Type())
	case 2:
		if len(keys) > 0 {
			out.SetMapIndex(keys[m.rng.IntN(len(keys))], reflect.Value{})
		}
	default:
		entry := reflect.New(v.Type().Elem()).Elem()
		if len(keys) > 0 && m.rng.IntN(2) == 0 {
			entry.Set(v.MapIndex(keys[m.rng.IntN(len(keys))]))
		} else {
			m.change(entry, name)
		}
		key := m.pick([]any{"metadata", "kind", "apiVersion", "name", "spec", "status", "a.b", "odd]", "", "extra", apiextensionsv1.KubeAPIApprovedAnnotation})
		out.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), entry)
	}
	v.Set(out)
}

// graft replaces a struct by a struct of the same type in the donor, or by the
// zero value.
func (m *definitionMutator) graft(v reflect.Value) {
	n := 0
	eachStruct(m.donor, v.Type(), func(reflect.Value) bool { n++; return false })
	if n == 0 || m.rng.IntN(6) == 0 {
		v.Set(reflect.Zero(v.Type()))
		if v.Type().Name() == "JSONSchemaProps" {
			v.FieldByName("Type").SetString(m.text("", "Type"))
		}
		return
	}
	pick := m.rng.IntN(n)
	n = -1
	eachStruct(m.donor, v.Type(), func(s reflect.Value) bool {
		if n++; n == pick {
			v.Set(deepCopy(s))
		}
		return false
	})
}

// deepCopy calls the DeepCopy method of a pointer, which all types of a
// definition have.
func deepCopy(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.MethodByName("DeepCopy").Call(nil)[0].Elem()
}

// texts are values with a meaning for the field of this name.
var texts = map[string][]string{
	"Type":                     {"object", "array", "string", "integer", "number", "boolean", "null", "foo", ""},
	"Format":                   {"date", "int32", "int64", "nope", "k8s-short-name", "double", "date-time", ""},
	"Pattern":                  {"(", "^a+$", "[", ""},
	"XListType":                {"map", "set", "atomic", "odd", ""},
	"XMapType":                 {"granular", "atomic", "odd"},
	"XListMapKeys":             {"name", "port", "odd"},
	"Required":                 {"name", "spec", "odd"},
	"Rule":                     {"true", "self == self", "oldSelf == self", "self.name.size() > 0", "self.x", "has(self.name)", "", " ", "self.all(x, self.all(y, x == y))", "!oldSelf.hasValue() || true", "1 +", "self.includes(1)", "true\n&& true", "self.replicas > 1"},
	"MessageExpression":        {"'x'", "1", " ", "self.name", "'a' +"},
	"Message":                  {"m", " ", "a\nb"},
	"FieldPath":                {".name", ".odd", "['name']", ".a.b.c", " ", "a", ".name\n", ".spec.name", ".labels.x.y"},
	"Reason":                   {"FieldValueInvalid", "FieldValueForbidden", "Odd", ""},
	"Strategy":                 {"None", "Webhook", "Odd", ""},
	"Scope":                    {"Cluster", "Namespaced", "Odd", ""},
	"JSONPath":                 {".spec.name", ".status", "spec", "", ".metadata.name", ".spec['a']", ".spec.replicas", ".spec.labels.x.y", ".kind"},
	"SpecReplicasPath":         {".spec.replicas", ".status.replicas", "x", ""},
	"Name":                     {"v1", "v2", "V1", "", "1v", "widgets.example.com", "a b"},
	"URL":                      {"https://example.com/x", "http://example.com", "https://u:p@example.com", "https://example.com?x=1#y", "%", ""},
	"Path":                     {"/", "//", "/a/b", "a/b", "/A//b/", ""},
	"Group":                    {"example.com", "x.k8s.io", "kubernetes.io", "nodot", "UPPER.example.com", ""},
	"Annotations":              {"https://example.com/1", "unapproved, x", "odd"},
	"StatusReplicasPath":       {".status.replicas", ".spec.replicas", "x", ""},
	"ConversionReviewVersions": {"v1", "v1beta1", "v2", "V1"},
	"StoredVersions":           {"v1", "v2", "gone"},
}

var anyText = []string{"", "a", "A", "a.b", "x-y", "a b", "ä\u0007", "object", "metadata", ".spec.name", "9a", strings.Repeat("x", 300), "true"}

func (m *definitionMutator) text(old, name string) string {
	list := texts[name]
	switch n := m.rng.IntN(6); {
	case n == 0:
		return old + "x"
	case n <= 3 && len(list) > 0:
		return list[m.rng.IntN(len(list))]
	default:
		return anyText[m.rng.IntN(len(anyText))]
	}
}

// sent returns a definition as a client sends it: without fields that JSON
// omits. It returns nil for a definition that cannot be sent.
func sent(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	data, err := json.Marshal(crd)
	if err != nil {
		return nil
	}
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(data, out); err != nil {
		return nil
	}
	return out
}
