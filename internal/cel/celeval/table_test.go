package celeval

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
	"github.com/crdkit/crdkit/schema"
)

// The values of runs, from the fastest to the slowest.
const (
	natively = "natively"
	bridges  = "natively, with functions of cel-go"
	leftover = "by cel-go"
)

// runs says what evaluates a closure. A nil closure is evaluated by cel-go.
func (x *Closure) runs() string {
	switch {
	case x == nil:
		return leftover
	case x.guards:
		return bridges
	}
	return natively
}

// TestTable logs for each function of the language what evaluates it, with the
// fastest rule of validation/cel/testdata/expressions.yaml that calls it. Every function must
// occur in the table, in a rule that a closure evaluates.
func TestTable(t *testing.T) {
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	runs := make(map[string]string) // by rule
	for _, g := range tableGroups(t) {
		for _, r := range g.Rules {
			if x, ok := ruleClosure(t, language, schemaOf(t, g.Schema), r.Rule); ok {
				runs[r.Rule] = x.runs()
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(language.Functions)) {
		if !spelledOut.MatchString(name) || authorization[name] {
			continue
		}
		if name == "in" { // an old name of the operator in
			continue
		}
		best := bestRun(runs, name)
		switch best {
		case "":
			t.Errorf("the table has no rule with %s", name)
		case leftover:
			t.Errorf("all rules with %s are left to cel-go", name)
		}
		t.Logf("%-22s %s", name, best)
	}
}

// spelledOut matches the names of functions that are not operators.
var spelledOut = regexp.MustCompile(`^[a-z][A-Za-z0-9.]*$`)

// authorization are the functions whose receivers do not exist in rules of
// definitions.
var authorization = map[string]bool{
	"allowed": true, "check": true, "errored": true, "error": true, "reason": true, "group": true, "name": true, "namespace": true,
	"path": true, "resource": true, "serviceAccount": true, "subresource": true, "fieldSelector": true, "labelSelector": true,
}

func bestRun(runs map[string]string, function string) string {
	call := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(function) + `\(`)
	best := ""
	for rule, run := range runs {
		if call.MatchString(rule) && (best == "" || slices.Index(byRun, run) < slices.Index(byRun, best)) {
			best = run
		}
	}
	return best
}

var byRun = []string{natively, bridges, leftover}

type tableGroup struct {
	Schema json.RawMessage `json:"schema"`
	Rules  []struct {
		Rule string `json:"rule"`
	} `json:"rules"`
}

func tableGroups(t *testing.T) []tableGroup {
	t.Helper()
	data, err := os.ReadFile("../../../validation/cel/testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var groups []tableGroup
	if err := yaml.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// schemaOf returns the schema of objects with the properties of text.
func schemaOf(t *testing.T, text []byte) *schema.Node {
	t.Helper()
	props := apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(text, &props); err != nil {
		t.Fatal(err)
	}
	props.Type = "object"
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

// ruleClosure compiles a rule. It reports false for a rule that the server
// refuses.
func ruleClosure(t *testing.T, language *celtypes.Language, n *schema.Node, rule string) (x *Closure, ok bool) {
	t.Helper()
	tree, self := checked(language, n, rule, cel.BoolType)
	if tree == nil {
		return nil, false
	}
	x, _ = CompileRule(language, tree, self, false)
	return x, true
}

// checked returns the checked tree of an expression with a result of type want,
// and the type of self. The tree is nil if the expression does not have this
// type.
func checked(language *celtypes.Language, n *schema.Node, text string, want *cel.Type) (*ast.AST, *celvalue.DeclaredType) {
	checker := celtypes.NewChecker(language, math.MaxInt64, false)
	scope := checker.Scope(language.NewProvider().TypeOf(celtypes.SelfType, n, true))
	tree, why := checker.Check(scope, text, false, want, &celtypes.RuleWording)
	if why != "" {
		return nil, nil
	}
	return tree, make(celvalue.Types).Of(n, true)
}

// TestMessages checks what evaluates messageExpressions.
func TestMessages(t *testing.T) {
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	n := schemaOf(t, []byte(`{"properties": {"s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"},
		"w": {"x-kubernetes-int-or-string": true}, "l": {"type": "array", "items": {"type": "string"}}}}`))
	for message, want := range map[string]string{
		"self.s": natively,
		"'s is ' + self.s + ', i is ' + string(self.i)":        natively,
		"string(self.i > 3) + string(self.n) + string(self.w)": natively,
		"has(self.s) ? 'is ' + self.s : 'none'":                natively,
		"self.s.lowerAscii() + string(self.l.size())":          natively,
		"'was ' + oldSelf.s":                                   natively,
		"'%s is %d'.format([self.s, self.i])":                  bridges,
	} {
		tree, self := checked(language, n, message, cel.StringType)
		if tree == nil {
			t.Fatalf("%s does not compile", message)
		}
		x, _ := CompileMessage(language, tree, self)
		if got := x.runs(); got != want {
			t.Errorf("%s runs %s, want %s", message, got, want)
		}
	}
}
