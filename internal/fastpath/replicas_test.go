package fastpath_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// A plan that checks the number of replicas declines wrong numbers. Apart from
// that it has the result of a plan that does not.
func TestReplicas(t *testing.T) {
	const schemaText = `{type: object, properties: {count: {type: integer}, s: {type: string}}}`
	for _, tt := range []struct {
		name, spec, text string
		steps            []string
		checks, takes    bool
	}{
		{"right", schemaText, `{"count":3}`, []string{"spec", "count"}, true, true},
		{"zero", schemaText, `{"count":-0}`, []string{"spec", "count"}, true, true},
		{"the largest", schemaText, `{"count":2147483647}`, []string{"spec", "count"}, true, true},
		{"too large", schemaText, `{"count":2147483648}`, []string{"spec", "count"}, true, false},
		{"negative", schemaText, `{"count":-1}`, []string{"spec", "count"}, true, false},
		{"absent", schemaText, `{"s":"a"}`, []string{"spec", "count"}, true, true},
		{"null, which is dropped", schemaText, `{"count":null}`, []string{"spec", "count"}, true, true},
		{"null, which stays", `{type: object, properties: {count: {type: integer, nullable: true}}}`, `{"count":null}`, []string{"spec", "count"}, true, false},
		{"a float", `{type: object, properties: {count: {type: number}}}`, `{"count":1.5}`, []string{"spec", "count"}, true, false},
		{"text", schemaText, `{"s":"a"}`, []string{"spec", "s"}, true, false},
		{"within text", schemaText, `{"s":"a"}`, []string{"spec", "s", "count"}, true, false},
		{"deeper", `{type: object, properties: {a: {type: object, properties: {count: {type: integer}}}}}`, `{"a":{"count":-1}}`, []string{"spec", "a", "count"}, true, false},
		{"equal elsewhere", `{type: object, properties: {count: {type: integer}, m: {type: integer}}}`, `{"m":-1}`, []string{"spec", "count"}, true, true},
		{"not declared, and dropped", schemaText, `{"x":-1}`, []string{"spec", "x"}, true, true},
		{"not declared, but stays", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, `{"x":-1}`, []string{"spec", "x"}, false, true},
		{"of a map", `{type: object, additionalProperties: {type: integer}}`, `{"x":-1}`, []string{"spec", "x"}, false, true},
		{"a default", `{type: object, properties: {count: {type: integer, default: 1}}}`, `{}`, []string{"spec", "count"}, true, true},
		{"a wrong default", `{type: object, properties: {count: {type: integer, default: -1}}}`, `{}`, []string{"spec", "count"}, true, false},
		{"a wrong default that is not set", `{type: object, properties: {count: {type: integer, default: -1}}}`, `{"count":1}`, []string{"spec", "count"}, true, true},
		{"no path", schemaText, `{"count":-1}`, nil, false, true},
	} {
		n := compileGroup(t, &group{Spec: tt.spec})
		cfg := testConfig
		unchecked := fastpath.Compile(n, cfg)
		cfg.Replicas = tt.steps
		plan := fastpath.Compile(n, cfg)
		if plan.ChecksReplicas() != tt.checks {
			t.Errorf("%s: ChecksReplicas = %t", tt.name, !tt.checks)
		}
		raw := head + `"spec":` + tt.text + `}`
		for _, splice := range []bool{false, true} {
			request := fastpath.Request{Splice: splice, Create: true}
			got, ok := plan.JSON(raw, &request)
			if ok != tt.takes {
				t.Errorf("%s: accepted: %t (splice %t)", tt.name, ok, splice)
			}
			want, wantOK := unchecked.JSON(raw, &request)
			if !wantOK {
				t.Fatalf("%s is declined without a number of replicas", tt.name)
			}
			if ok && got.Text() != want.Text() {
				t.Errorf("%s: %s, want %s", tt.name, got.Text(), want.Text())
			}
		}
	}
}
