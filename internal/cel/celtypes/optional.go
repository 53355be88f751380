package celtypes

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// An optionalLiteral is a list, map or message of which a part is optional. If that part has
// a value that is no optional, the error prints it. So the literal is evaluated here.
type optionalLiteral struct {
	interpreter.InterpretableConstructor
	parts []literalPart // those that InitVals evaluates
	of    ast.Expr
	types *apiservercel.DeclTypeProvider
}

// A literalPart is an element, a key, or the value of a key or field.
type literalPart struct {
	value    ast.Expr
	field    string
	key      bool
	optional bool
}

func partsOf(e ast.Expr) (parts []literalPart) {
	switch e.Kind() {
	case ast.ListKind:
		for i, element := range e.AsList().Elements() {
			parts = append(parts, literalPart{value: element, optional: e.AsList().IsOptional(int32(i))})
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			parts = append(parts, literalPart{value: m.Key(), key: true}, literalPart{value: m.Value(), optional: m.IsOptional()})
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			f := field.AsStructField()
			parts = append(parts, literalPart{value: f.Value(), field: f.Name(), optional: f.IsOptional()})
		}
	}
	return parts
}

// optionalLiterals returns the literals with an optional part that may have a value that is
// no optional, by their ids.
func optionalLiterals(tree *ast.AST) map[int64]ast.Expr {
	found := make(map[int64]ast.Expr)
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		for _, p := range partsOf(e) {
			if p.optional && !isOptional(tree.GetType(p.value.ID())) {
				found[e.ID()] = e
			}
		}
	}))
	return found
}

// optionalLiteral returns what evaluates a literal, a constant if cel-go would fold it.
func (p *planner) optionalLiteral(c interpreter.InterpretableConstructor, of ast.Expr) interpreter.InterpretableV2 {
	l := &optionalLiteral{InterpretableConstructor: c, parts: partsOf(of), of: of, types: p.types}
	if of.Kind() == ast.StructKind {
		return l
	}
	for _, v := range l.InitVals() {
		if _, ok := v.(interpreter.InterpretableConst); !ok {
			return l
		}
	}
	return interpreter.NewConstValue(l.ID(), l.Eval(interpreter.EmptyActivation()))
}

// Eval implements interpreter.Interpretable.
func (l *optionalLiteral) Eval(vars interpreter.Activation) ref.Val {
	return l.Exec(interpreter.AsFrame(vars))
}

// Exec evaluates the literal as cel-go does.
func (l *optionalLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	var key ref.Val
	elements, entries, fields := []ref.Val{}, map[ref.Val]ref.Val{}, map[string]ref.Val{}
	for i, node := range l.InitVals() {
		p, v := l.parts[i], node.Exec(frame)
		if types.IsUnknownOrError(v) {
			return v
		}
		if p.key {
			key = v
			continue
		}
		if p.field != "" {
			key = types.String(p.field)
		}
		present := true
		if p.optional {
			o, ok := v.(*types.Optional)
			if !ok {
				return types.LabelErrNode(l.ID(), cellib.NotOptional(key, v))
			}
			if present = o.HasValue(); present {
				v = o.GetValue()
			}
		}
		switch {
		case l.of.Kind() == ast.ListKind && present:
			elements = append(elements, v)
		case l.of.Kind() == ast.MapKind && present:
			entries[key] = v
		case l.of.Kind() == ast.MapKind:
			delete(entries, key)
		case present:
			fields[p.field] = v
		default:
			delete(fields, p.field)
		}
	}
	switch l.of.Kind() {
	case ast.ListKind:
		return types.NewRefValList(l.types, elements)
	case ast.MapKind:
		return types.NewRefValMap(l.types, entries)
	}
	return types.LabelErrNode(l.ID(), l.types.NewValue(strings.TrimPrefix(l.of.AsStruct().TypeName(), "."), fields))
}
