package explanation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/explanation"
)

const secretSchema = `
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations:
    - {rule: "!has(self.a) || self.a.size() > 99", message: " a is short "}
    - {rule: "!has(self.b) || self.b.size() > 99", messageExpression: "'b is ' + self.b"}
    - {rule: "!has(self.c) || self.c.size() > 99"}
    - {rule: "!has(self.d) || int(self.d) > 0"}
    properties:
      a: {type: string, maxLength: 100}
      b: {type: string, maxLength: 100}
      c: {type: string, maxLength: 100}
      d: {type: string, maxLength: 100}
      short: {type: string, maxLength: 2}
      mail: {type: string, format: email}
      mode: {type: string, enum: [A, B]}
      pattern: {type: string, pattern: ^a}
      count: {type: integer}
      most: {type: integer, maximum: 10}
      set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
`

// TestHideValues checks that no value of an object is in the texts of its errors.
func TestHideValues(t *testing.T) {
	v := versionOf(t, definitionOf(t, secretSchema))
	var b strings.Builder
	for _, spec := range []map[string]any{
		{"a": "SECRET"}, {"b": "SECRET"}, {"c": "SECRET"}, {"d": "SECRET"},
		{"short": "SECRET", "mail": "SECRET", "mode": "SECRET", "pattern": "SECRET", "count": "SECRET", "most": 777, "set": []any{"SECRET", "SECRET"}},
	} {
		obj := thing(t, nil, spec)
		res, err := v.Create(context.Background(), obj)
		if err != nil {
			t.Fatal(err)
		}
		x := explanation.New(v)
		for _, e := range res.Errors {
			before := e.Error()
			h := x.HideValues(e)
			if h.Pointer != e.Pointer || h.SchemaPointer != e.SchemaPointer || h.Step != e.Step || h.Rule != e.Rule || h.Type != e.Type || h.Field != e.Field {
				t.Errorf("HideValues(%v) = %v: something else than the value and the detail differs", e, h)
			}
			if e.Error() != before {
				t.Errorf("HideValues changed %s to %s", before, e)
			}
			if text := h.Error(); strings.Contains(text, "SECRET") || strings.Contains(text, "777") {
				t.Errorf("%s has a value", text)
			}
			fmt.Fprintln(&b, h)
		}
	}
	const want = `spec: Invalid value: a is short
spec: Invalid value: failed rule: !has(self.b) || self.b.size() > 99
spec: Invalid value: failed rule: !has(self.c) || self.c.size() > 99
spec: Invalid value: an error ended the rule: !has(self.d) || int(self.d) > 0
<nil>: Invalid value: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
spec.count: Invalid value: spec.count in body must be of type integer: "string"
spec.mail: Invalid value: spec.mail in body must be of type email: "…"
spec.mode: Unsupported value: supported values: "A", "B"
spec.most: Invalid value: spec.most in body should be less than or equal to 10
spec.pattern: Invalid value: spec.pattern in body should match '^a'
spec.set[1]: Duplicate value
spec.short: Too long: may not be more than 2 bytes
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("errors without values (-want +got):\n%s", diff)
	}
	if h := explanation.New(v).HideValues(nil); h != nil {
		t.Errorf("HideValues(nil) = %v, want nil", h)
	}
}
