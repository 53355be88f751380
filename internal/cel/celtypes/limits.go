package celtypes

import (
	"fmt"

	"github.com/google/cel-go/common/ast"
)

// The checker of cel-go copies all types that it has inferred for each overload
// that it tries, so its work grows with the square of an expression. The type of
// {x: x} is twice as large as that of x, so a chain of loops that make such maps
// has a type whose size is exponential in its length. These limits bound both.
const (
	maxInferred = 1000 // calls, lists, maps and loops of an expression
	maxMapTypes = 100  // scalar types in the type of a map literal
)

// A sizing measures an expression before its types are inferred.
type sizing struct {
	inferred, largest int
	vars              []sizedVariable // of the enclosing loops, innermost last
}

type sizedVariable struct {
	name string
	size int
}

// oversized returns why cel-go must not check an expression, "" if it may.
func oversized(tree *ast.AST) string {
	var s sizing
	switch s.size(tree.Expr()); {
	case s.inferred > maxInferred:
		return fmt.Sprintf("the expression is too large: it has %d calls, lists, maps and loops, and at most %d may have types that cel-go infers", s.inferred, maxInferred)
	case s.largest > maxMapTypes:
		return fmt.Sprintf("the expression is too large: the type of a map in it is made of more than %d types", maxMapTypes)
	}
	return ""
}

// size returns an upper bound of the number of scalar types in the type of an
// expression. Types of schemas count as one.
func (s *sizing) size(e ast.Expr) int {
	switch e.Kind() {
	case ast.IdentKind:
		return s.variable(e.AsIdent())
	case ast.SelectKind:
		return s.size(e.AsSelect().Operand())
	case ast.CallKind:
		s.inferred++
		return s.call(e.AsCall())
	case ast.ListKind:
		s.inferred++
		return s.most(e.AsList().Elements())
	case ast.MapKind:
		s.inferred++
		return s.entries(e.AsMap().Entries())
	case ast.StructKind:
		s.inferred++
		for _, f := range e.AsStruct().Fields() {
			s.size(f.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		s.inferred++
		return s.loop(e.AsComprehension())
	}
	return 1
}

func (s *sizing) variable(name string) int {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			return s.vars[i].size
		}
	}
	return 1
}

// most returns the largest size of several expressions.
func (s *sizing) most(list []ast.Expr) int {
	most := 1
	for _, e := range list {
		most = max(most, s.size(e))
	}
	return most
}

func (s *sizing) call(c ast.CallExpr) int {
	most := 1
	if c.IsMemberFunction() {
		most = s.size(c.Target())
	}
	args := c.Args()
	if c.FunctionName() == "cel.@mapInsert" && len(args) == 3 {
		return max(s.size(args[0]), s.sum(s.size(args[1]), s.size(args[2])))
	}
	return max(most, s.most(args))
}

func (s *sizing) entries(list []ast.EntryExpr) int {
	key, value := 1, 1
	for _, e := range list {
		key, value = max(key, s.size(e.AsMapEntry().Key())), max(value, s.size(e.AsMapEntry().Value()))
	}
	return s.sum(key, value)
}

// sum returns the size of the type of a map. Sizes do not grow beyond the limit.
func (s *sizing) sum(key, value int) int {
	size := min(key+value, maxMapTypes+1)
	s.largest = max(s.largest, size)
	return size
}

func (s *sizing) loop(c ast.ComprehensionExpr) int {
	over, first := s.size(c.IterRange()), s.size(c.AccuInit())
	outer := len(s.vars)
	s.vars = append(s.vars, sizedVariable{c.AccuVar(), first}, sizedVariable{c.IterVar(), over})
	if c.HasIterVar2() {
		s.vars = append(s.vars, sizedVariable{c.IterVar2(), over})
	}
	s.size(c.LoopCondition())
	made := max(first, s.size(c.LoopStep()))
	s.vars = append(s.vars[:outer], sizedVariable{c.AccuVar(), made})
	result := s.size(c.Result())
	s.vars = s.vars[:outer]
	return result
}
