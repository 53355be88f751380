package cel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestBehaviour runs testdata/behaviour. A file has the sections
//
//	schema.yaml  the schema
//	object.yaml  the object, unless only compiling is tested
//	old.yaml     the object that is replaced, if any
//	budget       cost units for all rules, if not the default
//	per-call     cost units for one call, if not the default
//	stored       present if the schema is already stored
//	compile      errors of compiling
//	errors       errors of the object: type, field, detail, value, JSON Pointer,
//	             schema pointer, index of the rule
//	ratcheted    errors that are forgiven
//	cost         cost units spent
func TestBehaviour(t *testing.T) {
	sections := []string{"schema.yaml", "object.yaml", "old.yaml", "budget", "per-call", "stored", "compile", "errors", "ratcheted", "cost"}
	testkit.RunTxtar(t, "testdata/behaviour/*.txtar", sections, func(t *testing.T, c *testkit.Case) {
		var opts []cel.Option
		if c.Has("per-call") {
			opts = append(opts, cel.PerCallLimit(units(t, c, "per-call")))
		}
		if c.Has("stored") {
			opts = append(opts, celcost.Given{Stored: true})
		}
		n := compileSchema(t, c.Section("schema.yaml"))
		p, errs := cel.Compile(n, opts...)
		c.Want(t, "compile", fieldLines(errs))
		if p == nil {
			return
		}
		reference, _ := cel.Compile(n, append(opts, testopt.Reference{})...)
		var eval []cel.EvalOption
		if c.Has("old.yaml") {
			eval = append(eval, cel.Old(c.Object(t, "old.yaml")))
		}
		if c.Has("budget") {
			eval = append(eval, cel.Budget(units(t, c, "budget")))
		}
		res := p.Eval(context.Background(), c.Object(t, "object.yaml"), eval...)
		c.Want(t, "errors", lines(res.Errors))
		c.Want(t, "ratcheted", lines(res.Ratcheted))
		c.Want(t, "cost", strconv.FormatUint(res.Cost, 10))
		if d := cmp.Diff(resultText(reference.Eval(context.Background(), c.Object(t, "object.yaml"), eval...)), resultText(res)); d != "" {
			t.Errorf("by cel-go alone (-) and as usual (+):\n%s", d)
		}
		for name, opts := range map[string][]cel.Option{"first": opts, "lazy": append(opts, celcost.Given{AtFirstUse: true})} {
			p, _ := cel.Compile(n, opts...)
			for _, got := range atOnce(p, c.Object(t, "object.yaml"), eval) {
				if d := cmp.Diff(resultText(res), got); d != "" {
					t.Errorf("%s: concurrent evaluations (-want +got):\n%s", name, d)
				}
			}
		}
	})
}

// atOnce evaluates a new program in eight goroutines at the same time and
// returns their results.
func atOnce(p *cel.Program, obj map[string]any, opts []cel.EvalOption) []string {
	out := make([]string, 8)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range out {
		wg.Go(func() {
			<-start
			out[i] = resultText(p.Eval(context.Background(), obj, opts...))
		})
	}
	close(start)
	wg.Wait()
	return out
}

func resultText(r cel.Result) string {
	return fmt.Sprintf("%d\n%s\n%s", r.Cost, lines(r.Errors), lines(r.Ratcheted))
}

func units(t *testing.T, c *testkit.Case, section string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimSpace(c.Section(section)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func compileSchema(t testing.TB, text string) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	obj, err := testkit.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func fieldLines(errs field.ErrorList) string {
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintf(&b, "%s | %s | %q | %s\n", e.Type, e.Field, e.Detail, valueText(e.BadValue))
	}
	return b.String()
}

func lines(errs validation.ErrorList) string {
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s | %s | %d\n", e.Type, e.Field, e.Detail, valueText(e.BadValue), e.Pointer, e.SchemaPointer, e.Rule)
	}
	return b.String()
}

func valueText(v any) string {
	if _, ok := v.(field.OmitValueType); ok {
		return "omitted"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(text)
}
