package cel

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/ast"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
)

// doubtful are expressions whose types fit and that are wrong all the same, or
// look like those that are.
var doubtful = []string{
	"duration('1x') == duration('1s')", "duration('') == duration('1s')", "timestamp('x') == timestamp('y')",
	"int('x') == 1", "int(string('x')) == 1", "double('1e') > 1.0", "bool('x')", "uint('-1') == 1u", "int(99999999999999999999.0) == 1",
	"type(dyn(1)) == int", "string(b'\\xff') == ''", "int([1][0]) == 1", "int('1' in []) == 1", "dyn([1]) == [1]",
	"self.s.matches('[')", "self.s.matches(string('['))", "'['.matches(self.s)", "matches('[', self.s)", "matches(self.s, '(')", "'['.matches('[')",
	"self.s.find('[') == ''", "self.s.find(string('[')) == ''", "self.s.findAll('(') == []", "'['.find(self.s) == ''",
	"[1, 'a'] == []", "[1, 1.0] == []", "[[1], ['a']] == []", "[dyn(1), 1] == []", "1 in [?dyn(1)]", "1 in [?optional.of(1)]", "self.s in []", "int(self.s in []) == 1",
	"{'a': 1, 'b': 'c'} == {}", "{'a': 1}['a'] == 1", "{'a': 1}[string('a')] == 1", "dyn({})[null] == 1", "dyn({})[[1]] == 1", "dyn({})[b''] == 1",
	"dyn({})[1.5] == 1", "dyn({})[int] == 1", "dyn({})[duration('1s')] == 1", "dyn([])[?null] == optional.none()", "dyn({})[?b''].hasValue()",
	"'%d'.format(['a']) == 'a'", "'%s'.format(['a']) == 'a'", "type(self.s) == string", "type(self.s) == self.s", "kubernetes.Foo{} == 1",
	"duration(string(duration('1s'))) == duration('1s')", "timestamp(int('1')) == timestamp(1)", "size(string(1)) == 1",
	"google.protobuf.Duration{seconds: 1} == duration('1s')", "google.protobuf.Any{} == null", "google.protobuf.NullValue.NULL_VALUE == 0",
	"optional.of('[').hasValue() && self.s.matches(optional.of('[').value())", "[1, 2].exists(x, [x, '1'] == [])", "self.l.map(x, [x, 1]) == []",
}

// schemaTexts are expressions for the root of a schema.
type schemaTexts struct {
	node  *schema.Node
	texts []string
}

// expressionTexts returns the schemas of the table with texts for their root.
func expressionTexts(t testing.TB) []schemaTexts {
	t.Helper()
	data, err := os.ReadFile("testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Schema json.RawMessage         `json:"schema"`
		Rules  []struct{ Rule string } `json:"rules"`
	}
	if err := yaml.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	var out []schemaTexts
	for _, g := range groups {
		var props apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal(g.Schema, &props); err != nil {
			t.Fatal(err)
		}
		props.Type = "object"
		n, errs := schema.Compile(&props)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		s := schemaTexts{node: n, texts: slices.Clone(doubtful)}
		for _, r := range g.Rules {
			s.texts = append(s.texts, r.Rule)
		}
		out = append(out, s)
	}
	return out
}

// checkCertain holds what is said of one expression against what cel-go does
// with it. It reports whether the expression is certain.
func checkCertain(t *testing.T, x *expressions, s *scope, text string) bool {
	t.Helper()
	tree := x.quick(s, text, false)
	if tree == nil || !x.isCertain(tree) {
		return false
	}
	full, why := x.full(s, text, false)
	if why != "" {
		t.Errorf("%s: is not certain: %s", text, why)
		return true
	}
	if got, want := details(tree), details(full); got != want {
		t.Errorf("%s: types and references are\n%s\nwant\n%s", text, got, want)
	}
	if _, err := x.plan(full); err != nil {
		t.Errorf("%s: is not certain: %v", text, err)
	}
	return true
}

// details returns all that is known of a checked tree, but not where its parts
// are in the text.
func details(tree *ast.AST) string {
	var b strings.Builder
	b.WriteString(printed(tree.Expr()))
	for _, id := range slices.Sorted(maps.Keys(tree.TypeMap())) {
		fmt.Fprintf(&b, "\n%d is %s", id, tree.GetType(id))
	}
	for _, id := range slices.Sorted(maps.Keys(tree.ReferenceMap())) {
		r := tree.ReferenceMap()[id]
		fmt.Fprintf(&b, "\n%d is %q %v %v", id, r.Name, r.OverloadIDs, r.Value)
	}
	return b.String()
}

// TestCertain compares what is certain with what cel-go says, for every version
// of the language that has other validators or functions of its own.
func TestCertain(t *testing.T) {
	for _, minor := range []int{oldestMinor, 29, newestMinor} {
		base, err := language(minor)
		if err != nil {
			t.Fatal(err)
		}
		x := newExpressions(base, DefaultPerCallLimit, false)
		sure, all := 0, 0
		for _, group := range expressionTexts(t) {
			s := x.scope(base.newProvider().typ(selfTypeName, group.node, true))
			for _, text := range group.texts {
				all++
				if checkCertain(t, &x, s, text) {
					sure++
				}
			}
		}
		t.Logf("1.%d: %d of %d are certain", minor, sure, all)
		if sure == 0 || sure == all {
			t.Error("the test shows nothing")
		}
	}
}

// TestValidators fails if a language has a validator that certain knows nothing
// of.
func TestValidators(t *testing.T) {
	known := "[cel.validator.homogeneous_literals cel.validator.duration cel.validator.timestamp cel.validator.matches cel.validator.string_format]"
	for minor := oldestMinor; minor <= newestMinor; minor++ {
		base, err := language(minor)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range base.env.Validators() {
			names = append(names, v.Name())
		}
		if got := fmt.Sprint(names); got != known && got != "[cel.validator.homogeneous_literals]" {
			t.Errorf("1.%d: validators are %s", minor, got)
		}
	}
}

// TestCorpusIsQuick holds the share of the corpus' expressions that go the
// short way, with our parser and without doubt, and compares each with the long
// one.
func TestCorpusIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all rules of the corpus; skipped with -short")
	}
	base, err := language(newestMinor)
	if err != nil {
		t.Fatal(err)
	}
	read, sure := make(map[string]bool), make(map[string]bool)
	x := newExpressions(base, DefaultPerCallLimit, false)
	for _, at := range corpusSites(t) {
		self := base.newProvider().typ(selfTypeName, at.node, at.root)
		if self == nil {
			continue
		}
		s := x.scope(self)
		for _, r := range at.node.Rules() {
			for _, text := range []string{r.Rule, r.MessageExpression} {
				if _, seen := read[text]; !seen && text != "" {
					read[text] = checkParse(t, base, text)
					sure[text] = checkCertain(t, &x, s, text)
				}
			}
		}
	}
	for what, found := range map[string]map[string]bool{"read": read, "certain": sure} {
		n := 0
		for _, ok := range found {
			if ok {
				n++
			}
		}
		t.Logf("%d of %d texts are %s", n, len(found), what)
		if testkit.DefaultCorpus() && share(n, len(found)) < 97 {
			t.Errorf("%.1f%% of the texts are %s, want 97%%", share(n, len(found)), what)
		}
	}
}

// eachRule calls visit for n and all below that have rules.
func eachRule(n *schema.Node, root bool, visit func(n *schema.Node, root bool)) {
	if !hasRules(n) {
		return
	}
	if len(n.Rules()) > 0 {
		visit(n, root || n.EmbeddedResource())
	}
	eachRule(n.Items(), false, visit)
	values, _ := n.AdditionalProperties()
	eachRule(values, false, visit)
	for _, child := range n.Properties() {
		eachRule(child, false, visit)
	}
}
