package celeval

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

// TestReference evaluates the rules of this package's testdata and of
// validation/cel with their closures and with cel-go. Each rule sees the objects
// of its group, and the same objects with one member missing or of another
// type. Unless a closure declines, the results, errors and costs are the same.
//
// testdata/closures.txt records for each rule what its closure does: why it is
// declined, or for each object of the group a + if the closure answers and a -
// if it declines, followed by the number of changed objects that it answers. So
// a rule that is left to cel-go by mistake is seen.
//
//	go test ./internal/cel/celeval -run TestReference -update
//
// records it anew.
func TestReference(t *testing.T) {
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	var record strings.Builder
	for _, g := range referenceGroups(t) {
		fmt.Fprintf(&record, "%s\n", g.Name)
		for _, r := range g.rules(t) {
			for _, e := range r.expressions() {
				does := "refused by the server"
				if c := newDifferential(t, language, g, r, e); c != nil {
					does = c.run()
				}
				fmt.Fprintf(&record, "  %s: %.70q\n", does, e.text)
			}
		}
	}
	testkit.Recorded(t, "testdata/closures.txt", record.String())
}

// A referenceGroup is an entry of the tables: a schema, objects with the ones
// that they replace, and rules at the root.
type referenceGroup struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Object  json.RawMessage `json:"object"`
	Objects []struct {
		Object json.RawMessage `json:"object"`
		Old    json.RawMessage `json:"old"`
	} `json:"objects"`
	Rules []json.RawMessage `json:"rules"`
}

func referenceGroups(t *testing.T) []referenceGroup {
	t.Helper()
	files, err := filepath.Glob("../../../validation/cel/testdata/rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files of rules: %v", len(files), err)
	}
	var groups []referenceGroup
	for _, file := range append([]string{"testdata/rules.yaml", "../../../validation/cel/testdata/expressions.yaml"}, files...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var some []referenceGroup
		if err := yaml.Unmarshal(data, &some); err != nil {
			t.Fatal(err)
		}
		groups = append(groups, some...)
	}
	return groups
}

// rules returns the rules of a group. An entry is the text of a rule or a rule.
func (g *referenceGroup) rules(t *testing.T) []referenceRule {
	t.Helper()
	out := make([]referenceRule, len(g.Rules))
	for i, data := range g.Rules {
		if json.Unmarshal(data, &out[i].Rule) == nil {
			continue
		}
		if err := json.Unmarshal(data, &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

type referenceRule struct {
	Rule              string `json:"rule"`
	MessageExpression string `json:"messageExpression"`
	OptionalOldSelf   bool   `json:"optionalOldSelf"`
}

// An expression is a rule or a messageExpression.
type expression struct {
	text     string
	message  bool
	optional bool // oldSelf is an optional
}

func (r *referenceRule) expressions() []expression {
	out := []expression{{text: r.Rule, optional: r.OptionalOldSelf}}
	if r.MessageExpression != "" && !r.OptionalOldSelf {
		out = append(out, expression{text: r.MessageExpression, message: true})
	}
	return out
}

// A differential evaluates one expression with its closure and with cel-go.
type differential struct {
	t        *testing.T
	group    referenceGroup
	of       expression
	declared *celvalue.DeclaredType
	closure  *Closure
	declined string
	program  cel.Program
	frame    Frame

	differences int
}

// maxDifferences is how many differences of one expression are reported.
const maxDifferences = 3

// newDifferential compiles an expression. It returns nil for one that the server
// refuses.
func newDifferential(t *testing.T, language *celtypes.Language, g referenceGroup, r referenceRule, e expression) *differential {
	t.Helper()
	n := rootOf(t, g.Schema)
	checker := celtypes.NewChecker(language, math.MaxInt64, false)
	scope := checker.Scope(language.NewProvider().TypeOf(celtypes.SelfType, n, true))
	want, wording := cel.BoolType, &celtypes.RuleWording
	if e.message {
		want, wording = cel.StringType, &celtypes.MessageWording
	}
	tree, why := checker.Check(scope, e.text, e.optional, want, wording)
	if why != "" || celtypes.IsBlank(e.text) {
		return nil
	}
	c := &differential{t: t, group: g, of: e, declared: make(celvalue.Types).Of(n, true)}
	var err error
	if c.program, err = checker.Origin(scope).Program(e.text, e.optional); err != nil {
		t.Fatal(err)
	}
	if e.message {
		c.closure, c.declined = CompileMessage(language, tree, c.declared)
	} else {
		c.closure, c.declined = CompileRule(language, tree, c.declared, e.optional)
	}
	return c
}

func rootOf(t *testing.T, text []byte) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
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

// run compares all evaluations and returns what the closure did.
func (c *differential) run() string {
	if c.closure == nil {
		return "declined, " + c.declined
	}
	marks, answered, all := "", 0, 0
	objects := c.group.Objects
	if c.group.Object != nil {
		objects = append(objects, struct {
			Object json.RawMessage `json:"object"`
			Old    json.RawMessage `json:"old"`
		}{Object: c.group.Object, Old: nil})
	}
	for _, o := range objects {
		old := decoded(c.t, o.Old)
		object := decoded(c.t, o.Object)
		mark := "-"
		if c.agree(object, old) {
			mark = "+"
		}
		marks += mark
		if manyEntries(object) {
			continue // the order of Go maps may decide
		}
		for _, changed := range changes(object, c.of.text) {
			all++
			if c.agree(changed, old) {
				answered++
			}
		}
	}
	return fmt.Sprintf("%s %d/%d", marks, answered, all)
}

func decoded(t *testing.T, text json.RawMessage) any {
	t.Helper()
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	v, err := testkit.DecodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// An ending is what an evaluation came to.
type ending struct {
	result any
	cost   uint64
	err    string
}

// agree compares one evaluation and reports whether the closure answered. A rule
// that visits a Go map may need several tries until both visit it in one order.
func (c *differential) agree(object, old any) (answered bool) {
	c.t.Helper()
	if old == nil && strings.Contains(c.of.text, celtypes.OldSelf) && !c.of.optional {
		return false
	}
	var fast, reference ending
	for range 30 {
		if fast, answered = c.fast(object, old, math.MaxInt64); !answered {
			return false
		}
		if reference = c.reference(object, old); fast == reference {
			break
		}
	}
	if fast != reference {
		c.t.Errorf("%s of %s with %s:\nclosure %+v\ncel-go  %+v", c.of.text, testkit.Encode(object), testkit.Encode(old), fast, reference)
		if c.differences++; c.differences == maxDifferences {
			c.t.FailNow()
		}
		return true
	}
	if fast.cost == 0 || manyEntries(object) {
		return true
	}
	if short, answered := c.fast(object, old, fast.cost-1); answered {
		c.t.Errorf("%s of %s answers %+v with one unit less than it costs", c.of.text, testkit.Encode(object), short)
	}
	return true
}

// fast evaluates the closure. It is not ok if the closure declines.
func (c *differential) fast(object, old any, limit uint64) (e ending, ok bool) {
	f := &c.frame
	f.Self, f.Old, f.Limit = object, old, limit
	result, cost, failed, ok := c.closure.Eval(f)
	switch {
	case !ok:
	case failed != nil:
		e = ending{cost: cost, err: failed.Error()}
	case c.of.message:
		e = ending{result: f.Text, cost: cost}
	default:
		e = ending{result: result, cost: cost}
	}
	f.Release()
	return e, ok
}

// reference evaluates the expression with cel-go.
func (c *differential) reference(object, old any) ending {
	vars := map[string]any{celtypes.Self: c.declared.Value(object)}
	switch {
	case old != nil && c.of.optional:
		vars[celtypes.OldSelf] = types.OptionalOf(c.declared.Value(old))
	case old != nil:
		vars[celtypes.OldSelf] = c.declared.Value(old)
	case c.of.optional:
		vars[celtypes.OldSelf] = types.OptionalNone
	}
	result, details, err := c.program.Eval(vars)
	out := ending{}
	if cost := details.ActualCost(); cost != nil {
		out.cost = *cost
	}
	if err != nil {
		out.err = err.Error()
		return out
	}
	out.result = ref.Val.Value(result)
	return out
}

// changes returns copies of an object in which one member that an expression
// names is missing, null or of another type.
func changes(object any, text string) []any {
	m, ok := object.(map[string]any)
	if !ok {
		return nil
	}
	var out []any
	change := func(edit func(map[string]any)) {
		clone := testkit.Clone(m)
		edit(clone)
		out = append(out, clone)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !strings.Contains(text, name) {
			continue
		}
		change(func(m map[string]any) { delete(m, name) })
		change(func(m map[string]any) { m[name] = nil })
		change(func(m map[string]any) { m[name] = otherType(m[name]) })
		switch v := m[name].(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				change(func(m map[string]any) { delete(m[name].(map[string]any), key) })
				change(func(m map[string]any) { m[name].(map[string]any)[key] = otherType(v[key]) })
			}
		case []any:
			for i := range v {
				change(func(m map[string]any) { m[name].([]any)[i] = nil })
				change(func(m map[string]any) { m[name].([]any)[i] = otherType(v[i]) })
			}
		}
	}
	return out
}

func otherType(v any) any {
	switch v.(type) {
	case string:
		return int64(7)
	case int64, float64:
		return "seven"
	case bool:
		return []any{}
	}
	return true
}

// manyEntries reports whether an object contains one with several entries below
// its root.
func manyEntries(v any) bool {
	m, _ := v.(map[string]any)
	return slices.ContainsFunc(slices.Collect(maps.Values(m)), hasEntries)
}

func hasEntries(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 1 || slices.ContainsFunc(slices.Collect(maps.Values(v)), hasEntries)
	case []any:
		return slices.ContainsFunc(v, hasEntries)
	}
	return false
}
