package celtypes

import (
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// A Tracer plans the parts of one checked expression with cel-go, so that their
// values can be observed. It is for one goroutine.
type Tracer struct {
	Tree  *ast.AST // of cel-go, with the calls of macros
	limit uint64
	plans planner
}

// NewTracer parses and checks an expression with cel-go. It returns an error for an
// expression that [Checker.Check] refuses. It is slower than Check: it makes an
// environment of its own, which records the calls of macros.
func (x *Checker) NewTracer(s *Scope, text string, optional bool) (_ *Tracer, err error) {
	defer Recover(func(p error) { err = p })
	env, err := x.Language.Env.Extend(cel.EnableMacroCallTracking())
	if err != nil {
		return nil, err
	}
	tree, why := x.reference(env, s, text, optional)
	if tree == nil {
		return nil, errors.New(readable(why))
	}
	return &Tracer{Tree: tree, limit: x.limit, plans: x.Language.planner}, nil
}

// Plan returns the program of a part of the expression. Its details have the value
// of each part that was evaluated. Variables of macros around the part are variables
// of the program.
func (t *Tracer) Plan(part ast.Expr) (cel.Program, error) {
	tree := ast.NewCheckedAST(ast.NewAST(part, t.Tree.SourceInfo()), t.Tree.TypeMap(), t.Tree.ReferenceMap())
	return t.plans.plan(tree, cel.CostLimit(t.limit), cel.EvalOptions(cel.OptTrackState), cel.InterruptCheckFrequency(100))
}
