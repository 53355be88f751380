package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// An operation is a measured task of both sides.
type operation struct {
	name, does string
	// mean and least are floors of the ratio: of the geometric mean over the cases, and
	// of each case. 0 is no floor.
	mean, least float64
	// prepare returns nil for a case to which the operation does not apply.
	prepare func(c *testCase) (*pair, error)
	// whole replaces prepare: it measures and prints by itself. Its arguments are the
	// operation, the directory of the corpus and the number of turns.
	whole func(o operation, dir string, set settings) error
	// more returns cases that only this operation has; nil for none.
	more func(dir string) ([]*testCase, error)
}

var operations = []operation{
	{name: "prune", does: "remove unknown fields from a map", mean: 4, least: 1, prepare: prepareMutating(func(c *testCase) (func(map[string]any), func(map[string]any)) {
		p := pruning.New(c.ours.Schema())
		return c.up.Prune, func(obj map[string]any) { p.Prune(obj) }
	}, false)},
	{name: "report", does: "remove unknown fields and tell their paths", mean: 3, least: 1, prepare: prepareMutating(func(c *testCase) (func(map[string]any), func(map[string]any)) {
		p := pruning.New(c.ours.Schema())
		return func(obj map[string]any) { c.up.Report(obj) }, func(obj map[string]any) { p.PruneAndReport(obj) }
	}, false)},
	{name: "nulls", does: "drop nulls", mean: 4.5, least: 1, prepare: prepareMutating(func(c *testCase) (func(map[string]any), func(map[string]any)) {
		d := defaulting.New(c.ours.Schema())
		return c.up.DropNulls, func(obj map[string]any) { d.DropNulls(obj) }
	}, false)},
	{name: "default", does: "set defaults", mean: 12, least: 1, prepare: prepareMutating(func(c *testCase) (func(map[string]any), func(map[string]any)) {
		d := defaulting.New(c.ours.Schema())
		return c.up.Default, func(obj map[string]any) { d.Default(obj) }
	}, true)},
	{name: "validate", does: "validate a valid object: values, list types, embedded resources", mean: 75, least: 1, prepare: prepareValidate},
	{name: "invalid", does: "validate an invalid object, all errors", mean: 18, least: 1, prepare: prepareInvalid},
	{name: "json-suite", does: "validate the values of the JSON Schema Test Suite, drafts 4 and 7, all errors", mean: 1, least: 1, whole: compareSuite},
	{name: "update", does: "validate an update with ratcheting", mean: 80, least: 1, prepare: prepareUpdate},
	{name: "bytes", does: "the whole of Create without rules, bytes to stored bytes, appended to a buffer", mean: 50, least: 1, prepare: prepareBytes()},
	{name: "request", does: "the whole of Create, bytes to stored bytes, rules included", mean: 48, least: 1, prepare: prepareRequest},
	{name: "request-spelled", does: "the same of texts that encoders of other languages write", mean: 10, least: 1, prepare: prepareSpelled, more: spelledCases},
	{name: "projects", does: "the whole of Create of real samples, bytes to stored bytes, by project, each many times", mean: 50, least: 1, whole: compareProjects},
	{name: "projects-turn", does: "the same, one sample after another", least: 1, whole: compareTurn},
	{name: "refuse", does: "the same of an object that is not valid, bytes to all errors", mean: 8, least: 1, prepare: prepareRefuse},
	{name: "replace", does: "the whole of Update, new and old bytes to stored bytes, rules included", mean: 20, least: 1, prepare: prepareReplace(false, false)},
	{name: "replace-kept", does: "the same of an object with one wrong value that does not change", mean: 6, least: 1, prepare: prepareReplace(true, false)},
	{name: "replace-many", does: "the same of an object with many wrong values that do not change", mean: 6, least: 1, prepare: prepareReplaceMany},
	{name: "replace-rules", does: "replace of real samples with transition rules", mean: 6, least: 1, prepare: prepareReplaceRules},
	{name: "replace-report", does: "replace, and say what is changed", mean: 6, least: 1, prepare: prepareReplace(false, true)},
	{name: "status", does: "the whole of UpdateStatus, new and old bytes to stored bytes, rules included", mean: 12, least: 1, prepare: prepareReplaceStatus},
	{name: "patch-json", does: "the whole of a JSON patch that changes a label", mean: 12, least: 1, prepare: preparePatch(types.JSONPatchType)},
	{name: "patch-merge", does: "the same with a merge patch", mean: 12, least: 1, prepare: preparePatch(types.MergePatchType)},
	{name: "apply-noop", does: "the whole of an apply that changes nothing", mean: 4, least: 1, prepare: prepareApply("deployer", changeNothing, http.StatusOK)},
	{name: "apply-change", does: "the whole of an apply that changes a label", mean: 4, least: 1, prepare: prepareApply("deployer", changeLabel, http.StatusOK)},
	{name: "apply-conflict", does: "the whole of an apply that changes a field of another manager", mean: 2, least: 1, prepare: prepareApply("other", changeFirst, http.StatusConflict)},
	{name: "cel-eval", does: "evaluate the rules of an object", mean: 45, least: 1, prepare: prepareEval(false), more: ruleShapes},
	{name: "cel-update", does: "evaluate the rules of an update", mean: 55, least: 1, prepare: prepareEval(true), more: ruleShapes},
	{name: "cel-forms", does: "evaluate messages, functions of libraries and rules of unusual forms", mean: 20, least: 1, whole: compareForms},
	{name: "cel-compile", does: "compile the rules of a version", mean: 12, least: 1, prepare: prepareCompileRules},
	{name: "cel-refused", does: "compile rules that are refused", mean: 1, least: 1, whole: compareRules(true)},
	{name: "cel-unusual", does: "compile rules of unusual forms", mean: 1, least: 1, whole: compareRules(false)},
	{name: "compile", does: "everything of a definition, ready to serve", mean: 10, least: 1, prepare: prepareCompile},
	{name: "compile-create", does: "the same, and the first object created from its bytes", least: 1, prepare: prepareCompileCreate},
	{name: "check", does: "the whole of Check on a definition", mean: 8, least: 1, whole: compareCheck},
	{name: "check-small", does: "the same of the smallest definitions without rules", mean: 5, least: 1, whole: compareCheckSmall},
	{name: "check-refused", does: "the same of definitions whose rules are all refused", mean: 1, least: 1, whole: compareCheckRefused},
	{name: "texts", does: "all definitions of the corpus from YAML: read, checked, ready to serve", mean: 9, least: 1, whole: compareTexts},
	{name: "convert", does: "convert a list of 50 objects with the strategy None", mean: 80, least: 1, prepare: prepareConvert},
	{name: "convert-webhook", does: "convert a list of 500 objects with a webhook on the loopback", mean: 2, least: 1, prepare: prepareWebhook},
}

var errDiffer = errors.New("the two sides differ")

// weigh estimates the memory size of an object.
func weigh(obj map[string]any) int { return 6 * len(testkit.Encode(obj)) }

func prepareMutating(sides func(*testCase) (up, ours func(map[string]any)), defaults bool) func(*testCase) (*pair, error) {
	return func(c *testCase) (*pair, error) {
		if c.rules || c.unknown && defaults {
			return nil, nil
		}
		up, ours := sides(c)
		a, b := testkit.Clone(c.object), testkit.Clone(c.object)
		up(a)
		ours(b)
		if !bytes.Equal(testkit.Encode(a), testkit.Encode(b)) {
			return nil, errDiffer
		}
		return &pair{
			upstream:      func(in any) { up(in.(map[string]any)) },
			ours:          func(in any) { ours(in.(map[string]any)) },
			fresh:         func() any { return testkit.Clone(c.object) },
			size:          weigh(c.object),
			idle:          defaults && !c.ours.Schema().Facts().Has(schema.HasDefaults),
			yardstick:     func(in any) { runtime.KeepAlive(visit(in)) },
			yardstickName: "bare range",
		}, nil
	}
}

// visit does nothing with every value of an object.
func visit(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, value := range v {
			n += visit(value)
		}
	case []any:
		for _, value := range v {
			n += visit(value)
		}
	}
	return n
}

func prepareValidate(c *testCase) (*pair, error) {
	if c.rules || c.unknown {
		return nil, nil
	}
	v := validation.New(c.ours.Schema())
	if len(c.up.Schema(c.stored)) > 0 || !v.Valid(c.stored) {
		return nil, errDiffer
	}
	return &pair{
		upstream:      func(any) { c.up.Schema(c.stored) },
		ours:          func(any) { v.Valid(c.stored) },
		yardstick:     santhosh(c),
		yardstickName: "santhosh-tekuri/jsonschema",
	}, nil
}

func prepareInvalid(c *testCase) (*pair, error) {
	if c.rules || c.unknown {
		return nil, nil
	}
	v := validation.New(c.ours.Schema())
	broken := damage(c.stored, 12)
	errs := c.up.Schema(broken)
	if len(errs) == 0 || !upstream.SameErrors(errs, v.Validate(broken).Field()) {
		return nil, errDiffer
	}
	return &pair{
		upstream: func(any) { c.up.Schema(broken) },
		ours:     func(any) { v.Validate(broken) },
		note:     fmt.Sprintf("%d errors", len(errs)),
	}, nil
}

func prepareUpdate(c *testCase) (*pair, error) {
	if c.rules || c.unknown {
		return nil, nil
	}
	v := validation.New(c.ours.Schema())
	old := testkit.Clone(c.stored)
	old["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	if len(c.up.SchemaUpdate(c.stored, old)) > 0 || len(v.ValidateUpdate(c.stored, old).Errors) > 0 {
		return nil, errDiffer
	}
	return &pair{
		upstream: func(any) { c.up.SchemaUpdate(c.stored, old) },
		ours:     func(any) { v.ValidateUpdate(c.stored, old) },
	}, nil
}

func prepareRequest(c *testCase) (*pair, error) {
	if c.rules {
		return nil, nil
	}
	return createPair(c, testkit.Encode(c.object))
}

// createPair is the whole of Create on both sides.
func createPair(c *testCase, raw []byte) (*pair, error) {
	ctx := context.Background()
	up := func() []byte {
		out := c.up.Create(upstream.Body{Data: raw, Fields: "Warn"})
		stored, err := json.Marshal(out.Object)
		if err != nil || len(out.Errors) > 0 {
			return nil
		}
		return stored
	}
	ours := func() []byte {
		stored, _, err := c.ours.CreateJSON(ctx, raw, crdkit.Warn)
		if err != nil {
			return nil
		}
		return stored
	}
	if a, b := up(), ours(); a == nil || !bytes.Equal(a, b) {
		return nil, errDiffer
	}
	return &pair{
		upstream:      func(any) { up() },
		ours:          func(any) { ours() },
		yardstick:     func(any) { json.Valid(raw) },
		yardstickName: "json.Valid",
	}, nil
}

func prepareEval(update bool) func(*testCase) (*pair, error) {
	return func(c *testCase) (*pair, error) {
		if c.all != nil {
			return prepareAll(c.all, update)
		}
		if c.unknown || !c.up.HasRules() {
			return nil, nil
		}
		program, errs := cel.Compile(c.ours.Schema())
		if len(errs) > 0 {
			return nil, errs.ToAggregate()
		}
		var old map[string]any
		if update {
			old = testkit.Clone(c.stored)
		}
		ctx := context.Background()
		theirs, mine := c.up.Rules(c.stored, old), program.Eval(ctx, c.stored, cel.Old(old))
		if theirs.Cost != int64(mine.Cost) || !upstream.SameErrors(theirs.Errors, mine.Errors.Field()) {
			return nil, errDiffer
		}
		if theirs.Cost == 0 {
			return nil, nil
		}
		p := &pair{
			upstream: func(any) { c.up.Rules(c.stored, old) },
			ours:     func(any) { program.Eval(ctx, c.stored, cel.Old(old)) },
			note:     fmt.Sprintf("%d cost units", theirs.Cost),
		}
		if c.hand != nil {
			if c.hand(c.stored, old) != (len(theirs.Errors) == 0) {
				return nil, errDiffer
			}
			p.yardstick, p.yardstickName = func(any) { c.hand(c.stored, old) }, "hand-written Go"
		}
		return p, nil
	}
}

// ruleShapes returns the cases that are only for the evaluation of rules.
func ruleShapes(dir string) ([]*testCase, error) {
	cases, err := shapeCases()
	if err != nil {
		return nil, err
	}
	return append(cases, corpusCases(dir)...), nil
}

func prepareCompileRules(c *testCase) (*pair, error) {
	if c.unknown || !c.up.HasRules() || c.rules {
		return nil, nil
	}
	n := c.ours.Schema()
	var failed field.ErrorList
	p := &pair{
		upstream: func(any) { c.up.CompileRules() },
		ours:     func(any) { _, failed = cel.Compile(n) },
	}
	theirs := kept(func() any { return c.up.CompileRules() })
	mine := kept(func() any { program, _ := cel.Compile(n); return program })
	p.note = fmt.Sprintf("kept: upstream %d KiB, ours %d KiB", theirs>>10, mine>>10)
	return p, failed.ToAggregate()
}

// kept returns the size of the memory that the result of f holds.
func kept(f func() any) int {
	f() // initializes shared values
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	result := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(result)
	return max(0, int(after.HeapAlloc)-int(before.HeapAlloc))
}

const listed = 50

func prepareConvert(c *testCase) (*pair, error) {
	if c.unknown || c.rules || len(c.up.Definition.Versions) < 2 {
		return nil, nil
	}
	target := ""
	for _, v := range c.up.Definition.Versions {
		if v.Name != c.up.Name {
			target = v.Name
		}
	}
	def := c.ours.Definition()
	list := func() any {
		objs := make([]*unstructured.Unstructured, listed)
		for i := range objs {
			objs[i] = &unstructured.Unstructured{Object: testkit.Clone(c.stored)}
		}
		return objs
	}
	a, errA := c.up.Convert(list().([]*unstructured.Unstructured), target)
	b, errB := def.Convert(context.Background(), list().([]*unstructured.Unstructured), target)
	if errA != nil || errB != nil || len(a) != len(b) || !bytes.Equal(testkit.Encode(a[0].Object), testkit.Encode(b[0].Object)) {
		return nil, fmt.Errorf("%w: %v, %v", errDiffer, errA, errB)
	}
	return &pair{
		upstream: func(in any) { _, _ = c.up.Convert(in.([]*unstructured.Unstructured), target) },
		ours:     func(in any) { _, _ = def.Convert(context.Background(), in.([]*unstructured.Unstructured), target) },
		fresh:    list,
		size:     listed * weigh(c.stored),
	}, nil
}
