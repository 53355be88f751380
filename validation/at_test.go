package validation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// TestValidateAt checks that ValidateAt reports what Validate reports for an
// object with no other errors.
func TestValidateAt(t *testing.T) {
	v := validation.New(compile(t, `{"type":"object","properties":{
		"m":{"type":"object","additionalProperties":{"type":"array","items":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","maximum":3}}}}},
		"status":{"type":"object","properties":{"l":{"type":"array","items":{"type":"string","pattern":"^a"}}}}}}`))
	f, i := schema.Field, schema.Index
	for _, tt := range []struct {
		path   schema.Path
		value  any
		errors int
	}{
		{nil, map[string]any{}, 0},
		{nil, "text", 1},
		{schema.Path{f("m")}, map[string]any{"x": []any{map[string]any{}, map[string]any{"a": int64(9)}}}, 2},
		{schema.Path{f("m"), f("x"), i(0)}, map[string]any{}, 1},
		{schema.Path{f("m"), schema.Key("x"), i(0), f("a")}, int64(9), 1},
		{schema.Path{f("m"), f("x"), i(0), f("a")}, int64(3), 0},
		{schema.Path{f("m"), f("x"), i(0), f("b")}, "undeclared", 0},
		{schema.Path{f("m"), f("x"), i(0), f("a"), f("b"), i(3)}, "undeclared", 0},
		{schema.Path{f("status"), f("l"), i(0)}, "b", 1},
	} {
		var obj any = tt.value
		for k := len(tt.path) - 1; k >= 0; k-- {
			if name, ok := tt.path[k].Name(); ok {
				obj = map[string]any{name: obj}
			} else {
				obj = []any{obj}
			}
		}
		got := v.ValidateAt(tt.path, tt.value)
		if len(got) != tt.errors {
			t.Errorf("ValidateAt(%s) = %v, want %d errors", tt.path, got, tt.errors)
		}
		whole, ok := obj.(map[string]any)
		if !ok || tt.errors == 0 { // something around the value may be wrong
			continue
		}
		if diff := cmp.Diff(spelled(v.Validate(whole)), spelled(got)); diff != "" {
			t.Errorf("ValidateAt(%s), (-Validate +ValidateAt):\n%s", tt.path, diff)
		}
		if len(tt.path) > 0 && tt.path[0] == f("status") {
			want := v.ValidateStatus(whole, nil).Errors
			if diff := cmp.Diff(spelled(want), spelled(v.ValidateStatusAt(tt.path, tt.value))); diff != "" {
				t.Errorf("ValidateStatusAt(%s), (-ValidateStatus +ValidateStatusAt):\n%s", tt.path, diff)
			}
		}
	}
	if got := v.ValidateStatusAt(nil, "text"); got != nil {
		t.Errorf("ValidateStatusAt of no path = %v", got)
	}
}

func spelled(errs validation.ErrorList) []string {
	var out []string
	for _, e := range errs {
		out = append(out, string(e.Step)+" "+e.Pointer+" "+e.SchemaPointer+" "+e.Error())
	}
	return out
}

// A path to a valid value takes no memory of its own.
func TestValidateAtAllocatesLittle(t *testing.T) {
	v := validation.New(compile(t, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}}}}}}`))
	f := schema.Field
	short, long := schema.Path{}, schema.Path{f("a"), f("b"), f("c")}
	allocs := func(path schema.Path, value any) float64 {
		return testing.AllocsPerRun(10, func() {
			if errs := v.ValidateAt(path, value); errs != nil {
				t.Fatal(errs)
			}
		})
	}
	if few, many := allocs(short, map[string]any{}), allocs(long, "text"); many > few {
		t.Errorf("a path of %d steps allocated %v times, an empty one %v times", len(long), many, few)
	}
}
