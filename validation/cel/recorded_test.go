package cel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// A ruleGroup is an entry of testdata/rules/*.yaml: a schema, objects with the
// old objects that they replace, and rules that are added to the root one by
// one.
type ruleGroup struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Objects []struct {
		Object json.RawMessage `json:"object"`
		Old    json.RawMessage `json:"old"`
	} `json:"objects"`
	Rules []json.RawMessage `json:"rules"`
}

// schemaWith returns the schema of g with another rule at its root.
func (g *ruleGroup) schemaWith(t *testing.T, rule json.RawMessage) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(g.Schema, &props); err != nil {
		t.Fatal(err)
	}
	props.Type = "object"
	if rule != nil {
		var r apiextensionsv1.ValidationRule
		if json.Unmarshal(rule, &r.Rule) != nil {
			if err := json.Unmarshal(rule, &r); err != nil {
				t.Fatal(err)
			}
		}
		props.XValidations = append(props.XValidations, r)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

// TestRecordedRules runs the rules of testdata/rules on their objects with both
// implementations. It compares errors, costs and estimates with recorded ones.
// internal/oracle/celrules compares the same rules with the server.
//
//	go test ./validation/cel -run TestRecordedRules -update
//
// records them again. Run celrules after that.
func TestRecordedRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files of rules: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			var groups []ruleGroup
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal(data, &groups); err != nil {
				t.Fatal(err)
			}
			recorded := strings.TrimSuffix(file, ".yaml") + ".recorded"
			for path, opts := range paths {
				t.Run(path, func(t *testing.T) {
					testkit.Recorded(t, recorded, outcomes(t, groups, opts))
				})
			}
		})
	}
}

// outcomes returns a line for each rule and each of its objects.
func outcomes(t *testing.T, groups []ruleGroup, opts []cel.Option) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%s\n", g.Name)
		if len(g.Rules) == 0 {
			g.Rules = append(g.Rules, nil)
		}
		for i, rule := range g.Rules {
			n := g.schemaWith(t, rule)
			fmt.Fprintf(&b, "  rule %d: estimated %s\n", i, estimated(n))
			p, errs := cel.Compile(n, opts...)
			for _, err := range errs {
				fmt.Fprintf(&b, "    %s\n", singleLine(err.Error()))
			}
			if p == nil {
				continue
			}
			for _, o := range g.Objects {
				fmt.Fprintf(&b, "    %s\n", outcomeOf(t, p, o.Object, o.Old))
			}
		}
	}
	return b.String()
}

func estimated(n *schema.Node) string {
	report := cel.Estimate(n)
	var b strings.Builder
	fmt.Fprint(&b, report.Total)
	for _, e := range report.Expressions {
		for _, bound := range e.Bounds {
			fmt.Fprintf(&b, "; %s %s %d fits %d at %d", bound.Path, bound.Keyword, bound.Value, bound.Fits, bound.Total)
		}
	}
	for _, err := range cel.Check(n) {
		text, _, _ := strings.Cut(err.Error(), " (try simplifying the rule")
		fmt.Fprintf(&b, "; %s", singleLine(text))
	}
	return b.String()
}

// outcomeOf returns the cost and the errors of a program for an object, or
// testkit.Varies if they depend on the order of a Go map.
func outcomeOf(t *testing.T, p *cel.Program, object, old json.RawMessage) string {
	t.Helper()
	first, runs := "", 1
	if testkit.Update() {
		runs = 24
	}
	for range runs {
		var opts []cel.EvalOption
		if o := decodeOptional(t, old); o != nil {
			opts = append(opts, cel.Old(o))
		}
		obj := decodeOptional(t, object)
		res := p.Eval(context.Background(), obj, opts...)
		text := fmt.Sprint(res.Cost)
		for _, err := range res.Errors {
			text += "; " + brief(err)
		}
		for _, err := range res.Ratcheted {
			text += "; ratcheted: " + brief(err)
		}
		if first == "" {
			first = text
		}
		if first != text {
			return testkit.Varies
		}
	}
	return first
}

// brief returns the text of an error without the text of the rule, and for
// rules at the root without type and field.
func brief(err *validation.Error) string {
	detail, _, _ := strings.Cut(err.Detail, " evaluating rule: ")
	detail, _, _ = strings.Cut(detail, " for rule: ")
	if strings.HasPrefix(detail, "failed rule: ") {
		detail = "false"
	}
	if len(detail) > 200 {
		detail = fmt.Sprintf("%.200s and on to %d bytes", detail, len(detail))
	}
	if err.Field == "<nil>" && err.Type == field.ErrorTypeInvalid {
		return singleLine(detail)
	}
	return singleLine(fmt.Sprintf("%s %s: %s", err.Type, err.Field, detail))
}

func decodeOptional(t *testing.T, text json.RawMessage) map[string]any {
	t.Helper()
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	v, err := testkit.DecodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func singleLine(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }
