package celrules

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	testpb "cel.dev/expr/conformance/test"
	"google.golang.org/protobuf/encoding/prototext"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	// The messages in the test files.
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// minExecuted is the least share of the evaluations of conformance tests that end on the
// executor, in percent.
const minExecuted = 99

// A conformanceCase is a test of the specification of CEL as rules: the expression
// itself, its comparison with the expected value, and its comparison with null.
type conformanceCase struct {
	name  string
	props *apiextensionsv1.JSONSchemaProps
	obj   map[string]any
	rules []string
}

// conformanceCases reads the tests of the specification of CEL, module cel.dev/expr,
// which is under the Apache License 2.0. They are data of the module and not copied.
// It leaves out tests with variables that no schema can declare.
func conformanceCases(t testing.TB) (cases []*conformanceCase, left int) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "cel.dev/expr").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "tests/simple/testdata/*.textproto"))
	if err != nil || len(files) == 0 {
		t.Fatal("no conformance tests", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file testpb.SimpleTestFile
		if err := prototext.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, section := range file.Section {
			for _, test := range section.Test {
				c := caseOf(test)
				if c == nil {
					left++
					continue
				}
				c.name = strings.TrimSuffix(filepath.Base(name), ".textproto") + "/" + section.Name + "/" + test.Name
				cases = append(cases, c)
			}
		}
	}
	return cases, left
}

// caseOf returns the case of a test, or nil if no schema can declare its variables.
func caseOf(test *testpb.SimpleTest) *conformanceCase {
	c := &conformanceCase{
		props: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}},
		obj:   map[string]any{},
	}
	expr := test.Expr
	for _, name := range slices.Sorted(maps.Keys(test.Bindings)) {
		value := test.Bindings[name].GetValue()
		props := declared(value)
		if props == nil {
			return nil
		}
		c.props.Properties[name], c.obj[name] = *props, jsonOf(value)
		expr = qualified(expr, name)
	}
	c.rules = []string{expr, "dyn(" + expr + ") != null"}
	if text, ok := literal(test.GetValue()); ok {
		c.rules = append(c.rules, "("+expr+") == "+text)
	}
	return c
}

// compile drops the rules that do not compile, which includes expressions that are
// not conditions.
func (c *conformanceCase) compile(t testing.TB) {
	all := c.rules
	c.rules = nil
	for _, rule := range all {
		c.props.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
		n, errs := schema.Compile(c.props)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", c.name, errs.ToAggregate())
		}
		_, ruleErrs := cel.Compile(n)
		if !slices.ContainsFunc(ruleErrs, func(e *field.Error) bool { return e.Type == field.ErrorTypeInvalid }) {
			c.rules = append(c.rules, rule)
		}
	}
	c.props.XValidations = nil
	for _, rule := range c.rules {
		c.props.XValidations = append(c.props.XValidations, apiextensionsv1.ValidationRule{Rule: rule})
	}
}

// conformanceSubjects compiles the cases for all sides. A case without a rule that
// compiles has no subject.
func conformanceSubjects(t testing.TB, cases []*conformanceCase) []*subject {
	t.Helper()
	subjects := make([]*subject, len(cases))
	parallel(len(cases), func(i int) {
		k := cases[i]
		if k.compile(t); len(k.rules) > 0 {
			n, in := bothSchemas(t, k.name, k.props)
			subjects[i] = subjectOf(t, k.name, n, in, celconfig.PerCallLimit)
		}
	})
	return subjects
}

// TestConformance compares the sides on the tests of the specification of CEL that
// compile as rules, and counts what evaluates them.
func TestConformance(t *testing.T) {
	cases, left := conformanceCases(t)
	c := newTally(t, "conformance", "three sides")
	var compiled, rules int
	var all, fast int64
	subjects := conformanceSubjects(t, cases)
	for i, k := range cases {
		if s := subjects[i]; s != nil {
			ours(s.fast, &input{obj: k.obj, budget: budget})
			compiled++
			rules += len(k.rules)
			c.rules.Add(int64(len(k.rules)))
			all += s.count.All.Load()
			fast += s.count.Fast.Load()
			if *showSlow && s.count.Fast.Load() < s.count.All.Load() {
				fmt.Printf("%s: %s\n", k.name, strings.Join(k.rules, " | "))
			}
		}
	}
	parallel(len(cases), func(i int) {
		if s := subjects[i]; s != nil {
			c.three(s, &input{obj: cases[i].obj, budget: budget}, "as it is", len(cases[i].rules))
		}
	})
	share := 100 * float64(fast) / float64(all)
	fmt.Printf("cel conformance: %d tests, %d with variables that no schema declares, %d compile, %d rules, %d of %d evaluations on the executor (%.1f%%)\n",
		len(cases)+left, left, compiled, rules, fast, all, share)
	c.report()
	reportTimes("cel conformance", subjects, cases)
	if share < minExecuted {
		t.Errorf("%.1f%% of the evaluations end on the executor, want %d%%", share, minExecuted)
	}
}
