package crdversion

import (
	"bytes"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

var equalities = conversion.EqualitiesOrDie(func(a, b apiextensionsv1.JSON) bool {
	return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(decoded(a.Raw), decoded(b.Raw))
})

// decoded returns the value of a literal, nil if it has none.
func decoded(raw []byte) (v any) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil
	}
	return v
}

// reflected is the naive definition of sameness.
func reflected(a, b any) bool { return equalities.DeepEqual(a, b) }

// values returns some values of a type, at least two different ones, with empty
// lists and maps.
func values(t reflect.Type, depth int) []reflect.Value {
	zero := reflect.Zero(t)
	if t == reflect.TypeFor[apiextensionsv1.JSON]() {
		var out []reflect.Value
		for _, raw := range []string{"", "null", `{"a":1}`, `{ "a": 1 }`, `1`, `1.0`} {
			out = append(out, reflect.ValueOf(apiextensionsv1.JSON{Raw: []byte(raw)}))
		}
		return out
	}
	switch t.Kind() {
	case reflect.Bool:
		return []reflect.Value{zero, reflect.ValueOf(true).Convert(t)}
	case reflect.String:
		return []reflect.Value{zero, reflect.ValueOf("x").Convert(t)}
	case reflect.Int32, reflect.Int64, reflect.Float64:
		return []reflect.Value{zero, reflect.ValueOf(7).Convert(t)}
	case reflect.Pointer:
		out := []reflect.Value{zero}
		for _, v := range values(t.Elem(), depth) {
			p := reflect.New(t.Elem())
			p.Elem().Set(v)
			out = append(out, p)
		}
		return out
	case reflect.Slice:
		out := []reflect.Value{zero, reflect.MakeSlice(t, 0, 0)}
		for _, v := range values(t.Elem(), depth) {
			out = append(out, reflect.Append(zero, v))
		}
		return out
	case reflect.Map:
		out := []reflect.Value{zero, reflect.MakeMap(t)}
		for _, v := range values(t.Elem(), depth) {
			m := reflect.MakeMap(t)
			m.SetMapIndex(reflect.ValueOf("x"), v)
			out = append(out, m)
		}
		return out
	case reflect.Struct:
		return structs(t, depth)
	}
	return []reflect.Value{zero}
}

func structs(t reflect.Type, depth int) []reflect.Value {
	out := []reflect.Value{reflect.Zero(t)}
	if depth == 0 {
		return out
	}
	for i := range t.NumField() {
		for _, v := range values(t.Field(i).Type, depth-1) {
			s := reflect.New(t).Elem()
			s.Field(i).Set(v)
			out = append(out, s)
		}
	}
	return out
}

// TestSame checks that every field of a schema counts, also in the types that a
// schema contains.
func TestSame(t *testing.T) {
	schemas := values(reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), 2)
	base := schemas[0].Interface().(apiextensionsv1.JSONSchemaProps)
	different := 0
	for i, v := range schemas {
		s := v.Interface().(apiextensionsv1.JSONSchemaProps)
		for _, other := range []apiextensionsv1.JSONSchemaProps{base, schemas[max(i-1, 0)].Interface().(apiextensionsv1.JSONSchemaProps)} {
			want := reflected(s, other)
			if got := SameSchema(&s, &other); got != want {
				t.Errorf("SameSchema(%+v, %+v) = %v, want %v", s, other, got, want)
			}
			if !want {
				different++
			}
		}
	}
	if different < 100 {
		t.Errorf("%d pairs of schemas differ, which is too few to show anything", different)
	}
}
