package celtypes

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/debug"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/schema"
)

// schemaTexts holds expressions for the root of a schema.
type schemaTexts struct {
	node  *schema.Node
	texts []string
}

// expressionTexts returns the schemas of the table with texts for their root.
func expressionTexts(t testing.TB) []schemaTexts {
	t.Helper()
	data, err := os.ReadFile("../../../validation/cel/testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// Expressions with right types that cel-go refuses for another reason, and
	// similar ones that it accepts.
	doubtful, err := os.ReadFile("../celsyntax/testdata/doubtful.txt")
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
		s := schemaTexts{node: n, texts: slices.Collect(strings.Lines(string(doubtful)))}
		for _, r := range g.Rules {
			s.texts = append(s.texts, r.Rule)
		}
		out = append(out, s)
	}
	return out
}

// checkNeedsNone checks that an expression that needs no validators has the
// types of the reference and can be planned. It reports whether it needs none.
func checkNeedsNone(t *testing.T, x *Checker, s *Scope, text string) bool {
	t.Helper()
	tree := x.fast(s, text, false)
	if tree == nil || !x.isPlain(tree) {
		return false
	}
	full, why := x.reference(x.Language.Env, s, text, false)
	if why != "" {
		t.Errorf("%s: needs no validators, but %s", text, why)
		return true
	}
	if got, want := details(tree), details(full); got != want {
		t.Errorf("%s: types and references are\n%s\nwant\n%s", text, got, want)
	}
	if _, err := x.plan(full); err != nil {
		t.Errorf("%s: needs no validators, but %v", text, err)
	}
	return true
}

// details returns everything in a checked tree except positions and numbers of nodes.
func details(tree *ast.AST) string {
	var b strings.Builder
	b.WriteString(debug.ToDebugString(tree.Expr()))
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		fmt.Fprintf(&b, "\n%v", tree.GetType(e.ID()))
		if r := tree.ReferenceMap()[e.ID()]; r != nil {
			fmt.Fprintf(&b, " %q %v %v", r.Name, r.OverloadIDs, r.Value)
		}
	}))
	return b.String()
}

// TestNeedsNone checks the expressions that need no validators against cel-go, for each version
// of the language that has other validators or functions of its own.
func TestNeedsNone(t *testing.T) {
	for _, minor := range []int{OldestMinor, 29, NewestMinor} {
		language, err := LanguageOf(minor)
		if err != nil {
			t.Fatal(err)
		}
		x := NewChecker(language, perCallLimit, false)
		sure, all := 0, 0
		for _, group := range expressionTexts(t) {
			s := x.Scope(language.NewProvider().TypeOf(SelfType, group.node, true))
			for _, text := range group.texts {
				all++
				if checkNeedsNone(t, &x, s, text) {
					sure++
				}
			}
		}
		t.Logf("1.%d: %d of %d need no validators", minor, sure, all)
		if sure == 0 || sure == all {
			t.Error("no expression or every expression needs no validators")
		}
	}
}

// TestValidators fails if a language has a validator that needs does not
// know.
func TestValidators(t *testing.T) {
	known := "[cel.validator.homogeneous_literals cel.validator.duration cel.validator.timestamp cel.validator.matches cel.validator.string_format]"
	for minor := OldestMinor; minor <= NewestMinor; minor++ {
		language, err := LanguageOf(minor)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range language.Env.Validators() {
			names = append(names, v.Name())
		}
		if got := fmt.Sprint(names); got != known && got != "[cel.validator.homogeneous_literals]" {
			t.Errorf("1.%d: validators are %s", minor, got)
		}
	}
}

// TestCorpusNeedsNone checks the share of the expressions of the corpus that
// need no validators, and compares each with the reference.
func TestCorpusNeedsNone(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all rules of the corpus; skipped with -short")
	}
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	x := NewChecker(language, perCallLimit, false)
	for _, at := range corpusSites(t) {
		self := language.NewProvider().TypeOf(SelfType, at.node, at.root)
		if self == nil {
			continue
		}
		s := x.Scope(self)
		for _, r := range at.node.Rules() {
			for _, text := range []string{r.Rule, r.MessageExpression} {
				if _, seen := found[text]; !seen && text != "" {
					found[text] = checkNeedsNone(t, &x, s, text)
				}
			}
		}
	}
	n := 0
	for _, ok := range found {
		if ok {
			n++
		}
	}
	t.Logf("%d of %d texts need no validators", n, len(found))
	if share := 100 * float64(n) / float64(len(found)); testkit.DefaultCorpus() && share < 97 {
		t.Errorf("%.1f%% of the texts need no validators, want 97%%", share)
	}
}

// perCallLimit is the cost limit of a call in the server.
const perCallLimit = 1_000_000

// eachRule calls visit for n and all nodes below it that have rules.
func eachRule(n *schema.Node, root bool, visit func(n *schema.Node, root bool)) {
	if !HasRules(n) {
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

// FuzzExpression compares inferred types with those of cel-go's checker, and
// expressions that need no validators with cel-go's validators and planner.
func FuzzExpression(f *testing.F) {
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		f.Fatal(err)
	}
	groups := expressionTexts(f)
	for i, g := range groups {
		for _, text := range g.texts {
			f.Add(i, text)
		}
	}
	fuzz.Run(f, func(t *testing.T, group int, text string) {
		if group < 0 || group >= len(groups) || len(text) > 1000 {
			return
		}
		x := NewChecker(language, perCallLimit, false)
		s := x.Scope(language.NewProvider().TypeOf(SelfType, groups[group].node, true))
		checkTyping(t, &x, s, text)
		checkNeedsNone(t, &x, s, text)
	})
}
