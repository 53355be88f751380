package cel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// FuzzCheck puts arbitrary rules on arbitrary schemas. Nothing may panic or run
// forever. The results are the same for each call and for schemas without
// shared nodes. Check, Estimate and Compile agree on which rules compile.
func FuzzCheck(f *testing.F) {
	for _, test := range checkTests {
		f.Add(test.schema, "self == oldSelf", "'a'")
	}
	for _, test := range estimateTests {
		f.Add(test.schema, "self.all(x, x == self)", "string(self)")
	}
	fuzz.Run(f, func(t *testing.T, text, rule, message string) {
		data, err := yaml.YAMLToJSON([]byte(strings.ReplaceAll(text, "\t", " ")))
		if err != nil || len(text) > 2000 || len(rule) > 200 || len(message) > 200 {
			return
		}
		var props apiextensionsv1.JSONSchemaProps
		if json.Unmarshal(data, &props) != nil {
			return
		}
		props.XValidations = append(props.XValidations, apiextensionsv1.ValidationRule{Rule: rule, MessageExpression: message})
		n, errs := schema.Compile(&props, schema.MaxDepth(50), schema.MaxNodes(500))
		if len(errs) > 0 {
			return
		}
		apart, _ := schema.Compile(&props, testopt.Unshared{})
		rules, messages := textsOf(&props)
		stored := []cel.Option{celcost.Given{SyntaxChecked: true, Rules: rules, Messages: messages}}
		first := fmt.Sprint(cel.Check(n, stored...))
		if diff := cmp.Diff(first, fmt.Sprint(cel.Check(apart, stored...))); diff != "" {
			t.Errorf("Check of schemas that are not shared (-shared +not):\n%s", diff)
		}
		_ = cel.Check(n)
		report := cel.Estimate(n, stored...)
		if diff := cmp.Diff(report.String(), cel.Estimate(apart, stored...).String()); diff != "" {
			t.Errorf("Estimate of schemas that are not shared (-shared +not):\n%s", diff)
		}
		_, wrong := cel.Compile(n)
		problem := false
		for _, c := range report.Expressions {
			problem = problem || c.Problem != ""
		}
		if problem && len(wrong) == 0 {
			t.Errorf("Compile accepts what Estimate does not:\n%s", report)
		}
	})
}

// textsOf returns the expressions of a schema.
func textsOf(s *apiextensionsv1.JSONSchemaProps) (rules, messages map[string]bool) {
	rules, messages = map[string]bool{}, map[string]bool{}
	var visit func(*apiextensionsv1.JSONSchemaProps)
	visit = func(s *apiextensionsv1.JSONSchemaProps) {
		if s == nil {
			return
		}
		for _, r := range s.XValidations {
			rules[r.Rule], messages[r.MessageExpression] = true, true
		}
		for _, child := range s.Properties {
			visit(&child)
		}
		if s.Items != nil {
			visit(s.Items.Schema)
		}
		if s.AdditionalProperties != nil {
			visit(s.AdditionalProperties.Schema)
		}
	}
	visit(s)
	return rules, messages
}
