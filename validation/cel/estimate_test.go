package cel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// estimateTests are schemas with the estimates of the server: a line for each
// expression with its location, cost, cardinality and total, and then a line
// for each bound that affects the cost.
var estimateTests = []struct {
	name, schema string
	want         []string
}{{
	name:   "constants cost nothing",
	schema: `{type: object, x-kubernetes-validations: [{rule: "true"}]}`,
	want:   []string{` rule: 0 x 1 = 0`},
}, {
	name: "the messageExpression counts once",
	schema: `{type: object, properties: {l: {type: array, maxItems: 10, items:
		{type: string, maxLength: 5, x-kubernetes-validations: [{rule: "self != ''", messageExpression: "self + '!'"}]}}}}`,
	want: []string{`l[*] rule: 1 x 10 = 10`, `l[*] messageExpression: 4 x 1 = 4`},
}, {
	name: "without a bound, as many values as fit into a request",
	schema: `{type: object, properties: {l: {type: array, items:
		{type: integer, x-kubernetes-validations: [{rule: self > 1}]}}}}`,
	want: []string{`l[*] rule: 2 x 1572864 (unbounded) = 3145728`},
}, {
	name: "one bound brings the rule within the limit",
	schema: `{type: object, properties: {l: {type: array, items: {type: string, maxLength: 10}, x-kubernetes-validations:
		[{rule: "self.all(x, self.all(y, x == y))"}]}}}`,
	want: []string{
		`l rule: 9895591018502 x 1 = 9895591018502`,
		`  l: maxItems is not declared (taken for 1048575): 1053 fits`,
		`  l[*]: maxLength is 10: no value alone makes it fit`,
	},
}, {
	name: "a bound that is declared may grow",
	schema: `{type: object, properties: {l: {type: array, maxItems: 900, items: {type: string, maxLength: 10}, x-kubernetes-validations:
		[{rule: "self.all(x, self.all(y, x == y))"}]}}}`,
	want: []string{
		`l rule: 7294502 x 1 = 7294502`,
		`  l: maxItems is 900: 1053 fits`,
		`  l[*]: maxLength is 10: 17 fits`,
	},
}, {
	name: "two lists without a bound, neither of which is enough alone",
	schema: `{type: object, properties: {a: {type: array, items: {type: array, items:
		{type: string, maxLength: 1000, x-kubernetes-validations: [{rule: "self.matches('^[a-z]+$')"}]}}}}}`,
	want: []string{
		`a[*][*] rule: 803 x 1048576 (unbounded) = 842006528`,
		`  a[*][*]: maxLength is 1000: 9 fits`,
	},
}, {
	name: "int-or-string, bytes, enums, dates",
	schema: `{type: object, properties: {p: {x-kubernetes-int-or-string: true, maxLength: 100}, b: {type: string, format: byte, maxLength: 100},
		e: {type: string, enum: [a, abcdefghijklmnopqrst]}, t: {type: string, format: date-time}}, x-kubernetes-validations:
		[{rule: "string(self.p).contains('a')"}, {rule: "string(self.b).contains('a')"}, {rule: "self.e.contains('a')"}, {rule: "string(self.t).contains('a')"}]}`,
	want: []string{` rule: 82 x 1 = 82`, ` rule: 22 x 1 = 22`, ` rule: 4 x 1 = 4`, ` rule: 1844674407370955267 x 1 = 1844674407370955267`},
}, {
	name:   "a rule that does not compile costs nothing",
	schema: `{type: object, x-kubernetes-validations: [{rule: self.x, messageExpression: "'a'"}]}`,
	want:   []string{` rule: does not compile`},
}}

func TestEstimate(t *testing.T) {
	for _, test := range estimateTests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, c := range cel.Estimate(nodeOf(t, test.schema)).Expressions {
				got = append(got, line(&c))
				for _, b := range c.Bounds {
					got = append(got, "  "+b.String())
				}
				if c.Together > 0 {
					got = append(got, fmt.Sprintf("  together %d", c.Together))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Estimate (-want +got):\n%s", diff)
			}
		})
	}
}

func line(c *cel.ExpressionCost) string {
	if c.Problem != "" {
		return c.Path + " " + c.Kind.String() + ": does not compile"
	}
	unbounded := ""
	if !c.Bounded {
		unbounded = " (unbounded)"
	}
	return fmt.Sprintf("%s %s: %d x %d%s = %d", c.Path, c.Kind, c.Cost, c.Cardinality, unbounded, c.Total)
}

// TestBoundsAreProved sets a reported bound in the schema, and the next larger
// one.
func TestBoundsAreProved(t *testing.T) {
	for _, test := range []struct{ name, schema, path string }{
		{"list", `{type: object, properties: {l: {type: array, %s items: {type: string, maxLength: 10}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`, "l"},
		{"around", `{type: object, properties: {l: {type: array, %s items: {type: string, maxLength: 1000, x-kubernetes-validations: [{rule: "self.matches('^[a-z]+$')"}]}}}}`, "l"},
		{"string", `{type: object, properties: {s: {type: string, %s x-kubernetes-validations: [{rule: "self.split('').all(x, self.contains(x))"}]}}}`, "s"},
		{"bytes", `{type: object, properties: {s: {type: string, format: byte, %s x-kubernetes-validations: [{rule: "[1, 2].all(i, [3, 4].all(j, [5, 6].all(k, [7, 8].all(l, string(self).contains(string(self))))))"}]}}}`, "s"},
		{"map", `{type: object, properties: {m: {type: object, %s additionalProperties: {type: string, maxLength: 10}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, self[x] == self[y]))"}]}}}`, "m"},
		{"int or string", `{type: object, properties: {p: {x-kubernetes-int-or-string: true, %s x-kubernetes-validations: [{rule: "string(self).split('').all(x, string(self).contains(x))"}]}}}`, "p"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := cel.Estimate(nodeOf(t, fmt.Sprintf(test.schema, "")))
			c := before.Expressions[0]
			if !c.Over() || !before.Over() || len(before.Errors()) == 0 {
				t.Fatalf("the rule costs %d and fits", c.Total)
			}
			i := 0
			for ; i < len(c.Bounds) && c.Bounds[i].Path != test.path; i++ {
			}
			if i == len(c.Bounds) || c.Bounds[i].Fits == 0 || c.Bounds[i].Declared {
				t.Fatalf("no such bound of %s in %+v", test.path, c.Bounds)
			}
			b := c.Bounds[i]
			fits := func(v int64) uint64 {
				return cel.Estimate(nodeOf(t, fmt.Sprintf(test.schema, fmt.Sprintf("%s: %d,", b.Keyword, v)))).Expressions[0].Total
			}
			if got := fits(b.Fits); got != b.Total || got > c.Limit {
				t.Errorf("with %s %d the rule costs %d, want %d", b.Keyword, b.Fits, got, b.Total)
			}
			if got := fits(b.Fits + 1); got <= c.Limit {
				t.Errorf("with %s %d the rule costs %d and fits too", b.Keyword, b.Fits+1, got)
			}
		})
	}
}

// TestTogether sets several bounds for a rule that no single bound brings
// within the limit.
func TestTogether(t *testing.T) {
	const text = `{type: object, properties: {a: {type: array, %[1]s items: {type: array, %[1]s items: {type: integer}}, x-kubernetes-validations: [
		{rule: "self.all(x, self.all(y, x.all(v, y.all(w, v == w || self.all(z, v in z)))))"}]}}}`
	c := cel.Estimate(nodeOf(t, fmt.Sprintf(text, ""))).Expressions[0]
	for _, b := range c.Bounds {
		if b.Fits > 0 {
			t.Fatalf("%s suffices", b)
		}
	}
	total := func(v int64) uint64 {
		return cel.Estimate(nodeOf(t, fmt.Sprintf(text, fmt.Sprintf("maxItems: %d,", v)))).Expressions[0].Total
	}
	if c.Together == 0 || total(c.Together) > c.Limit || total(c.Together+1) <= c.Limit {
		t.Errorf("Together is %d, of which the total is %d, and %d for one more", c.Together, total(c.Together), total(c.Together+1))
	}
}

func TestEstimateJSON(t *testing.T) {
	report := cel.Estimate(nodeOf(t, `{type: object, properties: {s: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: "self < 'b'"}]}}}`))
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"total":2,"limit":100000000,"factor":2e-8,"headroom":99999998,"over":false,"errors":[],"expressions":[{"path":"s",` +
		`"field":"properties[s].x-kubernetes-validations[0].rule","index":0,"keyword":"rule","text":"self \u003c 'b'","cost":2,"cardinality":1,"bounded":true,` +
		`"total":2,"limit":10000000,"factor":2e-7,"over":false}]}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("json.Marshal (-want +got):\n%s", diff)
	}
}

// TestAdvice checks the advice in the table of a report.
func TestAdvice(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"alone", `{type: object, properties: {s: {type: string, x-kubernetes-validations: [{rule: "self.split('').all(x, self.contains(x))"}]}}}`,
			"  s: maxLength is not declared (taken for 786431): "},
		{"together", `{type: object, properties: {a: {type: array, items: {type: array, items: {type: integer}}, x-kubernetes-validations: [
			{rule: "self.all(x, self.all(y, x.all(v, y.all(w, v == w || self.all(z, v in z)))))"}]}}}`, "  no bound alone makes it fit; it fits if none of them is larger than "},
		{"nothing", `{type: object, properties: {s: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: "url(self).getEscapedPath().matches('^/[a-z]+$')"}]}}}`,
			"  no bound in the schema makes it fit: the expression itself is too expensive\n"},
		{"compiles not", `{type: object, x-kubernetes-validations: [{rule: nope}]}`, "\n(root) rule 0: compilation failed: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := cel.Estimate(nodeOf(t, test.schema)).String(); !strings.Contains(got, test.want) {
				t.Errorf("the report is\n%s\nand has no %q", got, test.want)
			}
		})
	}
}

// TestCheckTogether calls Check from several goroutines, which share the
// languages.
func TestCheckTogether(t *testing.T) {
	n := nodeOf(t, checkTests[3].schema)
	want := fmt.Sprint(cel.Check(n), cel.Estimate(n))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			version := cel.KubernetesVersion(fmt.Sprintf("1.%d", 30+i))
			if got := fmt.Sprint(cel.Check(n, version), cel.Estimate(n, version)); got != want {
				t.Errorf("at 1.%d: %s, want %s", 30+i, got, want)
			}
		})
	}
	group.Wait()
}

func TestEstimateNothing(t *testing.T) {
	for _, n := range []*schema.Node{nil, nodeOf(t, `{type: object}`)} {
		r := cel.Estimate(n)
		if r == nil || r.Over() || r.Errors() != nil || len(r.Expressions) > 0 || r.String() != "total 0 of 100000000 (0.00%), 100000000 left\n" {
			t.Errorf("Estimate of nothing is %+v, %q", r, r)
		}
		if errs := cel.Check(n); errs != nil {
			t.Errorf("Check of nothing is %v", errs)
		}
	}
}

// TestUses checks which fields an estimate reports as read by an expression.
func TestUses(t *testing.T) {
	for rule, want := range map[string]string{
		"true":                                   "",
		"self.a == oldSelf.a":                    "oldSelf.a self.a",
		"has(self.a) && self.l.all(x, x > 1)":    "self.a self.l",
		"self.l.all(self, self > 1)":             "self.l",
		"[self.a, 'b'].size() > 0":               "self.a",
		"{'a': self.a}['a'] == self.m.k":         "self.a self.m.k",
		"self.l.map(x, self.a).size() == 0":      "self.a self.l",
		"self == oldSelf":                        "oldSelf self",
		"self.l[0] == 1 && self.?a.hasValue()":   "self self.l",
		"self.l.filter(x, x in oldSelf.l) == []": "oldSelf.l self.l",
	} {
		const text = `{type: object, properties: {a: {type: string}, l: {type: array, maxItems: 3, items: {type: integer}}, m: {type: object, properties: {k: {type: string}}}},
			x-kubernetes-validations: [{rule: %q}]}`
		c := cel.Estimate(nodeOf(t, fmt.Sprintf(text, rule))).Expressions[0]
		if got := strings.Join(c.Uses, " "); got != want || c.Problem != "" {
			t.Errorf("%s uses %q, want %q %s", rule, got, want, c.Problem)
		}
	}
}

func nodeOf(t testing.TB, text string, opts ...schema.Option) *schema.Node {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(strings.ReplaceAll(text, "\t", " ")))
	if err != nil {
		t.Fatal(err)
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(data, &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&props, opts...)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

// checkTests are schemas with the errors of the server for their rules.
var checkTests = []struct {
	name, schema string
	opts         []cel.Option
	want         []string
}{{
	name:   "nothing",
	schema: `{type: object, x-kubernetes-validations: [{rule: "has(self.metadata.name)", fieldPath: .metadata.name}], properties: {metadata: {type: object, properties: {name: {type: string}}}}}`,
}, {
	name:   "reason that is empty",
	schema: `{type: object, x-kubernetes-validations: [{rule: "true", reason: ""}]}`,
	want: []string{
		`x-kubernetes-validations[0].reason: Unsupported value: "": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
	},
}, {
	name: "a schema with malformed rules, where and above which nothing is compiled",
	schema: `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: " "}, {rule: "nope", message: " "}, {rule: "a\n&& b"}, {rule: "true", message: "a\nb"},
		{rule: "true", messageExpression: " ", reason: Odd, fieldPath: "a\n"}, {rule: "true", fieldPath: " "}]}, b: {type: string, x-kubernetes-validations: [{rule: nope}]}},
		x-kubernetes-validations: [{rule: nope, fieldPath: .c}]}`,
	want: []string{
		`properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified`,
		`properties[a].x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified`,
		`properties[a].x-kubernetes-validations[2].message: Required value: message must be specified if rule contains line breaks`,
		`properties[a].x-kubernetes-validations[3].message: Invalid value: "a\nb": must not contain line breaks`,
		`properties[a].x-kubernetes-validations[4].messageExpression: Required value: messageExpression must be non-empty if specified`,
		`properties[a].x-kubernetes-validations[4].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
		`properties[a].x-kubernetes-validations[4].fieldPath: Invalid value: "a\n": must not contain line breaks`,
		`properties[a].x-kubernetes-validations[4].fieldPath: Invalid value: "a\n": must be a valid path`,
		`properties[a].x-kubernetes-validations[5].fieldPath: Invalid value: " ": must be non-empty if specified`,
		`properties[a].x-kubernetes-validations[5].fieldPath: Invalid value: " ": must be a valid path`,
		`x-kubernetes-validations[0].fieldPath: Invalid value: ".c": must be a valid path`,
		`properties[b].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"nope","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ` +
			"compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
	},
}, {
	name: "oldSelf without a correlated old value, and optionalOldSelf without oldSelf",
	schema: `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: self > oldSelf}]}}}},
		o: {type: integer, x-kubernetes-validations: [{rule: self > 1, optionalOldSelf: false}, {rule: "oldSelf.orValue(1) > 1", optionalOldSelf: true}]}}}`,
	want: []string{
		`properties[l].items.properties[a].x-kubernetes-validations[0].rule: Invalid value: "self > oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within properties[l]`,
		`properties[o].x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`,
	},
}, {
	name: "a fieldPath through values that no schema describes",
	schema: `{type: object, properties: {m: {type: object, additionalProperties: true}}, x-kubernetes-validations:
		[{rule: "true", fieldPath: .m.a}, {rule: "true", fieldPath: .m.a.b}]}`,
	want: []string{`x-kubernetes-validations[1].fieldPath: Invalid value: ".m.a.b": must be a valid path`},
}, {
	name:   "values without a type",
	schema: `{type: object, properties: {u: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}}}`,
	want: []string{`properties[u].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: ` +
		`unable to convert structural schema to CEL declarations`},
}, {
	name:   "a function that the previous version does not have",
	schema: `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: integer}, x-kubernetes-validations: [{rule: self.includes(1)}]}}}`,
	want: []string{`properties[l].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.includes(1)","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ` +
		"compilation failed: ERROR: <input>:1:14: undeclared reference to 'includes' (in container '')\n | self.includes(1)\n | .............^"},
}, {
	name:   "the same function in a preexisting rule",
	schema: `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: integer}, x-kubernetes-validations: [{rule: self.includes(1)}]}}}`,
	opts:   []cel.Option{celcost.Given{Rules: map[string]bool{"self.includes(1)": true}}},
}, {
	name:   "too expensive",
	schema: `{type: object, properties: {l: {type: array, maxItems: 1100, items: {type: string, maxLength: 10}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`,
	want: []string{`properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.089550x ` +
		`(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`},
}, {
	name:   "too expensive and unchanged",
	schema: `{type: object, properties: {l: {type: array, maxItems: 1100, items: {type: string, maxLength: 10}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`,
	opts:   []cel.Option{celcost.Given{Unchanged: true}},
}, {
	name:   "a schema in which the caller has found errors",
	schema: `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: nope}]}}}`,
	opts:   []cel.Option{cel.AtPath(field.NewPath("s")), celcost.Given{SyntaxChecked: true, Invalid: map[string]bool{"s.properties[a]": true}}},
}}

func TestCheck(t *testing.T) {
	for _, test := range checkTests {
		t.Run(test.name, func(t *testing.T) {
			n := nodeOf(t, test.schema)
			var got []string
			for _, err := range cel.Check(n, test.opts...) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Check (-want +got):\n%s", diff)
			}
			again := cel.Check(nodeOf(t, test.schema, testopt.Unshared{}), test.opts...)
			if diff := cmp.Diff(fmt.Sprint(cel.Check(n, test.opts...)), fmt.Sprint(again)); diff != "" {
				t.Errorf("Check of equal schemas that are not shared (-shared +not):\n%s", diff)
			}
		})
	}
}

// TestTotal checks that the rules with the largest costs have errors of their
// own if the total exceeds the limit.
func TestTotal(t *testing.T) {
	rule := `{type: array, maxItems: 1050, items: {type: string, maxLength: 10}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}`
	var fields []string
	for i := range 12 {
		fields = append(fields, fmt.Sprintf("f%02d: %s", i, rule))
	}
	errs := cel.Check(nodeOf(t, "{type: object, properties: {"+strings.Join(fields, ", ")+"}}"), cel.AtPath(field.NewPath("s")))
	var got []string
	for _, err := range errs {
		got = append(got, err.Error())
	}
	const contributed = "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
	want := []string{
		"s.properties[f00].x-kubernetes-validations[0].rule: " + contributed,
		"s.properties[f01].x-kubernetes-validations[0].rule: " + contributed,
		"s.properties[f02].x-kubernetes-validations[0].rule: " + contributed,
		"s.properties[f03].x-kubernetes-validations[0].rule: " + contributed,
		"s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.191330x (try simplifying the rule, " +
			"or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
}
