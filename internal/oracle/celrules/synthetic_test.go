package celrules

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A group is an entry of validation/cel/testdata/rules: a schema, rules that
// are added to it one by one, and objects.
type group struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Objects []objectCase    `json:"objects"`
	Rules   []groupRule     `json:"rules"`
}

// An objectCase is an object and the old object that it replaces, if any.
type objectCase struct {
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
}

// A groupRule is a rule. In YAML it may be only the text of the rule.
type groupRule struct {
	apiextensionsv1.ValidationRule
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *groupRule) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &r.Rule)
	}
	return json.Unmarshal(data, &r.ValidationRule)
}

// A synthetic is a schema with one rule or several, and inputs for it.
type synthetic struct {
	name   string
	props  *apiextensionsv1.JSONSchemaProps
	inputs []*input // without limits
	limit  uint64   // cost limit of a call
	stop   int64    // a second budget to try, 0 for none
	slow   bool     // the inputs run few times and unchanged
}

// synthetics reads the rules and the tables of validation/cel and internal/cel/celeval,
// and adds the generated rules.
func synthetics(t testing.TB) []*synthetic {
	t.Helper()
	var list []*synthetic
	files, err := filepath.Glob("../../../validation/cel/testdata/rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range append(files, "../../cel/celeval/testdata/rules.yaml") {
		var groups []group
		readYAML(t, file, &groups)
		for i := range groups {
			list = append(list, groups[i].synthetics(t)...)
		}
	}
	list = append(list, expressions(t)...)
	list = append(list, behaviours(t)...)
	list = append(list, escaped()...)
	return append(list, huge()...)
}

func readYAML(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func (g *group) synthetics(t testing.TB) []*synthetic {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(g.Schema, &props); err != nil {
		t.Fatalf("%s: %v", g.Name, err)
	}
	props.Type = "object"
	var inputs []*input
	for _, o := range g.Objects {
		inputs = append(inputs, &input{obj: decode(t, o.Object), old: decode(t, o.Old)})
	}
	var list []*synthetic
	for _, r := range g.Rules {
		p := props.DeepCopy()
		p.XValidations = append(p.XValidations, r.ValidationRule)
		list = append(list, &synthetic{name: g.Name + ": " + r.Rule, props: p, inputs: inputs, limit: celconfig.PerCallLimit})
	}
	if len(g.Rules) == 0 {
		list = append(list, &synthetic{name: g.Name, props: &props, inputs: inputs, limit: celconfig.PerCallLimit})
	}
	return list
}

func decode(t testing.TB, data []byte) map[string]any {
	t.Helper()
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	v, err := testkit.DecodeJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// expressions returns the rules of the table of validation/cel.
func expressions(t testing.TB) []*synthetic {
	t.Helper()
	var groups []struct {
		Name           string
		Schema, Object json.RawMessage
		Rules          []struct{ Rule string }
	}
	readYAML(t, "../../../validation/cel/testdata/expressions.yaml", &groups)
	var list []*synthetic
	for _, g := range groups {
		one := group{Name: g.Name, Schema: g.Schema, Objects: []objectCase{{Object: g.Object}, {Object: g.Object, Old: g.Object}}}
		for _, r := range g.Rules {
			one.Rules = append(one.Rules, groupRule{apiextensionsv1.ValidationRule{Rule: r.Rule}})
		}
		list = append(list, one.synthetics(t)...)
	}
	return list
}

// behaviours returns the schemas of the behaviour files of validation/cel.
func behaviours(t testing.TB) []*synthetic {
	t.Helper()
	files, err := filepath.Glob("../../../validation/cel/testdata/behaviour/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no behaviour", err)
	}
	var list []*synthetic
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := &synthetic{name: filepath.Base(file), props: &apiextensionsv1.JSONSchemaProps{}, limit: celconfig.PerCallLimit}
		in := &input{}
		for _, f := range archive.Files {
			s.section(t, in, f)
		}
		if in.obj != nil {
			s.inputs = []*input{in}
		}
		list = append(list, s)
	}
	return list
}

func (s *synthetic) section(t testing.TB, in *input, f txtar.File) {
	t.Helper()
	var err error
	switch f.Name {
	case "schema.yaml":
		err = yaml.Unmarshal(f.Data, s.props)
	case "object.yaml":
		in.obj, err = testkit.Decode(f.Data)
	case "old.yaml":
		in.old, err = testkit.Decode(f.Data)
	case "budget":
		_, err = fmt.Sscan(string(f.Data), &s.stop)
	case "per-call":
		_, err = fmt.Sscan(string(f.Data), &s.limit)
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", s.name, f.Name, err)
	}
}

// reserved are the keywords of CEL, and the names that CEL reserves for the
// languages that embed it.
var reserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while",
}

// escaped returns rules on properties with names that must be escaped or cannot
// be escaped.
func escaped() []*synthetic {
	names := append([]string{"a-b", "a.b", "a/b", "a__b", "a__dash__b", "__x__", "_", "__", "-", ".", "/", "$x", "1a", "a b", "é", "self", "oldSelf", "type", "size", "int", "string", "has", "all", "dyn", "kind", "__if__", "A-1._/", ""}, reserved...)
	var list []*synthetic
	for _, name := range names {
		escape := strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name)
		spelled := []string{name, escape, "__" + name + "__"}
		rules := []string{"self == oldSelf", "has(self.other)"}
		for _, s := range slices.Compact(spelled) {
			rules = append(rules, "has(self."+s+")", "self."+s+" == 'x'", "self.m."+s+" == 'x'", "self."+s+" == oldSelf."+s, "self.l.all(e, e."+s+" != '')", "self.?"+s+".hasValue()", "self.ml == oldSelf.ml")
		}
		text := apiextensionsv1.JSONSchemaProps{Type: "string"}
		object := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{name: text}}
		listMap := "map"
		props := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			name: text, "other": text,
			"m":  {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &text}},
			"l":  {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &object}},
			"ml": {Type: "array", XListType: &listMap, XListMapKeys: []string{name}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &object}},
		}}
		x, y := map[string]any{name: "x"}, map[string]any{name: "y"}
		obj := map[string]any{name: "x", "m": x, "l": []any{x, y}, "ml": []any{x, y}}
		inputs := []*input{{obj: obj}, {obj: obj, old: map[string]any{name: "x", "ml": []any{y, x}}}, {obj: map[string]any{"other": "o", "m": map[string]any{}, "l": []any{map[string]any{name: nil}}}}}
		for _, rule := range rules {
			p := props.DeepCopy()
			p.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
			list = append(list, &synthetic{name: fmt.Sprintf("property %q: %s", name, rule), props: p, inputs: inputs, limit: celconfig.PerCallLimit})
		}
	}
	return list
}

// TestSynthetic compares all sides on synthetic rules, with large budgets, with
// small budgets and with a canceled context.
func TestSynthetic(t *testing.T) {
	list := synthetics(t)
	c := newTally(t, "synthetic", "three sides")
	changes := 6
	if testing.Short() {
		changes = 1
	}
	if *full {
		changes = 80
	}
	parallel(len(list), func(i int) {
		s := list[i]
		sub := newSubject(t, s.name, s.props, s.limit)
		if sub == nil {
			return
		}
		c.rules.Add(int64(rules(sub.node)))
		s.each(changes, func(in *input, what string) {
			c.three(sub, in, what, evaluations(sub.node, in.obj, oldOf(in)))
		})
	})
	c.report()
}

// each visits the objects of s, and n changed objects.
func (s *synthetic) each(n int, visit func(in *input, what string)) {
	rng := source("synthetic", s.name)
	for _, in := range s.inputs {
		visit(&input{obj: in.obj, old: in.old, budget: budget}, "as it is")
		if s.slow {
			visit(&input{obj: in.obj, old: in.old, budget: s.stop}, "with a tight budget")
			visit(&input{obj: in.obj, old: in.old, budget: s.stop, cancel: true}, "cancelled with a tight budget")
			continue
		}
		visit(&input{obj: in.obj, budget: budget}, "created")
		visit(&input{obj: in.obj, old: in.obj, budget: budget}, "unchanged")
		visit(&input{obj: in.obj, old: in.old, budget: budget, cancel: true}, "cancelled")
		visit(&input{obj: in.obj, old: in.old, budget: rng.Int64N(30)}, "with a tight budget")
		if s.stop > 0 {
			visit(&input{obj: in.obj, old: in.old, budget: s.stop}, "with the budget of the file")
		}
	}
	for range n {
		if s.slow {
			return
		}
		if in := s.changed(rng); in != nil {
			visit(in, "changed")
		}
	}
}

// changed returns a changed copy of an input of s.
func (s *synthetic) changed(rng *rand.Rand) *input {
	if len(s.inputs) == 0 {
		return nil
	}
	from := s.inputs[rng.IntN(len(s.inputs))]
	in := &input{obj: harm(rng, from.obj), budget: budget}
	switch rng.IntN(5) {
	case 0:
		in.old = from.old
	case 1:
		in.old = testkit.Clone(in.obj)
	case 2:
		in.old = testkit.Mutate(rng, in.obj)
	case 3:
		in.old = s.inputs[rng.IntN(len(s.inputs))].obj
	}
	return in
}
