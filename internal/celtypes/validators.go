package celtypes

import (
	"regexp"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// Expressions that are right for certain.
//
// Once the types of an expression are known to fit there is little left that
// can be wrong with it: a literal that is no duration, no timestamp or no
// regular expression, a list of mixed types, a constant that no key can be.
// cel-go finds these by going over the tree once for each of its validators,
// and by making a program. Both take longer than the check of types, and are
// in vain for nearly all expressions. So one look at the tree says which are
// right for certain. All others, those that are wrong among them, go the long
// way, which says what is wrong in cel-go's words.

// validatorScan looks at one tree. What it has no word for is doubtful.
type validatorScan struct {
	base    *Language
	tree    *ast.AST
	regexes map[string]bool // those that were looked at, and whether they compile
	needed  bool
}

// needsNone reports whether the validators have nothing against a checked tree
// and a program can be made of it. It may be wrong only by saying no.
func (x *Checker) needsNone(tree *ast.AST) bool {
	c := validatorScan{base: x.Language, tree: tree, regexes: x.regexes}
	c.visit(tree.Expr())
	return !c.needed
}

// visit goes over e. It reports whether cel-go may know the value of e when it
// makes the program.
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

// name looks at a variable or the name of a type.
func (c *validatorScan) name(e ast.Expr) (known bool) {
	r, ok := c.tree.ReferenceMap()[e.ID()]
	switch {
	case !ok || r.Value != nil:
		c.needed = true
	case c.tree.GetType(e.ID()).Kind() == types.TypeKind:
		_, ok := c.base.Builtin.FindIdent(r.Name)
		c.needed = c.needed || !ok
		return true
	}
	return false
}

// list looks at a literal of a list.
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
	impl := c.base.planner.implementation(name, r.OverloadIDs)
	switch {
	case !callable(impl, len(args)) || name == "format": // whose text is looked at
		c.needed = true
	case name == "matches" || name == "find" || name == "findAll":
		for _, arg := range args {
			c.regex(arg)
		}
	case overloads.IsTypeConversionFunction(name):
		c.conversion(impl, args)
		return known
	case name == operators.In:
		return known // in an empty list
	}
	return false
}

// key looks at what may be a constant index. It has to be of a type that keys
// have.
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

// regex looks at an argument of a function with a regular expression, which
// must be one if it is a literal, even if it is the other argument.
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

// conversion looks at the conversion of a constant, which must not fail.
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

// callable reports whether an implementation can be called with n arguments,
// none being left for when the values are known.
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
