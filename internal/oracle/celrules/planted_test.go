package celrules

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// A counter keeps the errors of a test that is expected to fail.
type counter struct {
	testing.TB
	texts []string
}

func (c *counter) Errorf(format string, args ...any) {
	c.texts = append(c.texts, fmt.Sprintf(format, args...))
}

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
			if len(quiet.texts) == 0 {
				t.Errorf("%s: the comparison did not find it in the %s program", name, side)
			}
		}
	}
}

// TestPlantedRules checks that TestGrammar would find faults that crdkit once had: in place
// of our program for a rule, there is the program of another rule, which answers as the
// fault did.
func TestPlantedRules(t *testing.T) {
	fields := `{type: object, properties: {s: {type: string}, d: {type: number}, l: {type: array, items: {type: string}}, lb: {type: array, items: {type: boolean}},
  lo: {type: array, items: {type: object, properties: {v: {type: integer}}}}, o: {type: object, properties: {v: {type: integer}}}, ios: {x-kubernetes-int-or-string: true}}}`
	in := &input{budget: budget, obj: map[string]any{
		"s": "a", "d": 0.0, "l": []any{"a"}, "lb": []any{true, true}, "lo": []any{map[string]any{"v": int64(1)}}, "o": map[string]any{"v": int64(1)}, "ios": "abc",
	}}
	for _, rules := range [][2]string{
		{"self.l[dyn(self.d)] == 'a'", "self.l[0] == 'a'"},
		{"self.lb[dyn(1.0)]", "self.lb[1]"},
		{"[1].flatten(dyn('x')) == [] || true", "[1].flatten(1) == [] || true"},
		{"dyn(1).distinct() == [] || true", "[1].distinct() == [] || true"},
		{"self in {self: 1}", "!(self in {self: 1})"},
		{"{self.o: 1, self.o: 2}.size() == 2", "{1: 1, 2: 2}.size() == 2"},
		{"!(dyn('a') in self.lo.filter(x, true))", "dyn('a') in self.lo.filter(x, true)"},
		{"!sets.contains(self.lo.map(x, x), [dyn(1)])", "sets.contains(self.lo.map(x, x), [dyn(1)])"},
		{"{double('NaN'): 1}.exists(k, v, v == 1)", "{double('NaN'): 1}.exists(k, v, v == 2)"},
		{"sets.intersects(dyn(optional.of('')), [1, 0])", "sets.intersects(dyn(1), [1, 0])"},
		{"dyn(1).find('a') == ''", "dyn(1u).find(1) == '' || true"},
		{"self.ios.reverse() == 'x'", "self.ios.reverse() + '' == 'x'"},
	} {
		right, wrong := props(t, fields), props(t, fields)
		right.XValidations = apiextensionsv1.ValidationRules{{Rule: rules[0]}}
		wrong.XValidations = apiextensionsv1.ValidationRules{{Rule: rules[1], Message: "failed rule: " + rules[0]}}
		n, s := bothSchemas(t, rules[0], right)
		sub := subjectOf(t, rules[0], n, s, celconfig.PerCallLimit)
		n, s = bothSchemas(t, rules[1], wrong)
		fault := subjectOf(t, rules[1], n, s, celconfig.PerCallLimit)
		if diff := compared(t, sub, in, 1); diff != "" {
			t.Errorf("%s: %s", rules[0], diff)
		}
		sub.fast, sub.reference = fault.fast, fault.reference
		if compared(t, sub, in, 1) == "" {
			t.Errorf("%s: the comparison did not find the fault %s", rules[0], rules[1])
		}
	}
	for _, lines := range [][2][]string{
		{nil, {"rule | error"}}, {{"rule | error"}, nil}, {{"rule | a"}, {"rule | b"}}, {{"panic"}, nil}, {{"panic"}, {"our panic: index out of range"}},
	} {
		if compileDifference(lines[0], lines[1]) == "" {
			t.Errorf("upstream's compile errors %q, ours %q: not found", lines[0], lines[1])
		}
	}
}
