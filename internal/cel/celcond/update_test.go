package celcond

import (
	"context"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// An updateCase is a case of testdata/updates.yaml.
type updateCase struct {
	Rule                         string
	Schema                       apiextensionsv1.JSONSchemaProps
	Holds, Fails, Errors, Values [][2]any
}

// TestUpdates checks on which updates the conditions of a transition rule hold, and that
// the rule itself has the same outcomes.
func TestUpdates(t *testing.T) {
	text, err := os.ReadFile("testdata/updates.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []updateCase
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		t.Run(c.Rule+" of "+c.Schema.Type, func(t *testing.T) { c.check(t) })
	}
}

func (c *updateCase) check(t *testing.T) {
	c.Schema.XValidations = apiextensionsv1.ValidationRules{{Rule: c.Rule}}
	root := compiled(t, apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": c.Schema}})
	here := New(root, nil).Update(c.Rule, root.Property("x"), nil, nil)
	below := New(root, nil).Update(c.Rule, root.Property("x"), []string{"x"}, nil)
	for outcome, pairs := range map[string][][2]any{"holds": c.Holds, "fails": c.Fails, "ends with an error": c.Errors, "is opaque": c.Values} {
		for _, pair := range pairs {
			old, v := decoded(t, pair[0]), decoded(t, pair[1])
			if got := outcomeOf(&here, map[string]any{Self: v, OldSelf: old}); outcome != "is opaque" && got != outcome {
				t.Errorf("%v to %v %s, want %s", old, v, got, outcome)
			} else if sure := got == "holds" || got == "fails"; outcome == "is opaque" && sure {
				t.Errorf("%v to %v %s, want no verdict", old, v, got)
			}
			whole := map[string]any{Self: map[string]any{"x": v}, OldSelf: map[string]any{"x": old}}
			if got, want := outcomeOf(&below, whole), outcomeOf(&here, map[string]any{Self: v, OldSelf: old}); got != want {
				t.Errorf("%v to %v %s at a path, %s at the value", old, v, got, want)
			}
			if got := updated(t, root, old, v); outcome != "is opaque" && got != outcome {
				t.Errorf("%v to %v: the rule %s, the table says %s", old, v, got, outcome)
			}
		}
	}
}

// updated returns the outcome of evaluating the rule of a schema on an update.
func updated(t *testing.T, root *schema.Node, old, v any) string {
	t.Helper()
	program, errs := cel.Compile(root)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	result := program.Eval(context.Background(), map[string]any{"x": v}, cel.Old(map[string]any{"x": old}))
	switch {
	case len(result.Errors) == 0:
		return "holds"
	case strings.HasPrefix(result.Errors[0].Detail, "failed rule: "):
		return "fails"
	}
	return "ends with an error"
}
