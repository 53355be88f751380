package celrules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// differences are the intended differences, by their names in docs/DIFFERENCES.md. Each
// has a test that fails when either side changes.
var differences = map[string]func(t *testing.T){
	"cel/order":      differentOrder,
	"cel/type_names": differentTypeNames,
	"cel/field_path": differentFieldPath,
	"cel/memory":     differentMemory,
	"cel/interrupt":  differentInterrupt,
	"cel/expansion":  differentExpansion,
	"cel/value_text": differentValueText,

	"cel/quantity_exponent": differentQuantity,
}

func TestDifferences(t *testing.T) {
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "DIFFERENCES.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range differences {
		t.Run(name, test)
		if !strings.Contains(string(doc), "| `"+name+"` |") {
			t.Errorf("docs/DIFFERENCES.md has no row `%s`", name)
		}
	}
	for line := range strings.Lines(string(doc)) {
		if rest, ok := strings.CutPrefix(line, "| `cel/"); ok {
			if name, _, _ := strings.Cut(rest, "`"); differences["cel/"+name] == nil {
				t.Errorf("docs/DIFFERENCES.md has a row `cel/%s` without a test here", name)
			}
		}
	}
}

func props(t *testing.T, text string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	var p apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

// differentOrder spends a budget that is enough for two of three fields.
func differentOrder(t *testing.T) {
	s := newSubject(t, "order", props(t, `
type: object
properties:
  a: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}]}
  b: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}]}
  c: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}]}
`), celconfig.PerCallLimit)
	in := &input{obj: map[string]any{"a": "x", "b": "x", "c": "x"}, budget: 4}
	ourAnswers, theirAnswers := map[string]bool{}, map[string]bool{}
	for range 300 {
		ourAnswers[fmt.Sprint(ours(s.fast, in).errors)] = true
		theirAnswers[fmt.Sprint(s.upstream(in).errors)] = true
	}
	if len(ourAnswers) != 1 || len(theirAnswers) != 3 {
		t.Errorf("%d answers of ours, %d of upstream, want 1 and 3", len(ourAnswers), len(theirAnswers))
	}
	for a := range ourAnswers {
		if !theirAnswers[a] || !strings.Contains(a, "Invalid c ") && !strings.Contains(a, "Invalid value c ") {
			t.Errorf("our answer is %s, want one of upstream's, about the last field", a)
		}
	}
	differentMapOrder(t)
}

// differentMapOrder has a rule about the first key that a loop visits.
func differentMapOrder(t *testing.T) {
	s := newSubject(t, "order of keys", props(t, `
type: object
properties: {m: {type: object, additionalProperties: {type: string}}}
x-kubernetes-validations: [{rule: "self.m.map(k, k)[0] == 'a'"}]
`), celconfig.PerCallLimit)
	in := &input{obj: map[string]any{"m": map[string]any{"c": "", "b": "", "a": ""}}, budget: budget}
	theirAnswers := map[int]bool{}
	for range 100 {
		theirAnswers[len(s.upstream(in).errors)] = true
		for name, program := range map[string]*cel.Program{"fast": s.fast, "reference": s.reference} {
			if a := ours(program, in); len(a.errors) > 0 {
				t.Fatalf("%s: got %q, want no error in any run", name, a.errors)
			}
		}
	}
	if len(theirAnswers) != 2 {
		t.Errorf("upstream has %d answers, want 2", len(theirAnswers))
	}
	differentEqualOrder(t)
}

// differentEqualOrder compares maps of which one entry differs and another cannot be
// compared: validation admits a time that rules cannot read.
func differentEqualOrder(t *testing.T) {
	s := newSubject(t, "order of equality", props(t, `
type: object
properties: {m: {type: object, properties: {a: {type: string}, b: {type: string, format: date-time}}}}
x-kubernetes-validations: [{rule: "self.m == oldSelf.m"}]
`), celconfig.PerCallLimit)
	object := func(a string) map[string]any {
		return map[string]any{"m": map[string]any{"a": a, "b": "2024-01-01t00:00:00z"}}
	}
	in := &input{obj: object("x"), old: object("y"), budget: budget}
	ourAnswers, theirAnswers := map[string]bool{}, map[string]bool{}
	for range 100 {
		theirAnswers[fmt.Sprint(s.upstream(in).errors)] = true
		for _, program := range []*cel.Program{s.fast, s.reference} {
			ourAnswers[fmt.Sprint(ours(program, in).errors)] = true
		}
	}
	if len(ourAnswers) != 1 || len(theirAnswers) != 2 {
		t.Errorf("%d answers of ours, %d of upstream, want 1 and 2: %v", len(ourAnswers), len(theirAnswers), ourAnswers)
	}
	for a := range ourAnswers {
		if !theirAnswers[a] || strings.Contains(a, "cannot parse") {
			t.Errorf("our answer is %s, want that the rule is false", a)
		}
	}
}

// differentInterrupt runs rules with and without a loop after the context ended.
func differentInterrupt(t *testing.T) {
	s := newSubject(t, "interrupt", props(t, `
type: object
properties: {l: {type: array, items: {type: integer}}}
x-kubernetes-validations: [{rule: "self.l.all(x, self.l.all(y, x == y))"}, {rule: "self.l.size() == 0"}]
`), celconfig.PerCallLimit)
	in := &input{obj: map[string]any{"l": slices.Repeat([]any{int64(1)}, 40)}, budget: budget, cancel: true}
	if a := s.upstream(in); len(a.errors) != 2 || a.spent == budget {
		t.Errorf("upstream says %q for %d units, want two errors and a part of the budget", a.errors, a.spent)
	}
	for name, program := range map[string]*cel.Program{"fast": s.fast, "reference": s.reference} {
		if a := ours(program, in); !a.isInterrupted() || a.spent != budget {
			t.Errorf("%s: got %q for %d units, want one error and the whole budget", name, a.errors, a.spent)
		}
	}
}

// differentMemory has a rule that costs little and makes a string of 81 MB.
func differentMemory(t *testing.T) {
	s := newSubject(t, "memory", props(t, `
type: object
properties: {a: {type: string}, b: {type: string}}
x-kubernetes-validations: [{rule: "self.a.replace('', self.b).size() == 81018000"}]
`), celconfig.PerCallLimit)
	text := strings.Repeat("x", 9000)
	in := &input{obj: map[string]any{"a": text, "b": text}, budget: budget}
	if a := s.upstream(in); len(a.errors) > 0 {
		t.Errorf("upstream refuses the object: %q", a.errors)
	}
	for name, program := range map[string]*cel.Program{"fast": s.fast, "reference": s.reference} {
		a := ours(program, in)
		if len(a.errors) != 1 || !strings.Contains(a.errors[0], "operation cancelled: memory limit exceeded") || a.spent != budget {
			t.Errorf("%s: got %q for %d units, want an error and the whole budget", name, a.errors, a.spent)
		}
		if res := program.Eval(in.context(), in.obj, cel.Memory(100e6)); len(res.Errors) > 0 || res.Cost >= budget {
			t.Errorf("%s: with 100 MB: got %v for %d units", name, res.Errors, res.Cost)
		}
	}
}

// differentQuantity has an exponent that is just above the limit, for larger ones keep
// upstream busy.
func differentQuantity(t *testing.T) {
	s := newSubject(t, "quantity", props(t, `
type: object
properties: {a: {type: string}}
x-kubernetes-validations: [{rule: "isQuantity(self.a)"}]
`), celconfig.PerCallLimit)
	in := &input{obj: map[string]any{"a": "1e10001"}, budget: budget}
	if a := s.upstream(in); len(a.errors) > 0 {
		t.Errorf("upstream refuses the object: %q", a.errors)
	}
	for name, program := range map[string]*cel.Program{"fast": s.fast, "reference": s.reference} {
		if a := ours(program, in); len(a.errors) != 1 {
			t.Errorf("%s: got %q, want an error", name, a.errors)
		}
	}
}

// differentExpansion has rules that upstream compiles to very large expressions or
// types.
func differentExpansion(t *testing.T) {
	for _, rule := range []string{
		"optional.of(1)" + strings.Repeat(".optMap(x, x)", 7) + ".hasValue()",
		"[1]" + strings.Repeat(".map(x, {x: x})", 7) + ".size() == 1",
		strings.Repeat("[1] + [] == [1] && ", 400) + "true",
	} {
		p := props(t, "type: object")
		p.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
		n, s := bothSchemas(t, "expansion", p)
		if lines, _ := upstreamCompileLines(s); len(lines) > 0 {
			t.Errorf("upstream refuses %.60s: %q", rule, lines)
		}
		for _, opts := range [][]cel.Option{nil, {testopt.Reference{}}} {
			_, errs := cel.Compile(n, opts...)
			if len(errs) != 1 || !strings.Contains(errs[0].Detail, "too large") {
				t.Errorf("%.60s: got %v, want the error of a limit", rule, errs)
			}
		}
	}
}

func differentTypeNames(t *testing.T) {
	p := props(t, "{type: object, properties: {s: {type: string}}, x-kubernetes-validations: [{rule: self == 'x'}]}")
	n, s := bothSchemas(t, "type names", p)
	results, err := upstreamcel.Compile(s, model.SchemaDeclType(s, true), celconfig.PerCallLimit, upstreamLanguage(), upstreamcel.StoredExpressionsEnvLoader())
	if err != nil {
		t.Fatal(err)
	}
	_, errs := cel.Compile(n)
	if len(errs) != 1 || !strings.Contains(errs[0].Detail, "'(selfType, string)'") {
		t.Errorf("our errors are %v, want one that names the type selfType", errs)
	}
	theirs := results[0].Error.Detail
	if strings.Contains(theirs, "'(selfType, string)'") || !strings.Contains(upstream.Normal(theirs), "'(selfType, string)'") {
		t.Errorf("upstream says %q, want a type name that ends in a number", theirs)
	}
}

// differentFieldPath has a path that continues below a value without a schema.
func differentFieldPath(t *testing.T) {
	p := props(t, "{type: object, properties: {m: {type: object, additionalProperties: true}}, x-kubernetes-validations: [{rule: 'false', fieldPath: .m.a.b}]}")
	n, s := bothSchemas(t, "field path", p)
	panicked := upstream.Catch(func() upstream.Outcome {
		upstreamcel.NewValidator(s, true, celconfig.PerCallLimit)
		return upstream.Outcome{}
	}).Panic
	if panicked == "" {
		t.Error("upstream does not panic any more")
	}
	program, errs := cel.Compile(n)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := ours(program, &input{obj: map[string]any{}, budget: budget}).errors
	if len(got) != 1 || !strings.Contains(got[0], "failed rule: false") || !strings.Contains(got[0], "<nil>") {
		t.Errorf("our errors are %q, want one at the value itself", got)
	}
	if checked := cel.Check(n); len(checked) != 1 || !strings.Contains(checked[0].Detail, "valid path") {
		t.Errorf("Check says %v, want that the path is not valid", checked)
	}
}

// TestNestedRules has rules below allOf. Upstream's evaluation would run them, but the
// server refuses such a schema, and so does crdkit.
func TestNestedRules(t *testing.T) {
	p := props(t, `
type: object
properties: {s: {type: string}}
allOf: [{x-kubernetes-validations: [{rule: "false", message: nested}]}]
x-kubernetes-validations: [{rule: "true"}]
`)
	s, err := structural(p)
	if err != nil {
		t.Fatal(err)
	}
	if errs := structuralschema.ValidateStructural(nil, s); len(errs) != 1 {
		t.Errorf("upstream has %v against the schema, want that nested rules are forbidden", errs)
	}
	sub := &subject{structural: s, validator: upstreamcel.NewValidator(s, true, celconfig.PerCallLimit)}
	in := &input{obj: map[string]any{}, budget: budget}
	if a := sub.upstream(in); !slices.ContainsFunc(a.errors, func(e string) bool { return strings.Contains(e, "nested") }) {
		t.Errorf("upstream does not run nested rules any more: %q", a.errors)
	}
	n, errs := schema.Compile(p)
	if len(errs) != 1 || n != nil || !strings.Contains(errs[0].Error(), "must be empty to be structural") {
		t.Errorf("Compile = %v, %v, want the error of the server", n, errs)
	}
}

// differentValueText has rules whose error prints a value. Upstream prints a part of the
// object with addresses, and a map of several entries in random order. Some run of upstream
// prints the texts of each rule.
func differentValueText(t *testing.T) {
	repeat := func(key string) string {
		return "[" + key + "].all(k, [1, 2].transformMapEntry(i, v, {k: v}) == {})"
	}
	for rule, want := range map[string]string{
		repeat("self"): "key part of the object already exists",
		repeat("[self.l, self.set, self.set + ['a']]"):                                      "key [part of the object, part of the object, part of the object] already exists",
		repeat("{'b': 2, 'a': 1}"):                                                          "key {a: 1, b: 2} already exists",
		repeat("{'b': dyn({3: 1, 2: 1}), 'a': dyn([self.map])}"):                            "key {a: [part of the object], b: {2: 1, 3: 1}} already exists",
		repeat("self.map + dyn([{'a': 'x', 'b': 'y'}])"):                                    "key part of the object already exists",
		repeat("[{'a': 'x'}, {'b': 'y'}]"):                                                  "key [{a: x}, {b: y}] already exists",
		repeat("'a'"):                                                                       "key a already exists",
		repeat("[]"):                                                                        "key [] already exists",
		repeat("[optional.of(1.5), optional.none()]"):                                       "key [optional(1.5), optional.none()] already exists",
		repeat("{'a': {}}"):                                                                 "key {a: {}} already exists",
		repeat("self.l + self.l"):                                                           "key [x, x] already exists",
		"(dyn(self.l) + dyn([format.uuid()])).join() == ''":                                 "join: invalid input: named format evaluating",
		"'%s'.format([{?'a': dyn(self)}]) == ''":                                            "entry 'a' from non-optional value part of the object evaluating",
		"'%s'.format([{?'b': dyn({'d': 2, 'e': dyn([self]), 'c': 1})}]) == ''":              "entry 'b' from non-optional value {c: 1, d: 2, e: [part of the object]} evaluating",
		"'%s'.format([{'a': 1, ?dyn({'d': 2, 'c': 1}): dyn(1)}]) == ''":                     "entry '{c: 1, d: 2}' from non-optional value 1 evaluating",
		"google.protobuf.Int64Value{?value: dyn({'d': 2, 'c': 1})} == 1":                    "entry 'value' from non-optional value {c: 1, d: 2} evaluating",
		"'%s'.format([[dyn(3), ?dyn({'d': 2, 'c': 3})]]) == ''":                             "element from non-optional value {c: 3, d: 2} evaluating",
		"(dyn(self.l) + dyn([self.map])).join() == ''":                                      "join: invalid input: part of the object evaluating",
		"(dyn(self.l) + dyn([{'b': dyn(1), 'a': dyn({'d': 2, 'c': 1})}])).join(',') == ''":  "join: invalid input: {a: {c: 1, d: 2}, b: 1} evaluating",
		"[dyn(optional.of(3)), dyn([self.l])].unwrapOpt() == [0]":                           "value [part of the object] is not optional evaluating",
		"[dyn(optional.of(3)), dyn('a')].unwrapOpt() == [0]":                                "value a is not optional evaluating",
		"optional.unwrap([dyn(optional.of(3)), dyn({'d': dyn(2), 'c': dyn(self)})]) == [0]": "value {c: part of the object, d: 2} is not optional evaluating",
		"[dyn(optional.of(3)), dyn({'d': dyn(2), 'c': dyn(self)})].unwrapOpt() == [0]":      "value {c: part of the object, d: 2} is not optional evaluating",
		"[dyn('a'), dyn({2: 'b', 1: 'a'})].map(x, x).join() == ''":                          "join: invalid input: {1: a, 2: b} evaluating",
	} {
		s := newSubject(t, "text of a value", props(t, `
type: object
properties:
  l: {type: array, items: {type: string}}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, properties: {a: {type: string}}}}
x-kubernetes-validations: [{rule: "`+rule+`"}]
`), celconfig.PerCallLimit)
		if s == nil {
			continue
		}
		in := &input{obj: map[string]any{"l": []any{"x"}, "set": []any{"x"}, "map": []any{map[string]any{"a": "b"}}}, budget: budget}
		theirs := s.upstream(in)
		for name, program := range map[string]*cel.Program{"fast": s.fast, "reference": s.reference} {
			if a := ours(program, in); !a.equal(theirs) {
				t.Errorf("%s: %s:\n%s", rule, name, a.diff(theirs))
			}
			res := program.Eval(in.context(), in.obj)
			if len(res.Errors) != 1 || !strings.Contains(res.Errors[0].Detail, want) {
				t.Errorf("%s: %s: errors are %v, want %q", rule, name, res.Errors, want)
			}
		}
		found := false
		for range 200 { // upstream folds constants when it compiles a rule
			validator := upstreamcel.NewValidator(s.structural, true, celconfig.PerCallLimit)
			errs, _ := validator.Validate(in.context(), nil, s.structural, in.obj, nil, in.budget)
			found = found || len(errs) == 1 && strings.Contains(withStructs(errs[0].Detail), want)
		}
		if !found {
			errs, _ := s.validator.Validate(in.context(), nil, s.structural, in.obj, nil, in.budget)
			t.Errorf("%s: no run of upstream has %q, one has %v", rule, want, errs)
		}
	}
}
