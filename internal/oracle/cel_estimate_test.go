package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
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

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// What rules may cost, and what is wrong with them when a definition is
// written. The numbers are compared with those of the server's own schema
// contexts and compiler, the errors with those of its validation of whole
// definitions.

// An estimate is what both sides say of one expression.
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

// ourEstimates is nil if the schema is not structural.
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

// schemaPath is where the server finds the schema of a definition with one
// version.
func schemaPath() *field.Path { return field.NewPath("spec", "validation", "openAPIV3Schema") }

// definitionOf wraps a schema, as the server holds it.
func definitionOf(t *testing.T, props *apiextensionsv1.JSONSchemaProps) *apiextensions.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com",
		Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props.DeepCopy()},
		}},
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out, nil); err != nil {
		t.Fatal(err)
	}
	out.Status.StoredVersions = []string{"v1"}
	return out
}

// ofRules keeps the errors that are about rules, and reports whether there are
// others, which keep the server from looking at some rules.
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

// compareCheck compares the errors for new rules and reports how many there are,
// or that upstream has other errors too.
func compareCheck(t *testing.T, props *apiextensionsv1.JSONSchemaProps) (count int, comparable bool) {
	t.Helper()
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		return 0, false
	}
	mine := upstream.Lines(cel.Check(n, cel.AtPath(schemaPath())))
	var theirs []string
	// Which of several equally expensive rules are named is chance.
	for range Patience {
		all, others := ofRules(apivalidation.ValidateCustomResourceDefinition(context.Background(), definitionOf(t, props)))
		if others {
			return 0, false
		}
		if theirs = upstream.Lines(all); slices.Equal(theirs, mine) {
			return len(mine), true
		}
	}
	t.Errorf("errors differ:\n%s", upstream.Diff(theirs, mine))
	return len(mine), true
}

// Patience is how often upstream is asked again when answers differ.
const Patience = 60

// TestCheckCorpus compares what is wrong with the rules of the corpus.
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

// TestCheckMutants compares what is wrong with rules that are changed at
// random, as are the schemas around them.
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

// ruledParts returns small schemas of objects with rules: those of the table
// below and parts of the corpus.
func ruledParts(t *testing.T) []map[string]any {
	t.Helper()
	var parts []map[string]any
	for _, text := range ruleSeeds {
		parts = append(parts, decodeTree(t, text))
	}
	seen := map[string]bool{}
	for _, props := range ruledSchemas(t) {
		eachSchema(decodeTree(t, string(encode(t, props))), func(n map[string]any) {
			data := encode(t, n)
			if n["type"] == "object" && len(data) < 2500 && !seen[string(data)] && strings.Contains(string(data), `"x-kubernetes-validations"`) {
				seen[string(data)] = true
				parts = append(parts, n)
			}
		})
	}
	return parts
}

// ruleSeeds have what the corpus lacks.
var ruleSeeds = []string{
	`{"type":"object","properties":{"kind":{"type":"string"},"a":{"type":"string","maxLength":10,"x-kubernetes-validations":[{"rule":"self.size() > 1","messageExpression":"self + ' is short'"}]},
		"m":{"type":"object","additionalProperties":{"type":"object","properties":{"b":{"type":"string"}},"x-kubernetes-validations":[{"rule":"self.b != 'x'"}]}}},
		"x-kubernetes-validations":[{"rule":"self.m.all(k, self.m[k].b == self.a)","message":"odd","reason":"FieldValueInvalid","fieldPath":".m"}]}`,
	`{"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"v":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}},
		"s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}},
		"o":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"x":{"type":"number","x-kubernetes-validations":[{"rule":"oldSelf.orValue(1.0) < self","optionalOldSelf":true}]}}}}}`,
	`{"type":"object","properties":{"d":{"type":"string","format":"duration"},"t":{"type":"string","format":"date-time"},"y":{"type":"string","format":"byte","maxLength":7},"e":{"type":"string","enum":["a","bcd"]},
		"p":{"x-kubernetes-int-or-string":true,"maxLength":9},"u":{"x-kubernetes-preserve-unknown-fields":true},"r":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-validations":[{"rule":"self.metadata.name == self.kind"}]}},
		"x-kubernetes-validations":[{"rule":"self.d > duration('1s') && self.t < timestamp('2020-01-01T00:00:00Z')"},{"rule":"self.y.size() < 3 && self.e.matches('^a+$') && string(self.p) != ''"},{"rule":"self.r.metadata.name.startsWith(self.metadata.name)"}]}`,
	`{"type":"object","required":["spec","metadata"],"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":20}}},
		"spec":{"type":"array","maxItems":5,"items":{"type":"array","maxItems":7,"items":{"type":"object","additionalProperties":{"type":"string","maxLength":100},"maxProperties":4,"x-kubernetes-validations":[{"rule":"self.all(k, k.contains(self[k]))"}]}}}},
		"x-kubernetes-validations":[{"rule":"self.spec.all(a, a.all(b, b.all(k, b[k] == self.metadata.name)))"},{"rule":"self.metadata.generateName.split('-').map(x, x.replace('a', 'bb')).join(',') != ''"}]}`,
	`{"type":"object","properties":{"namespace":{"type":"string"},"a-b":{"type":"array","items":{"type":"integer"}},"1x":{"type":"string","x-kubernetes-validations":[{"rule":"self.url().getHost() == 'a'"}]},"q":{"type":"string","x-kubernetes-validations":[{"rule":"quantity(self).isGreaterThan(quantity('1'))"}]}},
		"x-kubernetes-validations":[{"rule":"self.namespace == self.__namespace__ && self.a__dash__b.sum() < 9 && self.a__dash__b.isSorted()"}]}`,
}

// A ruleMutator changes the rules of a schema and the bounds around them.
type ruleMutator struct {
	t    *testing.T
	rng  *rand.Rand
	root map[string]any
}

func (m *ruleMutator) mutant() map[string]any {
	if m.rng.IntN(2) == 0 {
		m.wrap()
	}
	for range 1 + m.rng.IntN(4) {
		m.mutate()
	}
	return m.root
}

// wrap puts the schema into a field, a list or a map of another.
func (m *ruleMutator) wrap() {
	inner := m.root
	switch m.rng.IntN(4) {
	case 0:
		inner = map[string]any{"type": "array", "items": inner}
	case 1:
		inner = map[string]any{"type": "object", "additionalProperties": inner}
	case 2:
		inner = map[string]any{"type": "array", "maxItems": 1 + m.rng.IntN(2000), "items": inner}
	}
	m.root = map[string]any{"type": "object", "properties": map[string]any{pick(m.rng, fieldNames): inner}}
}

var fieldNames = []string{"spec", "a-b", "namespace", "1st", "metadatas", "x__y", "a.b"}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

func (m *ruleMutator) mutate() {
	var all, ruled []map[string]any
	eachSchema(m.root, func(n map[string]any) {
		all = append(all, n)
		if n["x-kubernetes-validations"] != nil {
			ruled = append(ruled, n)
		}
	})
	if n := pick(m.rng, all); m.rng.IntN(3) == 0 {
		m.bound(n)
		return
	}
	if m.rng.IntN(6) == 0 || len(ruled) == 0 {
		n := pick(m.rng, all)
		rules, _ := n["x-kubernetes-validations"].([]any)
		n["x-kubernetes-validations"] = append(rules, map[string]any{"rule": pick(m.rng, ruleTexts)})
		return
	}
	rules := pick(m.rng, ruled)["x-kubernetes-validations"].([]any)
	if rule := pick(m.rng, rules).(map[string]any); rule != nil {
		m.rule(rule)
	}
}

// bound changes what bounds sizes, or types.
func (m *ruleMutator) bound(n map[string]any) {
	keyword := pick(m.rng, []string{"maxItems", "maxLength", "maxProperties", "format", "enum", "required", "x-kubernetes-map-type", "x-kubernetes-list-type", "default"})
	value := pick(m.rng, boundValues[keyword])
	if value == "" {
		delete(n, keyword)
		return
	}
	n[keyword] = decodeAny(m.t, value)
}

var boundValues = map[string][]string{
	"maxItems":               {"", "0", "1", "10", "1000", "-1", "100000000"},
	"maxLength":              {"", "0", "1", "63", "4096", "-5", "9000000000"},
	"maxProperties":          {"", "0", "2", "500", "-1"},
	"format":                 {"", `"byte"`, `"date"`, `"date-time"`, `"duration"`, `"datetime"`, `"ipv4"`},
	"enum":                   {"", `["a","bb"]`, `["ä"]`, `[1]`},
	"required":               {"", `["spec"]`, `["name","name"]`, `["kind","metadata"]`, `["a"]`},
	"x-kubernetes-map-type":  {"", `"atomic"`, `"granular"`},
	"x-kubernetes-list-type": {"", `"atomic"`},
	"default":                {""},
}

var word = regexp.MustCompile(`[A-Za-z_]+|\d+|'[^']*'|[<>=!&|]+`)

// rule changes one part of a rule.
func (m *ruleMutator) rule(r map[string]any) {
	switch m.rng.IntN(12) {
	case 0:
		r["messageExpression"] = pick(m.rng, messageTexts)
	case 1:
		r["optionalOldSelf"] = m.rng.IntN(2) == 0
	case 2:
		r["fieldPath"] = pick(m.rng, []string{".spec", ".a", "['a-b']", ".x.y", "", " ", ".l[0]", ".m.k", "a", ".m['b.c'].b"})
	case 3:
		r["message"] = pick(m.rng, []string{"", " ", "no", "a\nb", "a\n"})
	case 4:
		r["rule"] = pick(m.rng, ruleTexts)
	case 5:
		r["reason"] = pick(m.rng, []string{"FieldValueInvalid", "FieldValueRequired", "Odd", ""})
	default:
		text, _ := r["rule"].(string)
		places := word.FindAllStringIndex(text, -1)
		if len(places) == 0 {
			return
		}
		at := pick(m.rng, places)
		r["rule"] = text[:at[0]] + pick(m.rng, ruleWords) + text[at[1]:]
	}
}

var ruleTexts = []string{
	"true", "self == self", "self == oldSelf", "has(self.spec)", "self.all(x, x == x)", "self.size() > 0", "size(self) < 5", "1", " ", "self.map(x, x)",
	"self.exists_one(k, self[k] == '')", "oldSelf.hasValue() || true", "self.metadata.name != ''", "self.all(k, v, k != v)", "self.matches('[')", "'a'.find('[') == ''",
	"duration('x') > duration('1s')", "['a', 1].size() > 0", "self.includes(1)", "self.startsWith('a') && self.endsWith(self)", "[[1,2],[3]].flatten().sum() > 1",
	"self.split(',').all(x, ip(x).family() == 4)", "self\n== self", "sets.contains(self, self)", "self.filter(x, x.size() > 2).map(y, y + y).exists(z, z == z + z)",
	"self.all(a, self.all(b, self.all(c, a == b && b == c)))", "cel.bind(x, self, x == x)", "authorizer.path('/x').check('get').allowed()", "semver('1.2.3').major() == 1",
	"format.dns1123Label().validate(self).hasValue()", "optional.of(self).hasValue()", "self.?a.orValue('') == ''", "self[?0].hasValue()", "self + self == self", "self in [self]",
	"dyn(self).a.b.c == 1", "type(self) == string", "string(self).lowerAscii().upperAscii().trim().substring(1, 2) == 'a'", "oldSelf.a == self.a", "self.sort() == self",
	"self.transformList(i, v, i + 1).sum() > 3", "{'a': self}.all(k, k == 'a')", "url(self).getQuery().size() > 0", "isURL(self) && isIP(self) && isCIDR(self) && isQuantity(self)",
	"cidr('10.0.0.0/8').containsIP(self)", "self.indexOf('a') > self.lastIndexOf(self)", "self.replace(self, self) == self.join(',')",
}

var messageTexts = []string{"'x'", "self", "string(self.size())", "1", "self.nope", "''", " ", "'a' + self.a", "self.m.map(k, k).join(',')", "oldSelf", "'%s'.format([self])", "self.replace('a', self)"}

var ruleWords = []string{"self", "oldSelf", "size", "all", "exists", "x", "'a'", "1", "1.5", "==", "<", "&&", "||", "!=", "matches", "map", "filter", "spec", "string", "int", "name", "+", "replace", "split", "includes", "true"}

// TestCheckUpdate compares what is wrong with rules of a definition that is
// updated: expressions which were there may use all functions, and what one of
// them costs does not matter if the schema stays the same.
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
			old, obj := definitionOf(t, before), definitionOf(t, after)
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
			opts := []cel.Option{cel.AtPath(schemaPath()), cel.Preexisting(rules, messages)}
			if c.before == c.after {
				opts = append(opts, cel.Unchanged())
			}
			mine := cel.Check(n, opts...)
			if diff := upstream.Diff(upstream.Lines(theirs), upstream.Lines(mine)); diff != "" {
				t.Errorf("errors differ:\n%s", diff)
			}
			t.Logf("%d errors", len(mine))
		})
	}
}
