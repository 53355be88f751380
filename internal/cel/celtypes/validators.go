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

// needs says what a checked tree needs besides its types.
type needs struct{ validators, plan bool }

var everything = needs{validators: true, plan: true}

// A validatorScan is the state of one walk. Unknown constructs need everything.
type validatorScan struct {
	language *Language
	tree     *ast.AST
	regexes  map[string]bool // those that were looked at, and whether they compile
	needs
}

// needs returns what a checked tree needs. It may return more than that, but not less.
func (x *Checker) needs(tree *ast.AST) needs {
	c := validatorScan{language: x.Language, tree: tree, regexes: x.regexes}
	c.visit(tree.Expr())
	return c.needs
}

// visit scans e. It reports whether cel-go may fold e when it plans the program.
func (c *validatorScan) visit(e ast.Expr) (known bool) {
	if c.needs == everything {
		return false
	}
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.IdentKind:
		return c.name(e)
	case ast.SelectKind:
		if _, ok := c.tree.ReferenceMap()[e.ID()]; ok {
			c.needs = everything // a qualified name
		}
		c.visit(e.AsSelect().Operand())
	case ast.CallKind:
		return c.call(e)
	case ast.ListKind:
		return c.list(e.AsList())
	case ast.ComprehensionKind:
		l := e.AsComprehension()
		c.visit(l.IterRange())
		c.visit(l.AccuInit())
		c.visit(l.LoopCondition())
		c.visit(l.LoopStep())
		c.visit(l.Result())
	case ast.MapKind: // macros make empty ones
		c.require(e.AsMap().Size() > 0)
		return true
	default:
		c.needs = everything
	}
	return false
}

// name scans a variable or the name of a type.
func (c *validatorScan) name(e ast.Expr) (known bool) {
	r, ok := c.tree.ReferenceMap()[e.ID()]
	switch {
	case !ok || r.Value != nil:
		c.needs = everything
	case c.tree.GetType(e.ID()).Kind() == types.TypeKind:
		_, ok := c.language.Builtin.FindIdent(r.Name)
		c.require(!ok)
		return true
	}
	return false
}

// require asks for everything if cond holds.
func (c *validatorScan) require(cond bool) {
	if cond {
		c.needs = everything
	}
}

// list scans a list literal.
func (c *validatorScan) list(l ast.ListExpr) (known bool) {
	c.require(len(l.OptionalIndices()) > 0)
	known = true
	var typ *types.Type
	for _, e := range l.Elements() {
		known = c.visit(e) && known
		typ = c.same(typ, e)
	}
	return known
}

// same compares the type of e with the type of those before it, which is nil for the
// first one. It returns the type of the first one.
func (c *validatorScan) same(first *types.Type, e ast.Expr) *types.Type {
	t := c.tree.GetType(e.ID())
	if first == nil {
		first = t
	}
	c.validators = c.validators || t == nil || t != first && !first.IsExactType(t)
	return first
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
			c.key(arg)
		}
	}
	switch name {
	case operators.LogicalAnd, operators.LogicalOr, operators.Conditional, operators.Equals, operators.NotEquals,
		operators.Index, operators.OptIndex, operators.OptSelect:
		return false
	}
	var r *ast.ReferenceInfo
	if r = c.tree.ReferenceMap()[e.ID()]; r == nil {
		c.needs = everything
		return false
	}
	impl := c.language.planner.implementation(name, r.OverloadIDs)
	switch {
	case !callable(impl, len(args)):
		c.needs = everything
	case name == "format": // a validator checks its text
		c.needs.validators = true
	case name == "matches" || name == "find" || name == "findAll":
		for _, arg := range args {
			c.regex(arg)
		}
	case overloads.IsTypeConversionFunction(name): // cel-go converts constants
		c.require(known)
		return known
	case name == operators.In:
		return known // an empty list
	}
	return false
}

// key scans a constant index, which must have a type that keys have.
func (c *validatorScan) key(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch e.AsLiteral().(type) {
		case types.String, types.Int:
			return
		}
		c.needs = everything
	case ast.IdentKind, ast.SelectKind:
		c.require(c.tree.GetType(e.ID()).Kind() == types.TypeKind)
	default:
		c.needs = everything
	}
}

// regex scans an argument of a function with a regular expression. A literal must
// be a regular expression, whichever argument it is.
func (c *validatorScan) regex(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		text, ok := e.AsLiteral().(types.String)
		c.require(!ok || !compiles(c.regexes, string(text)))
	case ast.CallKind:
		c.require(overloads.IsTypeConversionFunction(e.AsCall().FunctionName()))
	}
}

// compiles reports whether a regular expression compiles. seen has those that were looked
// at.
func compiles(seen map[string]bool, text string) bool {
	ok, known := seen[text]
	if !known {
		_, err := syntax.Parse(text, syntax.Perl) // all that can fail in regexp.Compile
		ok = err == nil
		seen[text] = ok
	}
	return ok
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
