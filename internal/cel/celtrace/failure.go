package celtrace

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// failure traces a rule that fails with an error: it finds the innermost part with
// the error.
func (t *tracer) failure(f frame, e ast.Expr, v ref.Val) *Trace {
	part, inner, element := t.innermost(f, e)
	if failed := t.valueOf(inner, part); isError(failed) && failed != nil {
		v = failed
	}
	t.decided(part)
	for _, child := range variable(children(inner, part)) {
		if value := t.valueOf(inner, child); !isError(value) {
			t.operand(t.text(child), value)
		}
	}
	why := "it has no value"
	if err, ok := v.(*types.Err); ok {
		why = t.reason(part, err.Error())
	}
	return &Trace{Text: t.first + ": " + why + element, Decided: t.first, Operands: t.operands, Suggestion: t.guard(part, why)}
}

// reason returns the text of an error, which may have values unless it is about a field.
func (t *tracer) reason(part ast.Expr, text string) string {
	if t.runes > 0 || part.Kind() == ast.SelectKind && strings.HasPrefix(text, noSuchKey) {
		return Cut(text, maxText)
	}
	return "it has no value"
}

const noSuchKey = "no such key: "

// guard returns the advice to test for a field first.
func (t *tracer) guard(part ast.Expr, why string) string {
	if part.Kind() == ast.SelectKind && strings.HasPrefix(why, noSuchKey) {
		return "test has(" + t.text(part) + ") first"
	}
	return ""
}

// innermost returns the innermost part of e with an error, with its frame and a text
// for the element that it is about.
func (t *tracer) innermost(f frame, e ast.Expr) (part ast.Expr, inner frame, element string) {
	if t.depth++; t.depth > maxDepth || t.ctx.Err() != nil {
		return e, f, ""
	}
	defer func() { t.depth-- }()
	if e.Kind() == ast.ComprehensionKind {
		if m, ok := t.macroOf(e); ok && !isError(t.valueOf(f, m.loop.IterRange())) {
			if at := t.elements(f, m).failed; at != nil {
				part, inner, element = t.innermost(at.frame, m.condition)
				return part, inner, " for " + at.variable + " = " + at.name + element
			}
			return e, f, ""
		}
	}
	for _, child := range children(f, e) {
		if isError(t.valueOf(f, child)) {
			return t.innermost(f, child)
		}
	}
	return e, f, ""
}

// children returns the parts of e that its value depends on.
func children(f frame, e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.ComprehensionKind:
		return []ast.Expr{e.AsComprehension().IterRange()}
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		if call.FunctionName() != operators.Conditional {
			return call.Args()
		}
		args := call.Args()
		if v, ok := f.known(args[0]); ok && v == types.False {
			return []ast.Expr{args[0], args[2]}
		}
		return args[:2]
	}
	return nil
}
