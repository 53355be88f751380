package celrules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestConformanceOfFields compares the sides on the conformance tests with fields of
// the object in the place of literals. No side can know the results of such rules from
// their text. The flag -full runs all of them.
func TestConformanceOfFields(t *testing.T) {
	all, _ := conformanceCases(t)
	var cases []*conformanceCase
	for i, k := range all {
		if *full || i%16 == 0 {
			cases = append(cases, withFields(t, k))
		}
	}
	c := newTally(t, "conformance of fields", "three sides")
	subjects := conformanceSubjects(t, cases)
	var evaluations, executed int64
	for i, s := range subjects {
		if s == nil {
			continue
		}
		ours(s.fast, &input{obj: cases[i].obj, budget: budget})
		evaluations += s.count.All.Load()
		executed += s.count.Fast.Load()
		if *showSlow && s.count.Fast.Load() < s.count.All.Load() {
			fmt.Printf("%s: %s\n", cases[i].name, strings.Join(cases[i].rules, " | "))
		}
	}
	parallel(len(cases), func(i int) {
		if s := subjects[i]; s != nil {
			c.rules.Add(int64(len(cases[i].rules)))
			c.three(s, &input{obj: cases[i].obj, budget: budget}, "as it is", len(cases[i].rules))
		}
	})
	c.report()
	fmt.Printf("cel conformance of fields: %d of %d evaluations on the executor\n", executed, evaluations)
	if 100*executed < minExecuted*evaluations {
		t.Errorf("%d of %d evaluations end on the executor, want %d%%", executed, evaluations, minExecuted)
	}
	if *full {
		reportTimes("cel conformance of fields", subjects, cases)
	}
}

// withFields returns a case whose rules read the fields of the object instead of
// literals. Rules that
// cannot be spelled without macros are left out.
func withFields(t testing.TB, k *conformanceCase) *conformanceCase {
	t.Helper()
	out := &conformanceCase{name: k.name, props: k.props, obj: k.obj}
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range k.rules {
		tree, errs := p.Parse(common.NewTextSource(rule))
		if len(errs.GetErrors()) > 0 || strings.Contains(rule, ".?") { // the name after ? is a literal
			continue
		}
		ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(out.replace))
		if text, err := parser.Unparse(tree.Expr(), tree.SourceInfo()); err == nil {
			out.rules = append(out.rules, text)
		}
	}
	return out
}

// replace replaces a literal that is a value of a schema by a field.
func (k *conformanceCase) replace(e ast.Expr) {
	if e.Kind() != ast.LiteralKind {
		return
	}
	var kind string
	switch e.AsLiteral().(type) {
	case types.String:
		kind = "string"
	case types.Int:
		kind = "integer"
	case types.Double:
		kind = "number"
	case types.Bool:
		kind = "boolean"
	default:
		return
	}
	name := fmt.Sprint("literal", len(k.obj))
	k.props.Properties[name] = apiextensionsv1.JSONSchemaProps{Type: kind}
	k.obj[name] = e.AsLiteral().Value()
	factory := ast.NewExprFactory()
	e.SetKindCase(factory.NewSelect(e.ID(), factory.NewIdent(e.ID(), "self"), name))
}
