package celtypes

import (
	"regexp/syntax"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// Once the types of an expression match, little can be wrong: a literal that is
// not a duration, timestamp or regular expression, a list of mixed types, a
// constant that cannot be a key. cel-go walks the tree once per validator and
// makes a program to find these. Both take longer than the type check. The walk
// here decides which expressions need neither. All others are checked by the
// reference, which also words the errors.

// A validatorScan is the state of one walk.
type validatorScan struct {
	language *Language
	tree     *ast.AST
	doubtful bool // cel-go has to validate and to plan the expression
}

// isPlain reports whether the validators and the planner of cel-go have nothing to say
// about a tree that has types. It is false for unknown constructs.
func (x *Checker) isPlain(tree *ast.AST) bool {
	c := validatorScan{language: x.Language, tree: tree}
	c.visit(tree.Expr())
	return !c.doubtful
}

// visit scans e. It reports whether cel-go may fold e when it plans the program.
func (c *validatorScan) visit(e ast.Expr) (known bool) {
	if c.doubtful {
		return false
	}
	switch e.Kind() {
	case ast.LiteralKind, ast.MapKind: // macros make empty maps
		return true
	case ast.IdentKind:
	case ast.SelectKind:
		c.visit(e.AsSelect().Operand())
	case ast.CallKind:
		return c.call(e)
	case ast.ListKind:
		return c.list(e.AsList())
	case ast.ComprehensionKind:
		l := e.AsComprehension()
		for _, part := range []ast.Expr{l.IterRange(), l.AccuInit(), l.LoopCondition(), l.LoopStep(), l.Result()} {
			c.visit(part)
		}
	default:
		c.doubtful = true
	}
	return false
}

func (c *validatorScan) doubt(cond bool) { c.doubtful = c.doubtful || cond }

// list scans a list literal.
func (c *validatorScan) list(l ast.ListExpr) (known bool) {
	known = true
	for _, e := range l.Elements() {
		known = c.visit(e) && known
	}
	return known
}

func (c *validatorScan) call(e ast.Expr) (known bool) {
	call := e.AsCall()
	name, args := call.FunctionName(), call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	for i, arg := range args {
		known = c.visit(arg) || known
		if i == 1 && known && (name == operators.Index || name == operators.OptIndex || name == operators.OptSelect) {
			c.doubt(!isKey(arg))
		}
	}
	switch name {
	case operators.LogicalAnd, operators.LogicalOr, operators.Conditional, operators.Equals, operators.NotEquals,
		operators.Index, operators.OptIndex, operators.OptSelect:
		return false
	}
	r := c.tree.ReferenceMap()[e.ID()]
	if r == nil {
		c.doubtful = true
		return false
	}
	impl := c.language.planner.implementation(name, r.OverloadIDs)
	switch {
	case !callable(impl, len(args)), name == "format": // a validator checks the text of format
		c.doubtful = true
	case name == "matches" || name == "find" || name == "findAll":
		for _, arg := range args {
			c.regex(arg)
		}
	case overloads.IsTypeConversionFunction(name) && known: // cel-go converts constants
		c.doubt(args[0].Kind() != ast.LiteralKind || impl == nil || impl.Unary == nil || types.IsError(impl.Unary(args[0].AsLiteral())))
		return true
	case name == operators.In:
		return known // an empty list
	}
	return false
}

// isKey reports whether a constant index has a type that keys have.
func isKey(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	t := e.AsLiteral().Type()
	return t == types.StringType || t == types.IntType
}

// regex scans an argument of a function with a regular expression. A literal must
// be a regular expression, whichever argument it is.
func (c *validatorScan) regex(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		text, ok := e.AsLiteral().(types.String)
		_, err := syntax.Parse(string(text), syntax.Perl) // all that can fail in regexp.Compile
		c.doubt(!ok || err != nil)
	case ast.CallKind:
		c.doubt(overloads.IsTypeConversionFunction(e.AsCall().FunctionName()))
	}
}

// callable reports whether an implementation can be called with n arguments
// without dispatch at run time.
func callable(impl *functions.Overload, n int) bool {
	switch {
	case impl == nil:
		return n > 0
	case n == 0:
		return impl.Function != nil
	case n == 1:
		return impl.Unary != nil || impl.Function != nil
	case n == 2:
		return impl.Binary != nil || impl.Function != nil
	}
	return impl.Function != nil
}
