package explanation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/cel/celtrace"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// An Explanation has what the server does not say about an error. It belongs to the caller.
type Explanation struct {
	// Text explains the error in one line. It is never "".
	Text string
	// Decided is the first deciding part of a failed rule, as CEL. It is "" for other errors.
	Decided string
	// Operands are the values on which the failure depends, in order. There are at most 16.
	Operands []Operand
	// Branches says which branches of an anyOf or oneOf admit the value. It is nil for other
	// errors.
	Branches *validation.Branches
	// Suggestion says what to write or do: a name, a value or a short sentence without a period. It
	// may be "".
	Suggestion string
}

// An Operand is a part of a rule and its value.
type Operand struct {
	Expression string // CEL
	// Value is a literal of CEL. [ValueLength] limits its length. It is "" with [WithoutValues].
	Value string
}

// An Explainer explains errors of the objects of one version. It is safe for concurrent use. [New]
// makes an Explainer. The methods of a nil Explainer panic.
type Explainer struct {
	root  *schema.Node
	runes int
}

// New returns an Explainer for a version. It does no work and never returns nil. If v is nil or has
// no schema, no field counts as declared.
func New(v *crdkit.Version, opts ...Option) *Explainer {
	x := &Explainer{runes: configOf(opts).runes}
	if v != nil {
		x.root = v.Schema()
	}
	return x
}

// Error explains an error of a request on obj. If it has nothing to add to the server's text, it
// returns nil without an error.
//
// obj is the object as Create, Update or UpdateStatus left it: pruned and with defaults. CreateJSON
// and other methods on JSON return no object if they refuse the request: decode the text and call
// Create instead. old is the old object of an update, and nil for other requests. Error does not
// change obj or old.
//
// For a rule's error, Error evaluates the rule again with cel-go. It also evaluates the conditions
// of all(), exists() and exists_one() again, for at most 10,000 elements in all. For an error of an
// anyOf or a oneOf, it validates the value again.
//
// Error returns an error if ctx ended, if err does not belong to obj, or if the rule does not fail
// on obj. A nil ctx never ends.
func (x *Explainer) Error(ctx context.Context, err *validation.Error, obj, old *unstructured.Unstructured) (*Explanation, error) {
	if err == nil {
		return nil, errors.New("explanation: the error is nil")
	}
	if obj == nil || obj.Object == nil {
		return nil, errors.New("explanation: the object is nil")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	switch err.Step {
	case validation.StepRules:
		return x.rule(ctx, err, obj, old)
	case validation.StepSchema:
		return x.schemaError(err, obj), nil
	}
	return nil, nil
}

// schemaError explains an error of types and value validations, or returns nil.
func (x *Explainer) schemaError(err *validation.Error, obj *unstructured.Unstructured) *Explanation {
	if b, ok := err.Branches(); ok {
		return x.branches(err, b)
	}
	switch err.Type {
	case field.ErrorTypeNotSupported:
		return x.enum(err)
	case field.ErrorTypeTooMany:
		return x.tooMany(err, obj)
	case field.ErrorTypeTypeInvalid:
		return x.mistyped(err, obj)
	}
	return nil
}

// DefaultValueLength is the number of Unicode characters of a value that an explanation shows.
const DefaultValueLength = 80

// An Option changes what explanations show. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct{ runes int }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// ValueLength sets how many Unicode characters of each value are shown. A longer value ends with
// "…". If n is less than 1, it is [DefaultValueLength].
func ValueLength(n int) Option {
	if n < 1 {
		n = DefaultValueLength
	}
	return optionFunc(func(c *config) { c.runes = n })
}

// WithoutValues leaves out all values of the object, for objects with secrets. Explanations then
// show only names of fields and parts of the definition. Keys of maps count as values, except in
// the paths of fields.
func WithoutValues() Option { return optionFunc(func(c *config) { c.runes = 0 }) }

func configOf(opts []Option) config {
	c := config{runes: DefaultValueLength}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&c)
		}
	}
	return c
}

// Parts of the server's texts about rules that could not run.
const (
	notCompiled = "rule compile error: "
	overBudget  = "running out of cost budget"
	overCall    = "call cost exceeds limit"
)

const costs = "lower maxItems, maxLength or maxProperties of what the rule reads; cel.Estimate and crdkit cost compute bounds that fit"

func (x *Explainer) rule(ctx context.Context, err *validation.Error, obj, old *unstructured.Unstructured) (*Explanation, error) {
	switch {
	case strings.HasPrefix(err.Detail, notCompiled):
		return x.uncompiled(err), nil
	case strings.Contains(err.Detail, overBudget) || strings.Contains(err.Detail, overCall):
		return &Explanation{Text: "the rule costs too much on this object: " + costs, Suggestion: costs}, nil
	case err.Rule < 0:
		return nil, nil
	}
	in, problem := x.input(err, obj, old)
	if problem != nil {
		return nil, problem
	}
	trace, problem := celtrace.Rule(ctx, in)
	if problem != nil {
		return nil, fmt.Errorf("explanation: rule %d at %q: %w", err.Rule, err.SchemaPointer, problem)
	}
	e := &Explanation{Text: trace.Text, Decided: trace.Decided, Suggestion: trace.Suggestion}
	for _, o := range trace.Operands {
		e.Operands = append(e.Operands, Operand(o))
	}
	if e.Suggestion != "" {
		e.Text += "; " + e.Suggestion
	}
	return e, nil
}

var errElsewhere = errors.New("explanation: the error does not belong to the object")

func (x *Explainer) input(err *validation.Error, obj, old *unstructured.Unstructured) (celtrace.Input, error) {
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	if !ok || err.Rule >= len(l.Node.Rules()) {
		return celtrace.Input{}, errElsewhere
	}
	path, ok := schemapath.Value(err.SchemaPointer, err.Pointer)
	if !ok {
		return celtrace.Input{}, errElsewhere
	}
	self, ok := path.Lookup(obj.Object)
	if !ok {
		return celtrace.Input{}, errElsewhere
	}
	in := celtrace.Input{Root: x.root, Path: path, Rule: l.Node.Rules()[err.Rule], Self: self, Runes: x.runes}
	if old != nil && old.Object != nil {
		in.Old = oldValue(x.root, path, obj.Object, old.Object)
	}
	return in, nil
}

// oldValue returns the value in old that corresponds to the value at a path in obj, or nil.
func oldValue(root *schema.Node, path schema.Path, obj, old map[string]any) any {
	pair := correlate.New(root).Pair(obj, old)
	for _, step := range path {
		if i, ok := step.Index(); ok {
			elements := pair.Elements()
			pair = elements.At(i)
			continue
		}
		name, _ := step.Name()
		pair = pair.Key(name)
	}
	if !pair.Correlated() {
		return nil
	}
	return pair.Old
}
