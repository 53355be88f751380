package validation_test

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/validation"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const branchSchema = `
type: object
properties:
  list:
    type: array
    items:
      type: object
      properties: {a: {type: string}, b: {type: string}, c: {type: integer}}
      oneOf:
      - required: [a, b]
      - required: [c]
        properties: {c: {maximum: 3}}
      - required: [b]
  m:
    type: object
    additionalProperties:
      type: object
      properties: {x: {type: string}, yy: {type: string}}
      allOf:
      - anyOf:
        - required: [x, yy]
        - required: [yy]
      - not: {anyOf: [{required: [z1]}, {required: [z2]}]}
  status: {type: object}
`

// TestBranches checks what the branches of an anyOf or oneOf miss.
func TestBranches(t *testing.T) {
	for _, tt := range []struct{ object, keyword, valid, closest, errors string }{
		{`{"list": [{"c": 1}, {"c": 5}]}`, "oneOf", "[]", "1", "[/list/1/c: /properties/list/items/oneOf/1/properties/c FieldValueInvalid]"},
		{`{"list": [{"a": "x"}]}`, "oneOf", "[]", "0", "[/list/0/b: /properties/list/items/oneOf/0 FieldValueRequired]"},
		{`{"list": [{"a": "x", "b": "x"}]}`, "oneOf", "[0 2]", "-1", "[]"},
		{`{"m": {"a/b": {}}}`, "anyOf", "[]", "1", "[/m/a~1b/yy: /properties/m/additionalProperties/allOf/0/anyOf/1 FieldValueRequired]"},
	} {
		v, obj := branchValidator(t), decode(t, tt.object)
		found := 0
		for _, err := range v.Validate(obj) {
			got, ok := err.Branches()
			if !ok {
				continue
			}
			found++
			var errs []string
			for _, e := range got.Errors {
				errs = append(errs, e.Pointer+": "+e.SchemaPointer+" "+string(e.Type))
			}
			want := []string{tt.keyword, tt.valid, tt.closest, tt.errors}
			if diff := cmp.Diff(want, []string{got.Keyword, fmt.Sprint(got.Valid), fmt.Sprint(got.Closest), fmt.Sprint(errs)}); diff != "" {
				t.Errorf("%s, %v (-want +got):\n%s", tt.object, err, diff)
			}
		}
		if found != 1 {
			t.Errorf("%s: %d errors have branches, want 1", tt.object, found)
		}
	}
}

// TestBranchesOfOtherErrors checks errors that have no branches.
func TestBranchesOfOtherErrors(t *testing.T) {
	const detail = `"x" must validate at least one schema (anyOf)`
	err := validation.NewError(&field.Error{Type: field.ErrorTypeInvalid, Detail: detail}, validation.StepSchema, "/list/0", "/properties/list/items")
	if got, ok := err.Branches(); ok {
		t.Errorf("an error of another program has branches: %+v", got)
	}
	for _, err := range branchValidator(t).Validate(decode(t, `{"list": 5, "m": {"a": {"yy": "b", "z1": 1}}}`)) {
		if got, ok := err.Branches(); ok {
			t.Errorf("%v has branches: %+v", err, got)
		}
	}
}

func branchValidator(t *testing.T) *validation.Validator {
	t.Helper()
	return validation.New(compile(t, branchSchema))
}
