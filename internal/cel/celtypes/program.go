package celtypes

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A planner makes programs of checked expressions. It is immutable.
type planner struct {
	env      *cel.Env
	bindings map[string]*functions.Overload // by overload and by function
	types    *apiservercel.DeclTypeProvider
}

func newPlanner(language *cel.Env, provider *apiservercel.DeclTypeProvider) (planner, error) {
	env, err := language.Extend(orderedFunction(), cel.CustomTypeProvider(provider), cel.CustomTypeAdapter(provider))
	if err != nil {
		return planner{}, err
	}
	p := planner{env: env, types: provider, bindings: make(map[string]*functions.Overload)}
	for _, fn := range env.Functions() {
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
	tree := orderLoops(checked)
	return p.env.PlanProgram(tree, append(opts, cel.CustomDecoratorV2(p.guard(optionalLiterals(tree))))...)
}
