package celtypes

import (
	"regexp"

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

// A validatorScan is the state of one walk. Unknown constructs need validators.
type validatorScan struct {
	language *Language
	tree     *ast.AST
	regexes  map[string]bool // those that were looked at, and whether they compile
	needed   bool
}

// needsNone reports whether a checked tree needs no validators and no trial plan.
// It may return false for a tree that needs none, but not the reverse.
func (x *Checker) needsNone(tree *ast.AST) bool {
	c := validatorScan{language: x.Language, tree: tree, regexes: x.regexes}
	c.visit(tree.Expr())
	return !c.needed
}

// visit scans e. It reports whether cel-go may fold e when it plans the program.
func (c *validatorScan) visit(e ast.Expr) (known bool) {
	if c.needed {
		return false
	}
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.IdentKind:
		return c.name(e)
	case ast.SelectKind:
		if _, ok := c.tree.ReferenceMap()[e.ID()]; ok {
			c.needed = true // a qualified name
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
	default:
		c.needed = true
	}
	return false
}

// name scans a variable or the name of a type.
func (c *validatorScan) name(e ast.Expr) (known bool) {
	r, ok := c.tree.ReferenceMap()[e.ID()]
	switch {
	case !ok || r.Value != nil:
		c.needed = true
	case c.tree.GetType(e.ID()).Kind() == types.TypeKind:
		_, ok := c.language.Builtin.FindIdent(r.Name)
		c.needed = c.needed || !ok
		return true
	}
	return false
}

// list scans a list literal.
func (c *validatorScan) list(l ast.ListExpr) (known bool) {
	c.needed = c.needed || len(l.OptionalIndices()) > 0
	known = true
	var typ *types.Type
	for _, e := range l.Elements() {
		known = c.visit(e) && known
		t := c.tree.GetType(e.ID())
		if typ == nil {
			typ = t
		}
		c.needed = c.needed || t == nil || t != typ && !typ.IsExactType(t)
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
		c.needed = true
		return false
	}
	impl := c.language.planner.implementation(name, r.OverloadIDs)
	switch {
	case !callable(impl, len(args)) || name == "format": // format checks its text
		c.needed = true
	case name == "matches" || name == "find" || name == "findAll":
		for _, arg := range args {
			c.regex(arg)
		}
	case overloads.IsTypeConversionFunction(name):
		c.conversion(impl, args)
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
		c.needed = true
	case ast.IdentKind, ast.SelectKind:
		c.needed = c.needed || c.tree.GetType(e.ID()).Kind() == types.TypeKind
	default:
		c.needed = true
	}
}

// regex scans an argument of a function with a regular expression. A literal must
// be a regular expression, whichever argument it is.
func (c *validatorScan) regex(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		text, ok := e.AsLiteral().(types.String)
		c.needed = c.needed || !ok || !c.compiles(string(text))
	case ast.CallKind:
		c.needed = c.needed || overloads.IsTypeConversionFunction(e.AsCall().FunctionName())
	}
}

func (c *validatorScan) compiles(text string) bool {
	ok, seen := c.regexes[text]
	if !seen {
		_, err := regexp.Compile(text)
		ok = err == nil
		c.regexes[text] = ok
	}
	return ok
}

// conversion scans the conversion of a constant, which must not fail.
func (c *validatorScan) conversion(impl *functions.Overload, args []ast.Expr) {
	if len(args) != 1 {
		c.needed = true
		return
	}
	switch arg := args[0]; arg.Kind() {
	case ast.LiteralKind:
		if impl == nil || impl.Unary == nil || impl.OperandTrait != 0 {
			c.needed = true
			return
		}
		c.needed = c.needed || types.IsUnknownOrError(impl.Unary(arg.AsLiteral()))
	case ast.IdentKind:
		c.needed = c.needed || c.tree.GetType(arg.ID()).Kind() == types.TypeKind
	case ast.ListKind:
		c.needed = true
	case ast.CallKind:
		name := arg.AsCall().FunctionName()
		c.needed = c.needed || name == operators.In || overloads.IsTypeConversionFunction(name)
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
