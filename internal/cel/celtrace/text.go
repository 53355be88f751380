package celtrace

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/parser"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
)

// maxText limits the characters of a part in a text.
const maxText = 200

const maxDifferences = 3

func (t *tracer) text(e ast.Expr) string {
	text, err := parser.Unparse(e, t.plans.Tree.SourceInfo(), parser.WrapOnColumn(1<<30), parser.WrapAfterColumnLimit(false))
	if err != nil {
		return "the expression"
	}
	return Cut(text, maxText)
}

// atom returns a clause about a part that decides by itself.
func (t *tracer) atom(f frame, e ast.Expr, result bool) string {
	t.decided(e)
	text, operands := t.annotated(f, e)
	for _, o := range operands {
		t.operand(t.text(o), t.valueOf(f, o))
	}
	return text + is(result) + t.where(f, e, operands) + t.differences(f, e, result)
}

// differences says where the operands differ if e is == of two objects or lists and is false.
func (t *tracer) differences(f frame, e ast.Expr, result bool) string {
	if result || e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Equals {
		return ""
	}
	args := e.AsCall().Args()
	a, b := t.valueOf(f, args[0]), t.valueOf(f, args[1])
	if a == nil || b == nil || isScalar(a) || isScalar(b) {
		return ""
	}
	var paths []string
	found := jsondiff.Of(a.Value(), b.Value())
	for _, d := range found[:min(len(found), maxDifferences)] {
		if path := d.Path.String(); path != "" {
			paths = append(paths, Cut(path, maxText))
		}
	}
	if len(paths) == 0 {
		return ""
	}
	if more := len(found) - len(paths); more > 0 {
		paths = append(paths, strconv.Itoa(more)+" more")
	}
	return ", which differ at " + strings.Join(paths, ", ")
}

// negated is like atom, for a part with ! before it. The clause keeps the !.
func (t *tracer) negated(f frame, e ast.Expr, result bool) string {
	arg := e.AsCall().Args()[0]
	t.decided(e)
	text, operands := t.annotated(f, arg)
	for _, o := range operands {
		t.operand(t.text(o), t.valueOf(f, o))
	}
	return "!" + text + is(result) + t.where(f, arg, operands)
}

func is(result bool) string {
	if result {
		return " is true"
	}
	return " is false"
}

// annotated returns the text of a part with the values of its operands, and the operands.
func (t *tracer) annotated(f frame, e ast.Expr) (string, []ast.Expr) {
	if e.Kind() != ast.CallKind {
		return t.text(e), nil
	}
	call := e.AsCall()
	args := call.Args()
	if symbol, ok := operators.FindReverseBinaryOperator(call.FunctionName()); ok && len(args) == 2 {
		return t.valued(f, args[0]) + " " + symbol + " " + t.valued(f, args[1]), variable(args)
	}
	if _, ok := operators.FindReverse(call.FunctionName()); ok {
		return t.text(e), nil
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = t.valued(f, arg)
	}
	text := call.FunctionName() + "(" + strings.Join(texts, ", ") + ")"
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
		text = t.valued(f, call.Target()) + "." + text
	}
	return text, variable(args)
}

// valued returns the text of an operand, with its value unless it is a literal.
func (t *tracer) valued(f frame, e ast.Expr) string {
	text := t.text(e)
	if constant(e) || t.runes == 0 {
		return text
	}
	if e.Kind() == ast.CallKind {
		if _, ok := operators.FindReverse(e.AsCall().FunctionName()); ok && e.AsCall().FunctionName() != operators.Index {
			text = "(" + text + ")"
		}
	}
	return text + " (" + valueText(t.valueOf(f, e), t.runes) + ")"
}

// constant reports whether a part consists only of literals.
func constant(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.ListKind:
		return len(variable(e.AsList().Elements())) == 0
	case ast.CallKind:
		return !e.AsCall().IsMemberFunction() && len(variable(e.AsCall().Args())) == 0
	}
	return false
}

func variable(parts []ast.Expr) (out []ast.Expr) {
	for _, e := range parts {
		if !constant(e) {
			out = append(out, e)
		}
	}
	return out
}

// where gives the values of scalar fields that a part reads, if they are not shown as operands.
func (t *tracer) where(f frame, e ast.Expr, shown []ast.Expr) string {
	seen := map[string]bool{}
	for _, s := range shown {
		seen[t.text(s)] = true
	}
	var clauses []string
	for _, field := range fields(nil, e) {
		text := t.text(field)
		if seen[text] {
			continue
		}
		seen[text] = true
		v := t.valueOf(f, field)
		if isError(v) {
			continue
		}
		if t.operand(text, v); t.runes > 0 && isScalar(v) && len(clauses) < maxTerms {
			clauses = append(clauses, text+" is "+valueText(v, t.runes))
		}
	}
	if len(clauses) == 0 {
		return ""
	}
	return ", where " + strings.Join(clauses, " and ")
}

func isScalar(v ref.Val) bool {
	switch v.(type) {
	case traits.Mapper, traits.Lister, types.Bool, *types.Optional:
		return false
	}
	return true
}

// fields appends each path in e that is not part of a longer one, without the bodies of macros.
func fields(out []ast.Expr, e ast.Expr) []ast.Expr {
	if len(out) >= maxOperands {
		return out
	}
	switch e.Kind() {
	case ast.SelectKind:
		if !e.AsSelect().IsTestOnly() && path(e) {
			return append(out, e)
		}
		if e.AsSelect().IsTestOnly() {
			return out
		}
		return fields(out, e.AsSelect().Operand())
	case ast.CallKind:
		if path(e) {
			return append(out, e)
		}
		if e.AsCall().IsMemberFunction() {
			out = fields(out, e.AsCall().Target())
		}
		for _, arg := range e.AsCall().Args() {
			out = fields(out, arg)
		}
	case ast.ListKind:
		for _, x := range e.AsList().Elements() {
			out = fields(out, x)
		}
	case ast.IdentKind:
		return append(out, e)
	case ast.ComprehensionKind:
		return fields(out, e.AsComprehension().IterRange())
	}
	return out
}

// path reports whether e is a variable, or a field or element of a variable.
func path(e ast.Expr) bool {
	switch e.Kind() {
	case ast.IdentKind:
		return true
	case ast.SelectKind:
		return !e.AsSelect().IsTestOnly() && path(e.AsSelect().Operand())
	case ast.CallKind:
		call := e.AsCall()
		return call.FunctionName() == operators.Index && path(call.Args()[0]) && (constant(call.Args()[1]) || path(call.Args()[1]))
	}
	return false
}

// more marks a text that was cut.
const more = "…"

// valueText writes a value as a literal of at most limit characters. A longer literal ends with ….
func valueText(v ref.Val, limit int) string {
	w := &valueWriter{room: limit}
	w.write(v)
	if w.room >= 0 {
		return w.text.String()
	}
	return cut(w.text.String(), limit)
}

// Cut returns text with at most limit characters. If it is longer, the last character is ….
func Cut(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return cut(text, limit)
}

// cut returns the first limit-1 characters of a longer text, and the mark.
func cut(text string, limit int) string {
	end := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end] + more
}

// A valueWriter writes until there is no room, and skips the rest.
type valueWriter struct {
	text strings.Builder
	room int // in characters, negative if something was skipped
}

func (w *valueWriter) add(s string) {
	if w.room >= 0 {
		w.text.WriteString(s)
		w.room -= utf8.RuneCountInString(s)
	}
}

// quote writes a quoted string. It reads no more of the string than fits.
func (w *valueWriter) quote(s string) {
	if w.room < 0 {
		return
	}
	if len(s) > w.room*utf8.UTFMax {
		w.add(strconv.Quote(s[:w.room*utf8.UTFMax]))
		w.room = -1
		return
	}
	w.add(strconv.Quote(s))
}

func (w *valueWriter) write(v ref.Val) {
	switch v := v.(type) {
	case nil:
		w.add("unknown")
	case types.String:
		w.quote(string(v))
	case types.Bytes:
		w.add("b")
		w.quote(string(v))
	case types.Bool:
		w.add(strconv.FormatBool(bool(v)))
	case types.Int:
		w.add(strconv.FormatInt(int64(v), 10))
	case types.Uint:
		w.add(strconv.FormatUint(uint64(v), 10) + "u")
	case types.Double:
		w.add(strconv.FormatFloat(float64(v), 'g', -1, 64))
	case types.Null:
		w.add("null")
	case types.Duration:
		w.add(v.Duration.String())
	case types.Timestamp:
		w.add(v.Time.Format(time.RFC3339Nano))
	case *types.Optional:
		w.optional(v)
	case traits.Mapper:
		w.entries(v)
	case traits.Lister:
		w.list(v)
	case *types.Err:
		w.add(v.Error())
	default:
		w.other(v)
	}
}

func (w *valueWriter) optional(v *types.Optional) {
	if !v.HasValue() {
		w.add("optional.none()")
		return
	}
	w.add("optional.of(")
	w.write(v.GetValue())
	w.add(")")
}

func (w *valueWriter) list(v traits.Lister) {
	w.add("[")
	for i, it := 0, v.Iterator(); w.room >= 0 && it.HasNext() == types.True; i++ {
		if i > 0 {
			w.add(", ")
		}
		w.write(it.Next())
	}
	w.add("]")
}

func (w *valueWriter) entries(v traits.Mapper) {
	w.add("{")
	for i, key := range sortedKeys(v) {
		if w.room < 0 {
			break
		}
		if i > 0 {
			w.add(", ")
		}
		w.write(key)
		w.add(": ")
		value, _ := v.Find(key)
		w.write(value)
	}
	w.add("}")
}

// other writes a value of a library, such as an IP address or a quantity.
func (w *valueWriter) other(v ref.Val) {
	if s, ok := v.Value().(fmt.Stringer); ok {
		w.quote(s.String())
		return
	}
	if text, ok := v.ConvertToType(types.StringType).(types.String); ok {
		w.quote(string(text))
		return
	}
	w.add(v.Type().TypeName())
}

func sortedKeys(m traits.Mapper) (keys []ref.Val) {
	for it := cellib.OrderedMap(m).Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	return keys
}
