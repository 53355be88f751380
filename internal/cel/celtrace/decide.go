package celtrace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

const (
	maxOperands = 16
	maxTerms    = 8 // operands of ||, or fields, in a text
)

// decide says which parts made e true or false, as in "self.a (1) < self.b (0) is false".
func (t *tracer) decide(f frame, e ast.Expr, result bool) string {
	if t.depth++; t.depth > maxDepth {
		return t.atom(f, e, result)
	}
	defer func() { t.depth-- }()
	switch e.Kind() {
	case ast.CallKind:
		switch args := e.AsCall().Args(); e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr:
			return t.terms(f, e, result)
		case operators.LogicalNot:
			if decides(args[0]) {
				return t.decide(f, args[0], !result)
			}
			return t.negated(f, e, result)
		case operators.Conditional:
			return t.branch(f, args, result)
		}
	case ast.ComprehensionKind:
		if m, ok := t.macroOf(e); ok {
			return t.macro(f, m, result)
		}
	}
	return t.atom(f, e, result)
}

func decides(e ast.Expr) bool {
	if e.Kind() != ast.CallKind {
		return e.Kind() == ast.ComprehensionKind
	}
	switch e.AsCall().FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional:
		return true
	}
	return false
}

// terms traces && and ||. A false operand of &&, or a true operand of ||, decides alone. Otherwise
// all operands decide.
func (t *tracer) terms(f frame, e ast.Expr, result bool) string {
	name := e.AsCall().FunctionName()
	all := flatten(nil, e, name)
	stops := name == operators.LogicalOr
	if result == stops {
		for _, term := range all {
			if v, ok := f.known(term); ok && v == types.Bool(stops) {
				return t.decide(f, term, stops)
			}
		}
		return t.atom(f, e, result)
	}
	all = withoutGuards(all, name)
	var clauses []string
	for i, term := range all {
		if i == maxTerms {
			clauses = append(clauses, fmt.Sprintf("%d more", len(all)-i))
			break
		}
		clauses = append(clauses, t.decide(f, term, result))
	}
	return strings.Join(clauses, ", and ")
}

// withoutGuards leaves out terms that only test presence, unless all terms do.
func withoutGuards(terms []ast.Expr, operator string) []ast.Expr {
	rest := slices.DeleteFunc(slices.Clone(terms), func(e ast.Expr) bool {
		if operator == operators.LogicalOr {
			if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.LogicalNot {
				return false
			}
			e = e.AsCall().Args()[0]
		}
		return isGuard(e)
	})
	if len(rest) == 0 {
		return terms
	}
	return rest
}

func isGuard(e ast.Expr) bool {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().IsTestOnly()
	case ast.CallKind:
		return e.AsCall().FunctionName() == "hasValue"
	}
	return false
}

// flatten appends the operands of an operator, from left to right.
func flatten(terms []ast.Expr, e ast.Expr, operator string) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operator {
		return append(terms, e)
	}
	for _, arg := range e.AsCall().Args() {
		terms = flatten(terms, arg, operator)
	}
	return terms
}

func (t *tracer) branch(f frame, args []ast.Expr, result bool) string {
	condition := t.valueOf(f, args[0]) == types.True
	taken := args[2]
	if condition {
		taken = args[1]
	}
	if taken.Kind() == ast.LiteralKind {
		return t.decide(f, args[0], condition)
	}
	text := t.decide(f, taken, result)
	return text + ", since " + t.decide(f, args[0], condition)
}

// A macro is a call of all, exists or exists_one.
type macro struct {
	expr      ast.Expr
	loop      ast.ComprehensionExpr
	name      string
	condition ast.Expr
}

func (t *tracer) macroOf(e ast.Expr) (macro, bool) {
	call, ok := t.plans.Tree.SourceInfo().GetMacroCall(e.ID())
	if !ok || call.Kind() != ast.CallKind {
		return macro{}, false
	}
	m := macro{expr: e, loop: e.AsComprehension(), name: call.AsCall().FunctionName()}
	step := m.loop.LoopStep()
	if step.Kind() != ast.CallKind {
		return macro{}, false
	}
	switch args := step.AsCall().Args(); m.name {
	case "all", "exists":
		m.condition = args[len(args)-1]
	case "exists_one", "existsOne":
		m.condition = args[0]
	default:
		return macro{}, false
	}
	return m, true
}

func (m *macro) variable() string {
	if m.loop.HasIterVar2() {
		return m.loop.IterVar2()
	}
	return m.loop.IterVar()
}

func (t *tracer) macro(f frame, m macro, result bool) string {
	found := t.elements(f, m)
	if !found.complete {
		return t.atom(f, m.expr, result)
	}
	switch {
	case m.name == "all" && !result:
		return t.element(m, found.no)
	case m.name == "exists" && result:
		return t.element(m, found.yes)
	case m.name == "all":
		return t.each(f, m, found, "each")
	case m.name == "exists":
		text := t.each(f, m, found, "no")
		if found.no != nil {
			text += ": " + t.element(m, found.no)
		}
		return text
	}
	return t.one(f, m, found, result)
}

// each returns a clause such as "no e of self.a (3 elements) satisfies e > 1".
func (t *tracer) each(f frame, m macro, found elements, quantity string) string {
	t.decided(m.expr)
	t.operand(t.text(m.loop.IterRange()), t.valueOf(f, m.loop.IterRange()))
	return fmt.Sprintf("%s %s of %s (%s) satisfies %s",
		quantity, m.variable(), t.text(m.loop.IterRange()), counted(found.n), t.text(m.condition))
}

func (t *tracer) one(f frame, m macro, found elements, result bool) string {
	if found.satisfied == 0 {
		return t.each(f, m, found, "no")
	}
	t.decided(m.expr)
	of := t.text(m.loop.IterRange())
	t.operand(of, t.valueOf(f, m.loop.IterRange()))
	verb := "satisfy"
	if result {
		verb = "satisfies"
	}
	return fmt.Sprintf("%d of %s of %s %s %s", found.satisfied, counted(found.n), of, verb, t.text(m.condition))
}

func counted(n int) string {
	if n == 1 {
		return "1 element"
	}
	return strconv.Itoa(n) + " elements"
}

func (t *tracer) element(m macro, at *element) string {
	if at == nil {
		return t.text(m.expr)
	}
	return t.decide(at.frame, m.condition, at.result) + " for " + at.variable + " = " + at.name
}

func (t *tracer) decided(e ast.Expr) {
	if t.first == "" {
		t.first = t.text(e)
	}
}

func isError(v ref.Val) bool { return v == nil || types.IsUnknownOrError(v) }

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

// reason returns the text of an error. A trace without values shows this text only for a missing
// field.
func (t *tracer) reason(part ast.Expr, text string) string {
	if t.runes > 0 || part.Kind() == ast.SelectKind && strings.HasPrefix(text, noSuchKey) {
		return Cut(text, maxText)
	}
	return "it has no value"
}

const noSuchKey = "no such key: "

// guard returns the suggestion to test for a field first.
func (t *tracer) guard(part ast.Expr, why string) string {
	if part.Kind() == ast.SelectKind && strings.HasPrefix(why, noSuchKey) {
		return "test has(" + t.text(part) + ") first"
	}
	return ""
}

// innermost returns the innermost part that ends with an error, and its frame. element is a text
// about the element of the macro around the part.
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

// children returns the parts of e on which its value depends.
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
