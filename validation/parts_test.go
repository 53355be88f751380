package validation_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

const partsSchema = `{"type":"object","properties":{
	"k":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],"items":{"type":"object","required":["a"],"properties":{"a":{"type":"string","maxLength":3},"s":{"$ref":"s"}}}},
	"k2":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}},
	"m":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer","maximum":3}}},
	"u":{"type":"object","properties":{"a.b":{"type":"integer","maximum":3},"a":{"type":"object","properties":{"b":{"type":"integer","maximum":3}}}}},
	"status":{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer","maximum":3}}}}}}`

// partsValidator returns a validator of partsSchema.
func partsValidator(t *testing.T, opts ...validation.Option) *validation.Validator {
	set := `"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}}`
	return validation.New(compile(t, strings.Replace(partsSchema, `"$ref":"s"`, set, 1)), opts...)
}

// get returns the part of an object at a path of fields and indices.
func get(t *testing.T, obj any, path schema.Path, equal bool) validation.Part {
	t.Helper()
	for _, step := range path {
		if name, ok := step.Name(); ok {
			obj = obj.(map[string]any)[name]
			continue
		}
		i, _ := step.Index()
		obj = obj.([]any)[i]
	}
	return validation.Part{Path: path, Value: obj, Equal: equal}
}

// TestValidateParts checks that ValidateParts of all wrong parts of an object reports what
// Validate reports.
func TestValidateParts(t *testing.T) {
	v := partsValidator(t)
	f, i := schema.Field, schema.Index
	list := func(elements ...any) []any { return elements }
	for _, tt := range []struct {
		name   string
		object map[string]any
		values []schema.Path
		lists  []schema.Path
		errors int
	}{
		{name: "nothing", object: map[string]any{}},
		{
			name: "elements and entries, in any order",
			object: map[string]any{
				"k": list(map[string]any{"a": "long"}, map[string]any{"a": "b"}, map[string]any{}),
				"m": map[string]any{"x": list(int64(9), int64(1), int64(8)), "y": list(int64(7))},
			},
			values: []schema.Path{
				{f("m"), schema.Key("x"), i(2)},
				{f("k"), i(0), f("a")},
				{f("k"), i(2)},
				{f("m"), f("x"), i(0)},
				{f("m"), f("y")},
			},
			errors: 5,
		},
		{
			name: "equal elements",
			object: map[string]any{
				"k":  list(map[string]any{"a": "b"}, map[string]any{"a": "c"}, map[string]any{"a": "b", "s": list(list(int64(1), int64(1)), list(int64(1), int64(1)), list(int64(2), int64(2)))}),
				"k2": list(map[string]any{"a": "b"}, map[string]any{"b": int64(1)}, map[string]any{"a": "b", "b": int64(1)}, map[string]any{"b": int64(1)}, map[string]any{"a": "b"}),
				"m":  map[string]any{"x": list(int64(1), int64(2), int64(1), int64(2), int64(1)), "y": list(int64(1))},
			},
			lists:  []schema.Path{{f("k")}, {f("k2")}, {f("m"), f("x")}, {f("k"), i(2), f("s")}, {f("k"), i(2), f("s"), i(0)}, {f("k"), i(2), f("s"), i(1)}, {f("k"), i(2), f("s"), i(2)}},
			errors: 9,
		},
		{
			name:   "wrong and equal elements",
			object: map[string]any{"m": map[string]any{"x": list(int64(9), int64(9))}},
			values: []schema.Path{{f("m"), f("x"), i(0)}, {f("m"), f("x"), i(1)}},
			lists:  []schema.Path{{f("m"), f("x")}},
			errors: 3,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var parts []validation.Part
			for _, path := range tt.values {
				parts = append(parts, get(t, tt.object, path, false))
			}
			for _, path := range tt.lists {
				parts = append(parts, get(t, tt.object, path, true))
			}
			for _, v := range []*validation.Validator{v, partsValidator(t, testopt.Reference{})} {
				got, ok := v.ValidateParts(slices.Values(parts))
				if !ok || len(got) != tt.errors {
					t.Errorf("ValidateParts reports %d errors and %t, want %d", len(got), ok, tt.errors)
				}
				if diff := cmp.Diff(spelled(v.Validate(tt.object)), spelled(got)); diff != "" {
					t.Errorf("(-Validate +ValidateParts):\n%s", diff)
				}
			}
		})
	}
}

// Only Validate can tell the errors of some parts together.
func TestValidatePartsRefuses(t *testing.T) {
	v := partsValidator(t)
	f, i := schema.Field, schema.Index
	wrong := validation.Part{Path: schema.Path{f("m"), f("x"), i(0)}, Value: int64(9)}
	// Two paths with the same text.
	dotted := validation.Part{Path: schema.Path{f("u"), f("a.b")}, Value: int64(9)}
	nested := validation.Part{Path: schema.Path{f("u"), f("a"), f("b")}, Value: int64(9)}
	equal := validation.Part{Path: schema.Path{f("m"), f("x")}, Value: []any{int64(1), int64(1)}, Equal: true}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name  string
		parts []validation.Part
		opts  []validation.CallOption
		want  bool
	}{
		{name: "a wrong part", parts: []validation.Part{wrong}, want: true},
		{name: "a part that is not wrong", parts: []validation.Part{wrong, {Path: schema.Path{f("m")}, Value: map[string]any{}}}},
		{name: "a part that is not declared", parts: []validation.Part{wrong, {Path: schema.Path{f("z"), f("y")}, Value: int64(9)}}},
		{name: "distinct elements", parts: []validation.Part{{Path: schema.Path{f("m")}, Value: map[string]any{"x": []any{int64(9)}}, Equal: true}}},
		{name: "two errors of the same text", parts: []validation.Part{dotted, nested}},
		{name: "as many errors as are allowed", parts: []validation.Part{wrong, equal}, opts: []validation.CallOption{validation.MaxErrors(2)}, want: true},
		{name: "more errors than are allowed", parts: []validation.Part{wrong, equal}, opts: []validation.CallOption{validation.MaxErrors(1)}},
		{name: "more errors of a value", parts: []validation.Part{{Path: schema.Path{f("m"), f("x")}, Value: []any{int64(8), int64(9)}}}, opts: []validation.CallOption{validation.MaxErrors(1)}},
		{name: "more errors of a list", parts: []validation.Part{{Path: equal.Path, Value: []any{int64(1), int64(1), int64(2), int64(2)}, Equal: true}}, opts: []validation.CallOption{validation.MaxErrors(1)}},
		{name: "a context that has ended", parts: []validation.Part{wrong}, opts: []validation.CallOption{validation.WithContext(ended)}},
	} {
		if errs, ok := v.ValidateParts(slices.Values(tt.parts), tt.opts...); ok != tt.want {
			t.Errorf("%s: ValidateParts = %v, %t", tt.name, errs, ok)
		}
	}
	for _, tt := range []struct {
		part validation.Part
		want bool
	}{
		{validation.Part{Path: schema.Path{f("status"), f("l"), i(0)}, Value: int64(9)}, true},
		{validation.Part{Path: schema.Path{f("status"), f("l")}, Value: []any{int64(9), int64(9)}, Equal: true}, false},
		{validation.Part{}, false},
	} {
		if errs, ok := v.ValidateStatusParts(slices.Values([]validation.Part{tt.part})); ok != tt.want {
			t.Errorf("ValidateStatusParts(%s) = %v, %t", tt.part.Path, errs, ok)
		}
	}
}
