package cel

import (
	"context"
	"math"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
)

func TestCostTexts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{count(0), "0"}, {count(math.MaxUint64 - 1), "18446744073709551614"}, {count(math.MaxUint64), "unlimited"},
		{times(1.5), "1.50 times"}, {times(100), "100.00 times"}, {times(100.01), "more than 100 times"},
		{percent(0.5), "50.00%"}, {percent(100), "10000.00%"}, {percent(100.01), ">10000%"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestEmptyReport: a report without expressions is one line.
func TestEmptyReport(t *testing.T) {
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object"})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if got, want := Estimate(n).String(), "total 0 of 100000000 (0.00%), 100000000 left\n"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

// TestRunForgets checks that a run in the pool does not refer to objects.
func TestRunForgets(t *testing.T) {
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"m": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "string", XValidations: apiextensionsv1.ValidationRules{{Rule: "self == oldSelf"}, {Rule: "self.matches(self)"}, {Rule: "self == 'never'"}},
			}}},
		},
	})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	p, errs := Compile(n)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	object, old := map[string]any{"m": map[string]any{"a": "x", "b": "y"}}, map[string]any{"m": map[string]any{"a": "z", "b": "y"}}
	r := p.begin([]EvalOption{Old(old)})
	r.ratchets = true
	if res := r.eval(context.Background(), p, object, old); len(res.Errors) == 0 {
		t.Fatal("the rules have no errors")
	}
	for name, v := range map[string]any{"Self": r.frame.Self, "Old": r.frame.Old, "object": r.object, "program": r.program, "ctx": r.ctx, "self": r.required.self, "oldSelf": r.optional.oldSelf} {
		if v != nil && !reflect.ValueOf(v).IsZero() {
			t.Errorf("%s is %v after the run", name, v)
		}
	}
	for name, v := range map[string]any{
		"path": r.path.Steps[:cap(r.path.Steps)], "names": r.names[:cap(r.names)], "levels": r.levels[:cap(r.levels)], "errors": r.errors, "ratcheted": r.ratcheted,
	} {
		for i, list := 0, reflect.ValueOf(v); i < list.Len(); i++ {
			if !list.Index(i).IsZero() {
				t.Errorf("%s[%d] is %v after the run", name, i, list.Index(i))
			}
		}
	}
}
