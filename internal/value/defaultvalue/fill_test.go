package defaultvalue

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
)

// A default is filled if the limit admits the values that this adds. Otherwise
// it stays as it is declared. A filled default reduces the limit for the next
// one.
func TestDefault(t *testing.T) {
	n := enginetest.MustCompileYAML(t, `{type: object, properties: {
		list: {type: array, default: [null, null], items: {type: array, default: [null, 5], items: {type: integer, default: 1}}},
		object: {type: object, default: {z: {}, kept: null, m: null}, properties: {
			add: {type: integer, default: 1}, kept: {type: integer, nullable: true, default: 1}, m: {type: integer, default: 2},
			z: {type: object, default: {}, additionalProperties: {type: integer, default: 1}}}},
		scalar: {type: integer, default: 7},
		nulls: {type: array, default: [null, null], items: {type: integer, default: 7}}}}`)
	list := []any{[]any{int64(1), int64(5)}, []any{int64(1), int64(5)}}
	object := map[string]any{"add": int64(1), "kept": nil, "m": int64(2), "z": map[string]any{}}
	for _, tt := range []struct {
		name     string
		limit    int
		declared any
		filled   any
	}{
		// A list of 3 values replaces each null.
		{"list", 4, []any{nil, nil}, list},
		{"object", 1, map[string]any{"z": map[string]any{}, "kept": nil, "m": nil}, object},
		{"scalar", 0, nil, int64(7)},
		{"nulls", 0, nil, []any{int64(7), int64(7)}}, // two scalars replace two nulls, which adds no values
	} {
		p := n.Property(tt.name)
		f := NewFiller(tt.limit)
		if v, filled := f.Default(p); !filled || !cmp.Equal(v, tt.filled) {
			t.Errorf("%s with limit %d: %v, %t, want %v", tt.name, tt.limit, v, filled, tt.filled)
		}
		if tt.limit == 0 {
			continue
		}
		for name, f := range map[string]*Filler{"a lower limit": NewFiller(tt.limit - 1), "nothing left": f} {
			if v, filled := f.Default(p); filled || !cmp.Equal(v, tt.declared) {
				t.Errorf("%s with %s: %v, %t, want %v", tt.name, name, v, filled, tt.declared)
			}
		}
	}
}

// Values that the schema declares without defaults below them count as they are,
// and those under additionalProperties are filled too.
func TestDefaultBelowPropertiesAndEntries(t *testing.T) {
	n := enginetest.MustCompileYAML(t, `{type: object, properties: {
		entries: {type: object, default: {a: {}, b: {d: 5}}, additionalProperties: {type: object, properties: {d: {type: integer, default: 1}}}},
		plain: {type: object, default: {x: {w: [null, 2]}, u: {v: 1}}, properties: {
			x: {type: object, properties: {w: {type: array, items: {type: integer, nullable: true}}}},
			add: {type: array, default: [{}, {}], items: {type: object, properties: {d: {type: integer, default: 1}}}}}}}}`)
	one := map[string]any{"d": int64(1)}
	for _, tt := range []struct {
		name   string
		limit  int // the number of values that are added
		filled any
	}{
		{"entries", 1, map[string]any{"a": one, "b": map[string]any{"d": int64(5)}}},
		{"plain", 5, map[string]any{"x": map[string]any{"w": []any{nil, int64(2)}}, "u": map[string]any{"v": int64(1)}, "add": []any{one, one}}},
	} {
		v, filled := NewFiller(tt.limit).Default(n.Property(tt.name))
		if diff := cmp.Diff(tt.filled, v); !filled || diff != "" {
			t.Errorf("%s: filled is %t (-want +got):\n%s", tt.name, filled, diff)
		}
		if _, filled := NewFiller(tt.limit - 1).Default(n.Property(tt.name)); filled {
			t.Errorf("%s is filled beyond the limit", tt.name)
		}
	}
}

// A short schema whose defaults fill each other without bound is refused at once,
// because each schema is counted once.
func TestDefaultThatGrowsExponentially(t *testing.T) {
	text := "{type: integer, default: 1}"
	for range 60 {
		text = "{type: array, default: [null, null], items: " + text + "}"
	}
	n := enginetest.MustCompileYAML(t, "{type: object, properties: {a: "+text+"}}")
	if v, filled := NewFiller(1 << 20).Default(n.Property("a")); filled || !cmp.Equal(v, any([]any{nil, nil})) {
		t.Errorf("Default = %v, %t", v, filled)
	}
}
