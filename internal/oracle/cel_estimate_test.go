package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// The tests of this file compare the estimated cost of rules and the errors of rules in
// new definitions. The server's own schema contexts and compiler give its estimates, and
// its validation of whole definitions gives its errors.

// An estimate is the result of one side for one expression.
type estimate struct {
	Field              string
	Cost, Cardinality  uint64
	Total              uint64
	CompilationProblem string
}

// upstreamEstimates estimates the rules of a schema with upstream.
func upstreamEstimates(t *testing.T, props *apiextensionsv1.JSONSchemaProps) map[string]estimate {
	t.Helper()
	u := upstreamEstimator{t: t, out: map[string]estimate{}}
	in := internalSchema(t, props)
	u.visit(in, apivalidation.RootCELContext(in), field.NewPath("schema"))
	return u.out
}

func internalSchema(t *testing.T, props *apiextensionsv1.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	t.Helper()
	out := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

type upstreamEstimator struct {
	t   *testing.T
	out map[string]estimate
}

func (u *upstreamEstimator) visit(s *apiextensions.JSONSchemaProps, c *apivalidation.CELSchemaContext, path *field.Path) {
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		u.visit(a.Schema, c.ChildAdditionalPropertiesContext(a.Schema), path.Child("additionalProperties"))
	}
	for name, child := range s.Properties {
		u.visit(&child, c.ChildPropertyContext(&child, name), path.Child("properties").Key(name))
	}
	if s.Items != nil && s.Items.Schema != nil {
		u.visit(s.Items.Schema, c.ChildItemsContext(s.Items.Schema), path.Child("items"))
	}
	if len(s.XValidations) == 0 {
		return
	}
	info, err := c.TypeInfo()
	if err != nil {
		return
	}
	set := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	results, err := upstreamcel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, set, upstreamcel.NewExpressionsEnvLoader())
	if err != nil {
		return
	}
	for i, r := range results {
		e := estimate{Field: path.Child("x-kubernetes-validations").Index(i).Child("rule").String(), Cost: r.MaxCost, Cardinality: r.MaxCardinality}
		if c.MaxCardinality != nil {
			e.Cardinality = *c.MaxCardinality
		}
		if r.Error != nil {
			e.CompilationProblem = upstream.Normal(r.Error.Detail)
		}
		if r.Program == nil {
			e.Cardinality = 0
		}
		e.Total = saturated(e.Cost, e.Cardinality)
		u.out[e.Field] = e
		if r.MessageExpression == nil && r.MessageExpressionError == nil {
			continue
		}
		e = estimate{Field: path.Child("x-kubernetes-validations").Index(i).Child("messageExpression").String(), Cardinality: 1}
		if r.MessageExpressionError != nil {
			e.Cardinality, e.CompilationProblem = 0, upstream.Normal(r.MessageExpressionError.Detail)
		}
		e.Cost, e.Total = r.MessageExpressionMaxCost, r.MessageExpressionMaxCost
		u.out[e.Field] = e
	}
}

func saturated(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

// ourEstimates returns our estimates of the rules of a schema, nil if the schema is not
// structural.
func ourEstimates(props *apiextensionsv1.JSONSchemaProps) map[string]estimate {
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		return nil
	}
	out := map[string]estimate{}
	for _, c := range cel.Estimate(n, cel.AtPath(field.NewPath("schema"))).Expressions {
		e := estimate{Field: c.Field, Cost: c.Cost, Cardinality: c.Cardinality, Total: c.Total, CompilationProblem: c.Problem}
		if c.Problem != "" || strings.TrimSpace(c.Text) == "" {
			e.Cardinality = 0
		}
		out[e.Field] = e
	}
	return out
}

// ruledSchemas returns the schemas of the corpus that have rules, each once.
func ruledSchemas(t *testing.T) []*apiextensionsv1.JSONSchemaProps {
	t.Helper()
	var out []*apiextensionsv1.JSONSchemaProps
	for _, props := range corpusSchemas(t) {
		if n, errs := schema.Compile(props); len(errs) == 0 && n.Facts().Has(schema.HasRules) {
			out = append(out, props)
		}
	}
	return out
}

// TestEstimates compares the estimates for all rules of the corpus.
func TestEstimates(t *testing.T) {
	total, differences := 0, 0
	for _, props := range ruledSchemas(t) {
		theirs, mine := upstreamEstimates(t, props), ourEstimates(props)
		total += len(theirs)
		if diff := cmp.Diff(theirs, mine); diff != "" {
			differences++
			t.Errorf("estimates differ (-upstream +ours):\n%s", diff)
		}
	}
	fmt.Printf("oracle: estimates %d rules, %d differences\n", total, differences)
}

// widgetsOf returns a definition with a schema, as the server holds it.
func widgetsOf(t *testing.T, props *apiextensionsv1.JSONSchemaProps) *apiextensions.CustomResourceDefinition {
	t.Helper()
	widgets, err := upstream.Widgets(props)
	if err != nil {
		t.Fatal(err)
	}
	return widgets
}

// schemaPath returns the field path of the schema of a definition with one version.
func schemaPath() *field.Path { return field.NewPath("spec", "validation", "openAPIV3Schema") }

// ofRules returns the errors about rules, and reports whether there are other errors.
// Other errors keep the server from checking some rules.
func ofRules(errs field.ErrorList) (rules field.ErrorList, others bool) {
	for _, e := range errs {
		if strings.Contains(e.Field, "x-kubernetes-validations") || strings.HasPrefix(e.Detail, "x-kubernetes-validations estimated") {
			rules = append(rules, e)
		} else {
			others = true
		}
	}
	return rules, others
}

// compareCheck compares the errors for new rules. It returns their number, and false if
// upstream has other errors, too.
func compareCheck(t *testing.T, props *apiextensionsv1.JSONSchemaProps) (count int, comparable bool) {
	t.Helper()
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		return 0, false
	}
	mine := upstream.Lines(cel.Check(n, cel.AtPath(schemaPath())))
	var theirs []string
	var equal upstream.Ties
	for range Patience {
		all, others := ofRules(apivalidation.ValidateCustomResourceDefinition(context.Background(), widgetsOf(t, props)))
		if others {
			return 0, false
		}
		if theirs = upstream.Lines(all); slices.Equal(theirs, mine) || equal.Possible(theirs, mine) {
			return len(mine), true
		}
	}
	t.Errorf("errors differ:\n%s", upstream.Diff(theirs, mine))
	return len(mine), true
}

// Patience is the number of times that upstream runs if answers differ.
const Patience = 60

// TestCheckCorpus compares the errors of the rules of the corpus.
func TestCheckCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("every definition takes long; left out with -short")
	}
	checked := 0
	for _, props := range ruledSchemas(t) {
		if _, ok := compareCheck(t, props); ok {
			checked++
		}
	}
	t.Logf("%d schemas", checked)
}

// TestCheckMutants compares the errors of rules that are changed at random, together with
// the schemas around them.
func TestCheckMutants(t *testing.T) {
	mutants := 3000
	if testing.Short() {
		mutants = 300
	}
	parts := ruledParts(t)
	rng := rand.New(rand.NewPCG(3, 4))
	compared, refused, problems := 0, 0, 0
	for compared < mutants {
		m := ruleMutator{t: t, rng: rng, root: decodeTree(t, string(encode(t, parts[rng.IntN(len(parts))])))}
		props := decodeProps(t, encode(t, m.mutant()))
		count, ok := compareCheck(t, props)
		if t.Failed() {
			t.Fatalf("schema: %s", encode(t, props))
		}
		if !ok {
			continue
		}
		if diff := cmp.Diff(upstreamEstimates(t, props), ourEstimates(props)); diff != "" {
			t.Fatalf("estimates differ (-upstream +ours):\n%s\n%s", diff, encode(t, props))
		}
		compared++
		problems += count
		if count > 0 {
			refused++
		}
	}
	fmt.Printf("oracle: checks %d mutants of %d parts, %d of them refused with %d errors, 0 differences\n", compared, len(parts), refused, problems)
}

// TestCheckUpdate compares the errors of rules in updates of a definition. Preexisting
// expressions may use all functions, and the cost of one of them does not count if the
// schema stays the same.
func TestCheckUpdate(t *testing.T) {
	const expensive = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x == y))","messageExpression":"self.map(x, self.map(y, x + y).join(',')).join('')"}]}}}`
	const newer = `{"type":"object","properties":{"a":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":3},"x-kubernetes-validations":[{"rule":"self.includes('a')","messageExpression":"self.includes('a') ? 'a' : 'b'"}]}}}`
	newerElsewhere := strings.Replace(newer, `"a":{`, `"b":{`, 1)
	newerMessage := strings.Replace(newer, `"messageExpression":"self`, `"messageExpression":"!self`, 1)
	for _, c := range []struct{ name, before, after string }{
		{"expensive, unchanged", expensive, expensive},
		{"expensive, changed", newer, expensive},
		{"newer function, unchanged", newer, newer},
		{"newer function, rule moved", newerElsewhere, newer},
		{"newer function, new messageExpression", newerMessage, newer},
		{"newer function, new", expensive, newer},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := decodeProps(t, []byte(c.before)), decodeProps(t, []byte(c.after))
			old, obj := widgetsOf(t, before), widgetsOf(t, after)
			obj.ResourceVersion, old.ResourceVersion = "1", "1"
			theirs, others := ofRules(apivalidation.ValidateCustomResourceDefinitionUpdate(context.Background(), obj, old))
			if others {
				t.Fatalf("the definition has other errors: %v", theirs)
			}
			rules, messages := map[string]bool{}, map[string]bool{}
			eachSchema(decodeTree(t, c.before), func(n map[string]any) {
				var list []apiextensionsv1.ValidationRule
				if err := json.Unmarshal(encode(t, n["x-kubernetes-validations"]), &list); err != nil {
					t.Fatal(err)
				}
				for _, r := range list {
					rules[r.Rule], messages[r.MessageExpression] = true, true
				}
			})
			n, errs := schema.Compile(after)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			given := celcost.Given{Rules: rules, Messages: messages, Unchanged: c.before == c.after}
			mine := cel.Check(n, cel.AtPath(schemaPath()), given)
			if diff := upstream.Diff(upstream.Lines(theirs), upstream.Lines(mine)); diff != "" {
				t.Errorf("errors differ:\n%s", diff)
			}
			t.Logf("%d errors", len(mine))
		})
	}
}
