package celtrace

import (
	"context"
	"errors"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
	"github.com/crdkit/crdkit/schema"
)

// limit is the server's cost limit of one evaluation.
const limit = 1_000_000

// An Input is a rule and the values that it failed on.
type Input struct {
	Root *schema.Node
	Path schema.Path // of the value that the rule is on
	Rule schema.Rule
	Self any
	Old  any // nil if there is no old value
	// Runes limits the characters of a value in the text. 0 leaves values out.
	Runes int
}

type Operand struct{ Expression, Value string }

type Trace struct {
	// Text says which parts make the rule fail, with their values.
	Text string
	// Decided is the text of the first of these parts.
	Decided    string
	Operands   []Operand
	Suggestion string // "" if there is none
}

var ErrPasses = errors.New("the rule does not fail on this object")

// Rule evaluates the rule and returns its trace. It returns [ErrPasses] if the rule does not fail,
// and another error if ctx ends or the rule does not compile.
func Rule(ctx context.Context, in Input) (_ *Trace, err error) {
	defer celtypes.Recover(func(p error) { err = p })
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		return nil, err
	}
	node, self := typeAt(language.NewProvider(), in.Root, in.Path)
	if node == nil || self == nil {
		return nil, errors.New("the schema does not declare the value of the rule")
	}
	checker := celtypes.NewChecker(language, limit, true)
	planned, err := checker.NewTracer(checker.Scope(self), in.Rule.Rule, in.Rule.OptionalOldSelf)
	if err != nil {
		return nil, err
	}
	vars, err := variables(node, len(in.Path) == 0, in)
	if err != nil {
		return nil, err
	}
	t := &tracer{ctx: ctx, plans: planned, runes: in.Runes}
	trace := t.root(planned.Tree.Expr(), vars)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if trace == nil {
		return nil, ErrPasses
	}
	return trace, nil
}

func variables(node *schema.Node, root bool, in Input) (interpreter.Activation, error) {
	declared := make(celvalue.Types).Of(node, root)
	vars := map[string]any{celtypes.Self: declared.Value(in.Self)}
	switch {
	case in.Rule.OptionalOldSelf && in.Old == nil:
		vars[celtypes.OldSelf] = types.OptionalNone
	case in.Rule.OptionalOldSelf:
		vars[celtypes.OldSelf] = types.OptionalOf(declared.Value(in.Old))
	case in.Old != nil:
		vars[celtypes.OldSelf] = declared.Value(in.Old)
	}
	return interpreter.NewActivation(vars)
}

// typeAt returns the schema and the type at a path. It starts at the root, where metadata has an
// implied type.
func typeAt(p *celtypes.Provider, root *schema.Node, path schema.Path) (*schema.Node, *celtypes.Type) {
	n, t := root, p.TypeOf(celtypes.SelfType, root, true)
	for _, step := range path {
		name, named := step.Name()
		child := n.Property(name)
		switch {
		case !named:
			n, t = n.Items(), elementOf(t)
		case child != nil:
			n, t = child, fieldOf(p, t, name, child)
		default:
			n, _ = n.AdditionalProperties()
			t = elementOf(t)
		}
		if n == nil {
			return nil, nil
		}
	}
	return n, t
}

func elementOf(t *celtypes.Type) *celtypes.Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

// fieldOf returns the type of a field, even if no rule can spell its name.
func fieldOf(p *celtypes.Provider, t *celtypes.Type, name string, child *schema.Node) *celtypes.Type {
	escaped, ok := apiservercel.Escape(name)
	switch {
	case !ok:
		return p.TypeOf(celtypes.SelfType, child, child.EmbeddedResource())
	case t == nil:
		return nil
	}
	return p.Field(t, escaped)
}
