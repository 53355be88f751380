package cellib

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
)

// The macros optMap and optFlatMap copy their target, so a chain of them makes an
// expression whose size is exponential in its length. These limits bound the
// copies.
const (
	maxCopied = 200  // nodes of a target
	maxBefore = 5000 // nodes of an expression before a copy
)

// limitCopies makes the macros of e that copy their target refuse large ones.
func limitCopies(e *cel.Env) (*cel.Env, error) {
	macros := e.Macros()
	for i, m := range macros {
		if name := m.Function(); name == "optMap" || name == "optFlatMap" {
			macros[i] = copying{m}
		}
	}
	e, err := cel.ClearMacros()(e)
	if err != nil {
		return nil, err
	}
	return cel.Macros(macros...)(e)
}

// A copying macro copies its target.
type copying struct{ parser.Macro }

// Expander implements parser.Macro. Nodes are numbered in the order in which they
// are made, and the first argument is the node after the target.
func (m copying) Expander() parser.MacroExpander {
	expand := m.Macro.Expander()
	return func(x parser.ExprHelper, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		if args[0].ID() > maxBefore || nodes(target) > maxCopied {
			return nil, x.NewError(args[0].ID(), fmt.Sprintf("%s() would copy an expression that is too large", m.Function()))
		}
		return expand(x, target, args)
	}
}

// nodes returns the number of nodes of an expression.
func nodes(e ast.Expr) int {
	count := 0
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(ast.Expr) { count++ }))
	return count
}
