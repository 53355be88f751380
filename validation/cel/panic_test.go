package cel

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// TestNoPanics checks that no rule of the table panics on a valid object. The
// recover in package celeval is for invalid objects, as is the recover in
// cel-go.
func TestNoPanics(t *testing.T) {
	data, err := os.ReadFile("testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Schema, Object json.RawMessage
		Rules          []struct{ Rule string }
	}
	if err := yaml.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		obj, err := testkit.Decode(g.Object)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range g.Rules {
			var props apiextensionsv1.JSONSchemaProps
			if err := json.Unmarshal(g.Schema, &props); err != nil {
				t.Fatal(err)
			}
			props.Type, props.XValidations = "object", apiextensionsv1.ValidationRules{{Rule: r.Rule}}
			n, errs := schema.Compile(&props)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if validation.New(n).Validate(obj).BlocksRules() {
				continue
			}
			p, _ := Compile(n)
			p.Eval(context.Background(), obj, watching(func(e evaluation) {
				if e.recovered > 0 {
					t.Errorf("%s panicked", r.Rule)
				}
			}))
		}
	}
}
