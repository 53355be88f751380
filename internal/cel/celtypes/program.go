package celtypes

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// A program of cel-go holds a table of all functions of its environment, which is
// larger than the rest of it. So each program gets an environment with only the
// functions that its expression calls.

// A planner makes programs of checked expressions. It is immutable.
type planner struct {
	env       *cel.Env                       // common to all programs
	declared  map[string]*decls.FunctionDecl // functions of env
	functions map[string]*decls.FunctionDecl // all functions of the language
	bindings  map[string]*functions.Overload // by overload and by function
	types     *apiservercel.DeclTypeProvider
}

func newPlanner(language *cel.Env, provider *apiservercel.DeclTypeProvider) (planner, error) {
	env, err := cel.NewCustomEnv(cel.Lib(cellib.Programs()), cel.CustomTypeProvider(provider), cel.CustomTypeAdapter(provider))
	if err != nil {
		return planner{}, err
	}
	p := planner{env: env, declared: env.Functions(), functions: language.Functions(), types: provider, bindings: make(map[string]*functions.Overload)}
	for _, fn := range p.functions {
		bindings, err := fn.Bindings()
		if err != nil {
			return planner{}, err
		}
		for _, b := range bindings {
			p.bindings[b.Operator] = b
		}
	}
	return p, nil
}

// implementation returns the implementation that a program calls for a function,
// given the matching overloads. It is nil if the value of an argument provides
// it.
func (p *planner) implementation(name string, ids []string) *functions.Overload {
	if len(ids) == 1 {
		if b, ok := p.bindings[ids[0]]; ok {
			return b
		}
	}
	return p.bindings[name]
}

// plan returns the program of a checked expression.
func (p *planner) plan(checked *ast.AST, opts ...cel.ProgramOption) (_ cel.Program, err error) {
	defer Recover(func(p error) { err = p })
	tree, calls := orderLoops(checked), p.calls(checked)
	if tree != checked {
		calls = append(calls, orderedFunction())
	}
	env, err := p.env.Extend(cel.FunctionDecls(calls...))
	if err != nil {
		return nil, err
	}
	return env.PlanProgram(tree, append(opts, cel.CustomDecoratorV2(p.guard(optionalLiterals(tree))))...)
}

// calls returns the functions that an expression calls and that p.env lacks.
func (p *planner) calls(checked *ast.AST) []*decls.FunctionDecl {
	var calls []*decls.FunctionDecl
	seen := make(map[string]bool)
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		name := e.AsCall().FunctionName()
		if fn, ok := p.functions[name]; ok && !seen[name] && !p.complete(fn) {
			calls = append(calls, fn)
		}
		seen[name] = true
	}))
	return calls
}

// complete reports whether env has fn with all its overloads.
func (p *planner) complete(fn *decls.FunctionDecl) bool {
	has, ok := p.declared[fn.Name()]
	return ok && len(has.OverloadDecls()) == len(fn.OverloadDecls())
}
