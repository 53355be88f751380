package celvalue

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/schema"
)

func declared(t *testing.T, text string) *DeclaredType {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"v": props}})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return make(Types).Of(n.Property("v"), false)
}

// testTypes are schemas with values. The first value matches the schema.
var testTypes = map[string][]any{
	`{type: string}`:                                       {"a", "b", int64(1), nil, true},
	`{type: integer}`:                                      {int64(1), int64(2), "a", 1.5},
	`{type: number}`:                                       {1.5, int64(1), 1.0, "a"},
	`{type: boolean}`:                                      {true, false, "true"},
	`{x-kubernetes-int-or-string: true}`:                   {"a", int64(1), "1", true},
	`{type: string, format: duration}`:                     {"1h", "60m", "x", int64(1)},
	`{type: string, format: date}`:                         {"2024-02-29", "2024-02-30", int64(1)},
	`{type: string, format: date-time}`:                    {"2024-02-29T00:00:00Z", "2024-02-29T01:00:00+01:00", "x"},
	`{type: string, format: byte}`:                         {"aGVsbG8=", "!"},
	`{type: array, items: {type: integer}}`:                {[]any{int64(1)}, []any{}, []any{int64(2)}, "a"},
	`{type: object, properties: {a: {type: string}}}`:      {map[string]any{"a": "x"}, map[string]any{"a": nil}, map[string]any{"b": "x"}, map[string]any{}, []any{}},
	`{type: object, additionalProperties: {type: string}}`: {map[string]any{"a": "x"}, map[string]any{"b": "x"}, map[string]any{}, "a"},
}

// TestFits compares Fits with whether Value returns an error. Of composite values
// both look at the kind only.
func TestFits(t *testing.T) {
	for text, values := range testTypes {
		d := declared(t, text)
		if !d.Fits(values[0]) {
			t.Errorf("%s: %v does not fit", text, values[0])
		}
		for _, v := range values {
			if got, want := d.Fits(v), !types.IsUnknownOrError(d.Value(v)); got != want {
				t.Errorf("%s: Fits(%v) = %v, but Value is %v", text, v, got, d.Value(v))
			}
		}
	}
}

// TestSame compares Same with the equality of the wrapped values.
func TestSame(t *testing.T) {
	for text, values := range testTypes {
		d := declared(t, text)
		if !d.Comparable() {
			continue
		}
		for _, a := range values {
			for _, b := range values {
				eq, ok := d.Same(a, b)
				if ok != (d.Fits(a) && d.Fits(b)) {
					t.Errorf("%s: Same(%v, %v) is ok: %v", text, a, b, ok)
				}
				if ok && types.Bool(eq) != d.Value(a).Equal(d.Value(b)) {
					t.Errorf("%s: Same(%v, %v) = %v", text, a, b, eq)
				}
			}
		}
	}
}

// TestEqualOrder: the first entry that differs or does not fit decides, in increasing
// order of names.
func TestEqualOrder(t *testing.T) {
	const misfit, other = "2024-01-01t00:00:00z", "2024-01-01T00:00:00Z"
	for name, d := range map[string]*DeclaredType{
		"properties": declared(t, `{type: object, properties: {a: {type: string, format: date-time}, b: {type: string, format: date-time}, c: {type: string, format: date-time}}}`),
		"map":        declared(t, `{type: object, additionalProperties: {type: string, format: date-time}}`),
	} {
		before := map[string]any{"a": "2024-01-02T00:00:00Z", "b": misfit, "c": "2024-01-03T00:00:00Z"}
		for changed, isError := range map[string]bool{"a": false, "c": true} {
			after := maps.Clone(before)
			after[changed] = other
			for range 50 {
				if eq := d.Value(before).Equal(d.Value(after)); types.IsUnknownOrError(eq) != isError || eq == types.True {
					t.Fatalf("%s: with another %s: Equal = %v", name, changed, eq)
				}
				if eq, ok := d.Same(before, after); eq || ok == isError {
					t.Fatalf("%s: with another %s: Same = %v, %v", name, changed, eq, ok)
				}
			}
		}
	}
}

// TestEntry: identifiers denote properties by their escaped names, and reserved
// words by their own names too.
func TestEntry(t *testing.T) {
	d := declared(t, `{type: object, properties: {a-b: {type: string}, namespace: {type: string}, a: {type: integer}}}`)
	for identifier, want := range map[string]string{
		"a": "a", "a__dash__b": "a-b", "__namespace__": "namespace", "namespace": "namespace", "c": "",
	} {
		name, typ := d.Entry(identifier)
		if name != want || (typ != nil) != (want != "") {
			t.Errorf("Entry(%q) = %q, %v, want %q", identifier, name, typ, want)
		}
	}
}

// TestLists: sets and maps compare without order, other lists do not.
func TestLists(t *testing.T) {
	a, b := []any{"x", "y"}, []any{"y", "x"}
	for text, want := range map[string]types.Bool{
		`{type: array, items: {type: string}}`:                                 false,
		`{type: array, items: {type: string}, x-kubernetes-list-type: atomic}`: false,
		`{type: array, items: {type: string}, x-kubernetes-list-type: set}`:    true,
	} {
		d := declared(t, text)
		if got := d.Value(a).Equal(d.Value(b)); got != want {
			t.Errorf("%s: Equal = %v, want %v", text, got, want)
		}
	}
	d := declared(t, `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k],
		properties: {k: {type: string}, v: {type: integer}}}}`)
	x, y := map[string]any{"k": "x", "v": int64(1)}, map[string]any{"k": "y", "v": int64(2)}
	if got := d.Value([]any{x, y}).Equal(d.Value([]any{y, x})); got != types.True {
		t.Errorf("lists of type map in another order: Equal = %v", got)
	}
	if got := d.Value([]any{x, x}).Equal(d.Value([]any{x, y})); got != types.False {
		t.Errorf("lists of type map with other keys: Equal = %v", got)
	}
}

// TestUnescapable: a list of type map finds elements by keys that rules cannot
// spell.
func TestUnescapable(t *testing.T) {
	d := declared(t, `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: ["a b"], items: {type: object, required: ["a b"],
		properties: {"a b": {type: string}}}}`)
	x, y := map[string]any{"a b": "x"}, map[string]any{"a b": "y"}
	if got := d.Value([]any{x, y}).Equal(d.Value([]any{y, x})); got != types.True {
		t.Errorf("Equal = %v", got)
	}
}

// TestKeysThatAreObjects: elements whose key is an object cannot be compared.
func TestKeysThatAreObjects(t *testing.T) {
	d := declared(t, `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k],
		properties: {k: {type: string}}}}`)
	defer func() {
		if failed, want := recover(), "runtime error: hash of unhashable type map[string]interface {}"; fmt.Sprint(failed) != want {
			t.Errorf("the comparison fails with %v, want %s", failed, want)
		}
	}()
	v := d.Value([]any{map[string]any{"k": map[string]any{}}})
	v.Equal(v)
}

// TestNativeStrings: only a list whose elements are strings becomes []string.
func TestNativeStrings(t *testing.T) {
	for _, tt := range []struct {
		schema string
		value  []any
		want   any // nil for an error
	}{
		{`{type: array, items: {type: string}}`, []any{"a", "b"}, []string{"a", "b"}},
		{`{type: array, items: {type: string}}`, []any{"a", int64(1)}, nil},
		{`{type: array, items: {type: integer}}`, []any{int64(1)}, []any{int64(1)}},
	} {
		got, err := declared(t, tt.schema).Value(tt.value).ConvertToNative(reflect.TypeFor[[]string]())
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.want == nil) {
			t.Errorf("%s of %v: %v (-want +got):\n%s", tt.schema, tt.value, err, diff)
		}
		if _, err := declared(t, tt.schema).Value(tt.value).ConvertToNative(reflect.TypeFor[string]()); err == nil {
			t.Errorf("%s becomes a string", tt.schema)
		}
	}
}

// TestObjectKeys: an object has a key for each declared field that it has: the
// name that rules use.
func TestObjectKeys(t *testing.T) {
	object := declared(t, `{type: object, properties: {a-b: {type: integer}, namespace: {type: integer}, c: {type: integer}}}`).
		Value(map[string]any{"a-b": int64(1), "namespace": int64(2), "c": int64(3)}).(traits.Mapper)
	got := map[any]any{}
	for it := object.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		got[key.Value()] = object.Get(key).Value()
	}
	want := map[any]any{"a__dash__b": int64(1), "__namespace__": int64(2), "c": int64(3)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// TestUnknownListType: the value of a list of an unknown type is an error that
// names the type.
func TestUnknownListType(t *testing.T) {
	v := declared(t, `{type: array, x-kubernetes-list-type: other, items: {type: string}}`).Value([]any{"a"})
	if got := fmt.Sprint(v); !strings.Contains(got, "but got other") {
		t.Errorf("Value = %s, want an error that names the type", got)
	}
}

// TestSumsOfMapLists: a sum of lists of type map has the elements of both, and the
// right one of two with equal keys, for any number of keys.
func TestSumsOfMapLists(t *testing.T) {
	for keys := 1; keys <= 5; keys++ {
		names := []string{"a", "b", "c", "d", "e"}[:keys]
		d := declared(t, `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [`+strings.Join(names, ", ")+`],
			items: {type: object, required: [`+strings.Join(names, ", ")+`], properties: {a: {type: integer}, b: {type: integer}, c: {type: integer}, d: {type: integer}, e: {type: integer}, v: {type: integer}}}}`)
		element := func(last, v int64) map[string]any {
			m := map[string]any{"v": v}
			for _, name := range names {
				m[name] = int64(0)
			}
			m[names[keys-1]] = last
			return m
		}
		left, right := d.Value([]any{element(1, 10), element(2, 20)}), d.Value([]any{element(2, 21), element(3, 30)})
		sum := left.(traits.Adder).Add(right)
		want := d.Value([]any{element(3, 30), element(1, 10), element(2, 21)})
		if sum.Equal(want) != types.True || sum.(traits.Sizer).Size() != types.Int(3) {
			t.Errorf("%d keys: the sum is %v", keys, sum)
		}
		if sum.Equal(left) != types.False || left.Equal(right) != types.False || sum.Equal(types.True) == types.True {
			t.Errorf("%d keys: lists of other elements are equal", keys)
		}
	}
}

// TestElements: indexes have bounds, and iterators return each element or key once.
func TestElements(t *testing.T) {
	list := declared(t, `{type: array, items: {type: integer}}`).Value([]any{int64(5), int64(6)}).(traits.Lister)
	for i, want := range map[types.Int]bool{-1: false, 0: true, 1: true, 2: false} {
		if v := list.Get(i); !types.IsUnknownOrError(v) != want || want && v != i+5 {
			t.Errorf("Get(%d) = %v", i, v)
		}
	}
	object := declared(t, `{type: object, additionalProperties: {type: integer}}`).Value(map[string]any{"a": int64(1), "b": int64(2)}).(traits.Mapper)
	for it, want := range map[traits.Iterator]int{list.Iterator(): 2, object.Iterator(): 2} {
		seen := map[any]bool{}
		for range 10 {
			if it.HasNext() != types.True {
				break
			}
			seen[it.Next().Value()] = true
		}
		if len(seen) != want || it.HasNext() != types.False {
			t.Errorf("an iterator returns %v", seen)
		}
	}
	if object.Contains(types.String("a")) != types.True || object.Contains(types.String("c")) != types.False {
		t.Error("Contains is wrong")
	}
}
