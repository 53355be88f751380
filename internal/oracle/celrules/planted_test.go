package celrules

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// A counter counts the errors of a test that is expected to fail.
type counter struct {
	testing.TB
	errors int
}

func (c *counter) Errorf(string, ...any) { c.errors++ }

// TestPlantedDifferences checks that the comparison finds each kind of
// difference, on the fast and on the reference side.
func TestPlantedDifferences(t *testing.T) {
	ruled := func(limit uint64, rules ...apiextensionsv1.ValidationRule) *subject {
		return newSubject(t, "planted", &apiextensionsv1.JSONSchemaProps{
			Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"s": {Type: "string"}}, XValidations: rules,
		}, limit)
	}
	right := apiextensionsv1.ValidationRule{Rule: "self.s == 'a'"}
	old, obj := map[string]any{"s": "c"}, map[string]any{"s": "b"}
	for name, wrong := range map[string]*subject{
		"verdict": ruled(celconfig.PerCallLimit, apiextensionsv1.ValidationRule{Rule: "self.s != 'a'", Message: "failed rule: self.s == 'a'"}),
		"text":    ruled(celconfig.PerCallLimit, apiextensionsv1.ValidationRule{Rule: "self.s == 'a'", Message: "other"}),
		"field":   ruled(celconfig.PerCallLimit, apiextensionsv1.ValidationRule{Rule: "self.s == 'a'", FieldPath: ".s"}),
		"cost":    ruled(celconfig.PerCallLimit, apiextensionsv1.ValidationRule{Rule: "!(self.s != 'a')", Message: "failed rule: self.s == 'a'"}),
		"limit":   ruled(1, right),
		"warning": ruled(celconfig.PerCallLimit, apiextensionsv1.ValidationRule{Rule: "self.s == 'a' && oldSelf.s == oldSelf.s", Message: "failed rule: self.s == 'a'"}),
	} {
		for _, side := range []string{"fast", "reference"} {
			s := ruled(celconfig.PerCallLimit, right)
			if side == "fast" {
				s.fast = wrong.fast
			} else {
				s.reference = wrong.reference
			}
			in := &input{obj: obj, budget: budget}
			if name == "warning" {
				in.old = obj
			} else if name == "verdict" {
				in.old = old
			}
			quiet := &counter{TB: t}
			newTally(quiet, name, "").three(s, in, "", 1)
			if quiet.errors == 0 {
				t.Errorf("%s: the comparison did not find it in the %s program", name, side)
			}
		}
	}
}
