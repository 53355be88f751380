package explanation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/cel/celtrace"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// What the details of rules contain that could not run.
const (
	notCompiled = "rule compile error: "
	overBudget  = "running out of cost budget"
	overCall    = "call cost exceeds limit"
)

// costs is the suggestion for rules that cost too much.
const costs = "lower maxItems, maxLength or maxProperties of what the rule reads; cel.Estimate and crdkit cost compute bounds that fit"

// rule explains an error of a rule.
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

// input returns the rule of an error and its values.
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

// oldValue returns the old value that corresponds to the value at a path, nil if there
// is none.
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
