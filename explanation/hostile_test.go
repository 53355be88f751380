package explanation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/cel/celtrace"
	"github.com/crdkit/crdkit/validation"
)

// maxBytes bounds the text of an explanation of hostile input.
const maxBytes = 20_000

// refusedObject returns a refused object and its errors.
func refusedObject(t *testing.T, v *crdkit.Version, spec any) (*unstructured.Unstructured, validation.ErrorList) {
	t.Helper()
	obj := thing(t, nil, spec)
	res, err := v.Create(t.Context(), obj)
	if err != nil || len(res.Errors) == 0 {
		t.Fatalf("the object is not refused: %v, %v", res, err)
	}
	return obj, res.Errors
}

// explainWithin explains the errors and checks that this is short and takes little
// time. It returns the number of explanations.
func explainWithin(t *testing.T, v *crdkit.Version, obj *unstructured.Unstructured, errs validation.ErrorList, limit time.Duration) int {
	t.Helper()
	x, start, explained := explanation.New(v), time.Now(), 0
	for _, e := range errs {
		why, err := x.Error(t.Context(), e, obj, nil)
		if err != nil {
			t.Fatal(err)
		}
		if why == nil {
			continue
		}
		explained++
		size := len(why.Text) + len(why.Decided) + len(why.Suggestion)
		for _, o := range why.Operands {
			size += len(o.Expression) + len(o.Value)
		}
		if size > maxBytes {
			t.Errorf("an explanation has %d bytes, want at most %d", size, maxBytes)
		}
	}
	if took := time.Since(start); took > limit {
		t.Errorf("the explanations took %v, want at most %v", took, limit)
	}
	return explained
}

func TestLongValues(t *testing.T) {
	v := versionOf(t, definitionOf(t, `
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations:
    - rule: self.text == 'a'
    - rule: self.list.all(x, x != 'b') && false
    - rule: self.map.exists(k, self.map[k] == 'b')
    - rule: self.text + self.text == self.text
    properties:
      text: {type: string}
      list: {type: array, items: {type: string}}
      map: {type: object, additionalProperties: {type: string}}
`))
	list, entries := make([]any, 5_000), map[string]any{}
	for i := range list {
		list[i] = "a"
		entries[strings.Repeat("k", 100)+fmt.Sprint(i)] = "v"
	}
	obj, errs := refusedObject(t, v, map[string]any{"text": strings.Repeat("ü\x01\"", 25_000), "list": list, "map": entries})
	if got := explainWithin(t, v, obj, errs, 30*time.Second); got == 0 {
		t.Errorf("%v: no error has an explanation", errs)
	}
}

func TestManyBranches(t *testing.T) {
	var b strings.Builder
	b.WriteString("type: object\nproperties:\n  spec:\n    type: object\n    oneOf:\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "    - {required: [a%d, b]}\n", i)
	}
	v := versionOf(t, definitionOf(t, b.String()))
	obj, errs := refusedObject(t, v, map[string]any{})
	if got := explainWithin(t, v, obj, errs, 60*time.Second); got != 1 {
		t.Errorf("%d errors have an explanation, want 1", got)
	}
}

func TestManyTerms(t *testing.T) {
	rule := "self.a == 0" + strings.Repeat(" || self.a == 0", 2_000)
	v := versionOf(t, definitionOf(t, `
type: object
properties:
  spec: {type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "`+rule+`"}]}
`))
	obj, errs := refusedObject(t, v, map[string]any{"a": 1})
	if got := explainWithin(t, v, obj, errs, 30*time.Second); got != 1 {
		t.Errorf("%d errors have an explanation, want 1", got)
	}
}

// TestManyElements checks a macro over more elements than the conditions of a trace are
// evaluated for: the text has the macro as a whole.
func TestManyElements(t *testing.T) {
	v := versionOf(t, definitionOf(t, `
type: object
properties:
  spec: {type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, x == 0)"}]}
`))
	list := make([]any, 10_001)
	for i := range list {
		list[i] = 0
	}
	list[10_000] = 1
	obj, errs := refusedObject(t, v, list)
	why, err := explanation.New(v).Error(t.Context(), errs[0], obj, nil)
	if err != nil || why.Text != "self.all(x, x == 0) is false" {
		t.Errorf("%+v, %v", why, err)
	}
	obj, errs = refusedObject(t, v, list[2:])
	why, err = explanation.New(v).Error(t.Context(), errs[0], obj, nil)
	if err != nil || why.Text != "x (1) == 0 is false for x = self[9998]" {
		t.Errorf("%+v, %v", why, err)
	}
}

const oneRule = `
type: object
properties:
  spec: {type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "self.a > 0"}]}
`

func TestErrorsOfExplanations(t *testing.T) {
	v := versionOf(t, definitionOf(t, oneRule))
	obj, errs := refusedObject(t, v, map[string]any{"a": 0})
	x, e := explanation.New(v), errs[0]
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if why, err := x.Error(cancelled, e, obj, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %+v, %v", why, err)
	}
	var none context.Context // a nil context is allowed
	if why, err := x.Error(none, e, obj, nil); err != nil || why == nil {
		t.Errorf("a nil context: %+v, %v", why, err)
	}
	if why, err := x.Error(t.Context(), e, thing(t, nil, map[string]any{"a": 1}), nil); !errors.Is(err, celtrace.ErrPasses) {
		t.Errorf("an object that passes: %+v, %v", why, err)
	}
	for _, obj := range []*unstructured.Unstructured{nil, {}, thing(t, nil, nil)} {
		if why, err := x.Error(t.Context(), e, obj, nil); err == nil {
			t.Errorf("another object: %+v", why)
		}
	}
	for _, at := range [][2]string{{"/x", "/properties/x"}, {"", "/properties/spec"}, {"/spec", "/properties"}, {"/spec/a", "/properties/spec/items"}, {"/spec", ""}} {
		foreign := validation.NewError(&field.Error{Type: field.ErrorTypeInvalid}, validation.StepRules, at[0], at[1])
		foreign.Rule = 0
		if why, err := x.Error(t.Context(), foreign, obj, nil); err == nil {
			t.Errorf("an error at %v: %+v", at, why)
		}
	}
	foreign := validation.NewError(&field.Error{}, validation.StepRules, "/spec", "/properties/spec")
	foreign.Rule = 7
	if why, err := x.Error(t.Context(), foreign, obj, nil); err == nil {
		t.Errorf("an error of another rule: %+v", why)
	}
	if why, err := explanation.New(nil).Error(t.Context(), e, obj, nil); err == nil {
		t.Errorf("without a version: %+v", why)
	}
}

// TestConcurrentExplanations checks that goroutines share an Explainer and get the same
// texts.
func TestConcurrentExplanations(t *testing.T) {
	v := versionOf(t, definitionOf(t, `
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations: [{rule: "self.m.all(k, self.m[k] > 0)"}]
    properties: {m: {type: object, maxProperties: 9, additionalProperties: {type: integer}}}
    oneOf: [{required: [m, n]}, {required: [o]}]
`))
	obj, errs := refusedObject(t, v, map[string]any{"m": map[string]any{"a": 0, "b": 0, "c": 0, "d": 1}})
	x := explanation.New(v)
	texts := make([]string, 8)
	var group sync.WaitGroup
	for i := range texts {
		group.Go(func() {
			for _, e := range errs {
				if why, err := x.Error(context.Background(), e, obj, nil); err == nil && why != nil {
					texts[i] += why.Text + "\n"
				}
			}
		})
	}
	group.Wait()
	for _, text := range texts {
		if text == "" || text != texts[0] {
			t.Errorf("got %q and %q", text, texts[0])
		}
	}
}
