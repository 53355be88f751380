package celrules

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// budget is the cost limit of all rules of an object.
const budget = celconfig.RuntimeCELCostBudget

// A subject is a schema with rules, compiled for each side.
type subject struct {
	name string
	node *schema.Node

	fast, reference *cel.Program
	count           testopt.Evaluations // of fast
	structural      *structuralschema.Structural
	validator       *upstreamcel.Validator
}

// An input is an object and the limits within which rules run on it.
type input struct {
	obj, old map[string]any // old is nil for an object that is created
	budget   int64
	cancel   bool // the context is cancelled from the start
}

// newSubject compiles a schema for all sides and compares the errors of its
// rules. It returns nil if there are no rules to run.
func newSubject(t testing.TB, name string, props *apiextensionsv1.JSONSchemaProps, perCall uint64) *subject {
	t.Helper()
	n, s := bothSchemas(t, name, props)
	compareCompiling(t, name, props, n, s)
	return subjectOf(t, name, n, s, perCall)
}

func bothSchemas(t testing.TB, name string, props *apiextensionsv1.JSONSchemaProps) (*schema.Node, *structuralschema.Structural) {
	t.Helper()
	s, err := structural(props)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", name, errs.ToAggregate())
	}
	return n, s
}

// subjectOf compiles the two forms of a schema. A rule that does not compile is
// an error of every value, as in a server that has stored the rule.
func subjectOf(t testing.TB, name string, n *schema.Node, s *structuralschema.Structural, perCall uint64) *subject {
	t.Helper()
	sub := &subject{name: name, node: n, structural: s, validator: upstreamcel.NewValidator(s, true, perCall)}
	sub.fast, _ = cel.Compile(n, cel.PerCallLimit(perCall), celcost.Given{Stored: true}, &sub.count)
	sub.reference, _ = cel.Compile(n, cel.PerCallLimit(perCall), celcost.Given{Stored: true}, testopt.Reference{})
	if (sub.validator == nil) != (sub.fast == nil) || (sub.validator == nil) != (sub.reference == nil) {
		t.Errorf("%s: has rules to run: upstream %v, fast %v, reference %v", name, sub.validator != nil, sub.fast != nil, sub.reference != nil)
	}
	if sub.validator == nil || sub.fast == nil || sub.reference == nil {
		return nil
	}
	return sub
}

func structural(props *apiextensionsv1.JSONSchemaProps) (*structuralschema.Structural, error) {
	var in apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &in, nil); err != nil {
		return nil, err
	}
	return structuralschema.NewStructural(&in)
}

// An answer is the result of a side, in a comparable form.
type answer struct {
	errors, warnings []string // sorted
	spent            int64    // the whole budget if rules were stopped
}

func (a answer) equal(b answer) bool {
	return a.spent == b.spent && slices.Equal(a.errors, b.errors) && slices.Equal(a.warnings, b.warnings)
}

// diff describes the difference from another answer.
func (a answer) diff(other answer) string {
	var b strings.Builder
	b.WriteString(upstream.Diff(other.errors, a.errors))
	if d := upstream.Diff(other.warnings, a.warnings); d != "" {
		b.WriteString("  warnings\n" + d)
	}
	if a.spent != other.spent {
		fmt.Fprintf(&b, "  spent: -%d +%d\n", other.spent, a.spent)
	}
	return b.String()
}

// warnings collects the warnings of upstream.
type warnings struct{ texts []string }

// AddWarning implements warning.Recorder.
func (w *warnings) AddWarning(_, text string) {
	w.texts = append(w.texts, withoutValues(upstream.Normal(text)))
}

var (
	namedFormat = regexp.MustCompile(`\{\w* 0x[0-9a-f]+ \d+\}`)
	// valueText matches the errors that print a value.
	valueText = regexp.MustCompile(`(?s)(insert failed: key|cannot initialize optional (list element|entry)|join: invalid input:) .*? evaluating |value .*? is not optional evaluating `)
)

// withoutValues returns a text of upstream as ours is with the difference cel/value_text: a
// part of the object and a named format, which upstream prints as Go structs, have texts of
// their own.
func withoutValues(text string) string { return inOrder(withStructs(text)) }

func withStructs(text string) string {
	for at := 0; ; {
		n := strings.Index(text[at:], "&{")
		if n < 0 {
			break
		}
		at += n
		text = text[:at] + "part of the object" + text[at+closing(text[at:]):]
	}
	return namedFormat.ReplaceAllString(text, "named format")
}

// inOrder puts the words of a printed value in order, as upstream prints the entries of maps
// in random order.
func inOrder(text string) string {
	return valueText.ReplaceAllStringFunc(text, func(s string) string {
		words := strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune("{}[](),: ", c) })
		slices.Sort(words)
		return strings.Join(words, " ") + " "
	})
}

// closing returns the end of the text of a struct, which has braces around it.
func closing(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

func (in *input) context() context.Context {
	ctx := context.Background()
	if in.cancel {
		c, cancel := context.WithCancel(ctx)
		cancel()
		ctx = c
	}
	return ctx
}

// upstream returns the answer of upstream. A panic is an answer, too.
func (s *subject) upstream(in *input) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{errors: []string{fmt.Sprint("panic: ", p)}}
		}
	}()
	w := &warnings{}
	ctx := warning.WithWarningRecorder(in.context(), w)
	var opts []upstreamcel.Option
	var old any
	if in.old != nil {
		old = in.old
		opts = append(opts, upstreamcel.WithRatcheting(common.NewCorrelatedObject(in.obj, in.old, &model.Structural{Structural: s.structural})))
	}
	errs, left := s.validator.Validate(ctx, nil, s.structural, in.obj, old, in.budget, opts...)
	return answerOfServer(errs, w, in.budget-max(left, 0))
}

func answerOfServer(errs field.ErrorList, w *warnings, spent int64) answer {
	a := answer{errors: upstream.Lines(errs), warnings: w.texts, spent: spent}
	for i := range a.errors {
		a.errors[i] = withoutValues(a.errors[i])
	}
	slices.Sort(a.errors)
	slices.Sort(a.warnings)
	return a
}

// ours returns the answer of one of our programs. A panic is an answer that upstream never has.
func ours(p *cel.Program, in *input) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{errors: []string{fmt.Sprint("our panic: ", p)}}
		}
	}()
	res := p.Eval(in.context(), in.obj, cel.Old(in.old), cel.Budget(uint64(in.budget)))
	return answerOf(&res)
}

func answerOf(res *cel.Result) answer {
	a := answer{errors: upstream.Lines(res.Errors.Field()), spent: int64(res.Cost)}
	for _, e := range res.Ratcheted {
		a.warnings = append(a.warnings, inOrder(upstream.Normal(e.FieldError().Error())))
	}
	for i, e := range a.errors {
		a.errors[i] = inOrder(e)
	}
	slices.Sort(a.errors)
	slices.Sort(a.warnings)
	return a
}

// evaluations returns a lower bound of the rules that run on an object, unless
// they stop early. It omits rules below a list that mention oldSelf.
func evaluations(n *schema.Node, value, old any) int {
	if n == nil || value == nil || !n.Facts().Has(schema.HasRules) {
		return 0
	}
	count := 0
	for _, r := range n.Rules() {
		if old != nil || !strings.Contains(r.Rule, "oldSelf") {
			count++
		}
	}
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			count += evaluations(n.Items(), e, nil)
		}
	case map[string]any:
		before, _ := old.(map[string]any)
		values, _ := n.AdditionalProperties()
		for name, e := range v {
			count += evaluations(values, e, before[name])
			count += evaluations(n.Property(name), e, before[name])
		}
	}
	return count
}

// rules counts the rules of a schema.
func rules(n *schema.Node) int {
	if n == nil {
		return 0
	}
	count := len(n.Rules()) + rules(n.Items())
	values, _ := n.AdditionalProperties()
	count += rules(values)
	for _, child := range n.Properties() {
		count += rules(child)
	}
	return count
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(b) > 3000 {
		return string(b[:3000]) + "..."
	}
	return string(b)
}
