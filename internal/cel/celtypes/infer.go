package celtypes

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// cel-go infers types in both directions and copies them for each overload. Rules read fields of
// known types. So it is enough to walk the tree bottom-up and to find the one overload that fits.
// cel-go must check an expression that is wrong, or that needs more inference: null, empty lists,
// types as values, qualified names, lists of several types.

// signatures are the overloads of a language, and the first parts of qualified names. They are
// immutable.
type signatures struct {
	overloads map[string][]signature
	roots     map[string]bool
	self      *ast.ReferenceInfo
}

type signature struct {
	id     string
	member bool
	args   []*types.Type
	result *types.Type
	alone  *ast.ReferenceInfo // for a call that no other overload matches
}

func newSignatures(functions map[string]*decls.FunctionDecl) signatures {
	s := signatures{overloads: make(map[string][]signature), roots: map[string]bool{"google": true, "kubernetes": true, "net": true},
		self: ast.NewIdentReference(Self, nil)}
	for name, fn := range functions {
		if root, _, ok := strings.Cut(name, "."); ok {
			s.roots[root] = true
		}
		if fn.IsDeclarationDisabled() {
			continue
		}
		for _, o := range fn.OverloadDecls() {
			s.overloads[name] = append(s.overloads[name], signature{id: o.ID(), member: o.IsMemberFunction(), args: o.ArgTypes(), result: o.ResultType(), alone: ast.NewFunctionReference(o.ID())})
		}
	}
	return s
}

type inference struct {
	*signatures
	scope    *Scope
	optional bool // oldSelf is an optional
	types    map[int64]*types.Type
	refs     map[int64]*ast.ReferenceInfo
	vars     []loopVariable // of the open loops, innermost last
	failed   bool           // cel-go must infer the types
}

type loopVariable struct {
	name string
	typ  *types.Type
	ref  *ast.ReferenceInfo // nil until a node refers to it
}

// typed infers the types of a tree. It returns nil if cel-go must infer them.
func (s *signatures) typed(tree *ast.AST, in *Scope, optional bool) *ast.AST {
	t := inference{signatures: s, scope: in, optional: optional, types: make(map[int64]*types.Type), refs: make(map[int64]*ast.ReferenceInfo)}
	if t.expr(tree.Expr()) == nil {
		return nil
	}
	return ast.NewCheckedAST(tree, t.types, t.refs)
}

// expr returns the type of e, nil if it cannot be inferred.
func (t *inference) expr(e ast.Expr) *types.Type {
	if t.failed {
		return nil
	}
	if known, ok := t.types[e.ID()]; ok {
		return known
	}
	found := t.find(e)
	if t.failed = found == nil; !t.failed {
		t.types[e.ID()] = found
	}
	return found
}

func (t *inference) find(e ast.Expr) *types.Type {
	switch e.Kind() {
	case ast.LiteralKind:
		if v, ok := e.AsLiteral().Type().(*types.Type); ok {
			return v
		}
	case ast.IdentKind:
		return t.name(e)
	case ast.SelectKind:
		return t.field(e)
	case ast.CallKind:
		return t.call(e)
	case ast.ListKind:
		return t.list(e.AsList())
	case ast.ComprehensionKind:
		return t.loop(e.AsComprehension())
	}
	return nil
}

func (t *inference) name(e ast.Expr) *types.Type {
	name := e.AsIdent()
	typ := t.variable(name)
	if typ != nil {
		t.refs[e.ID()] = t.reference(name)
	}
	return typ
}

// reference returns the reference to a variable. All nodes share it.
func (t *inference) reference(name string) *ast.ReferenceInfo {
	for i := len(t.vars) - 1; i >= 0; i-- {
		if v := &t.vars[i]; v.name == name {
			if v.ref == nil {
				v.ref = ast.NewIdentReference(name, nil)
			}
			return v.ref
		}
	}
	if name == Self {
		return t.self
	}
	return ast.NewIdentReference(name, nil)
}

func (t *inference) variable(name string) *types.Type {
	if t.roots[name] {
		return nil
	}
	for i := len(t.vars) - 1; i >= 0; i-- {
		if t.vars[i].name == name {
			return t.vars[i].typ
		}
	}
	switch {
	case name == Self, name == OldSelf && !t.optional:
		return inferable(t.scope.self)
	case name == OldSelf && inferable(t.scope.self) != nil:
		return types.NewOptionalType(t.scope.self)
	}
	return nil
}

func (t *inference) field(e ast.Expr) *types.Type {
	s := e.AsSelect()
	typ, optional := t.member(s.Operand(), s.FieldName())
	switch {
	case typ != nil && s.IsTestOnly():
		return types.BoolType
	case typ != nil && optional:
		return types.NewOptionalType(typ)
	}
	return typ
}

func (t *inference) member(operand ast.Expr, name string) (typ *types.Type, optional bool) {
	of := t.expr(operand)
	if of == nil {
		return nil, false
	}
	if isOptional(of) {
		of, optional = of.Parameters()[0], true
	}
	switch of.Kind() {
	case types.DynKind:
		return of, optional
	case types.MapKind:
		return of.Parameters()[1], optional
	case types.StructKind:
		if f, ok := t.scope.types.FindStructFieldType(of.TypeName(), name); ok {
			return inferable(f.Type), optional
		}
	}
	return nil, false
}

func (t *inference) optionalField(e ast.Expr) *types.Type {
	c := e.AsCall()
	if len(c.Args()) != 2 || c.IsMemberFunction() || c.Args()[1].Kind() != ast.LiteralKind {
		return nil
	}
	name, ok := c.Args()[1].AsLiteral().(types.String)
	if !ok {
		return nil
	}
	typ, _ := t.member(c.Args()[0], string(name))
	if typ == nil {
		return nil
	}
	t.refs[e.ID()] = ast.NewFunctionReference("select_optional_field")
	return types.NewOptionalType(typ)
}

func (t *inference) loop(l ast.ComprehensionExpr) *types.Type {
	if l.IterVar() == unused && l.IterRange().Kind() == ast.ListKind && isEmpty(l.IterRange()) {
		t.types[l.IterRange().ID()] = types.NewListType(types.DynType) // a variable that a macro binds
	}
	over := t.expr(l.IterRange())
	if over == nil {
		return nil
	}
	var vars [2]*types.Type
	switch {
	case over.Kind() == types.ListKind:
		vars = [2]*types.Type{types.IntType, over.Parameters()[0]}
	case over.Kind() == types.MapKind:
		vars = [2]*types.Type{over.Parameters()[0], over.Parameters()[1]}
	case over.Kind() == types.DynKind:
		vars = [2]*types.Type{types.DynType, types.DynType}
	default:
		return nil
	}
	before := len(t.vars)
	defer func() { t.vars = t.vars[:before] }()
	inner := []loopVariable{{name: l.IterVar(), typ: vars[0]}, {name: l.IterVar2(), typ: vars[1]}}
	if l.IterVar2() == "" {
		inner = []loopVariable{{name: l.IterVar(), typ: vars[0]}}
		if over.Kind() == types.ListKind {
			inner[0].typ = vars[1]
		}
	}
	accu := t.accumulator(l, inner)
	if accu == nil {
		return nil
	}
	t.vars = append(t.vars, loopVariable{name: l.AccuVar(), typ: accu})
	outer := len(t.vars)
	t.vars = append(t.vars, inner...)
	if !t.assert(l.LoopCondition(), types.BoolType) || !t.assert(l.LoopStep(), accu) {
		return nil
	}
	t.vars = t.vars[:outer]
	return t.expr(l.Result())
}

func (t *inference) assert(e ast.Expr, want *types.Type) bool {
	is := t.expr(e)
	return is != nil && sameType(is, want)
}

// accumulator returns the type of the accumulator of a loop. If it is empty at first, the loop
// determines its type.
func (t *inference) accumulator(l ast.ComprehensionExpr, inner []loopVariable) *types.Type {
	init := l.AccuInit()
	if !isEmpty(init) {
		return t.expr(init)
	}
	before := len(t.vars)
	t.vars = append(t.vars, inner...)
	typ := t.added(l.LoopStep())
	t.vars = t.vars[:before]
	if typ == nil || (typ.Kind() == types.ListKind) != (init.Kind() == ast.ListKind) {
		return nil
	}
	t.types[init.ID()] = typ
	return typ
}

// added returns the type of the list or map that a loop step adds to the result, or nil.
func (t *inference) added(step ast.Expr) *types.Type {
	if step.Kind() != ast.CallKind {
		return nil
	}
	args := step.AsCall().Args()
	switch name := step.AsCall().FunctionName(); {
	case name == operators.Conditional:
		return t.added(args[1])
	case name == operators.Add && len(args) == 2 && args[1].Kind() == ast.ListKind && args[1].AsList().Size() == 1:
		return t.expr(args[1])
	case name == mapInsert && len(args) == 3:
		return boundedMap(t.expr(args[1]), t.expr(args[2]))
	}
	return nil
}

// Names that macros of cel-go use.
const (
	unused    = "#unused" // variable of a loop that only binds another variable
	mapInsert = "cel.@mapInsert"
)

func isEmpty(e ast.Expr) bool {
	switch e.Kind() {
	case ast.ListKind:
		return e.AsList().Size() == 0
	case ast.MapKind:
		return e.AsMap().Size() == 0
	}
	return false
}

func (t *inference) call(e ast.Expr) *types.Type {
	if e.AsCall().FunctionName() == operators.OptSelect {
		return t.optionalField(e)
	}
	t.qualify(e)
	c := e.AsCall()
	if strings.HasPrefix(c.FunctionName(), ".") {
		return nil
	}
	var few [4]*types.Type
	args := few[:0]
	if c.IsMemberFunction() {
		args = append(args, nil)
	}
	for _, arg := range c.Args() {
		args = append(args, t.expr(arg))
		if t.failed {
			return nil
		}
	}
	if c.IsMemberFunction() {
		if args[0] = t.expr(c.Target()); args[0] == nil {
			return nil
		}
	}
	r, result := t.resolve(e, args)
	if r != nil {
		t.refs[e.ID()] = r
	}
	return result
}

// qualify changes a call of a function with a dot in its name to a call without target, as cel-go
// does.
func (t *inference) qualify(e ast.Expr) {
	c := e.AsCall()
	if !c.IsMemberFunction() || c.Target().Kind() != ast.IdentKind {
		return
	}
	if name := c.Target().AsIdent() + "." + c.FunctionName(); t.overloads[name] != nil {
		e.SetKindCase(ast.NewExprFactory().NewCall(e.ID(), name, c.Args()...))
	}
}

func (t *inference) list(l ast.ListExpr) *types.Type {
	var elem *types.Type
	for i, e := range l.Elements() {
		switch typ := t.expr(e); {
		case typ == nil || i > 0 && !sameType(elem, typ):
			return nil
		default:
			elem = typ
		}
	}
	if elem == nil {
		return nil
	}
	return types.NewListType(elem)
}

// boundedMap returns the type of a map. It returns nil if a type is unknown or too large: {x: x}
// doubles the size.
func boundedMap(key, value *types.Type) *types.Type {
	if key == nil || value == nil || sizeOfType(key)+sizeOfType(value) > maxMapTypes {
		return nil
	}
	return types.NewMapType(key, value)
}

func sizeOfType(t *types.Type) int {
	size := 0
	for _, p := range t.Parameters() {
		size += sizeOfType(p)
	}
	return max(size, 1)
}

// An optionalLiteral is a literal with an optional part. This package evaluates it, because the
// error of cel-go about a part that is not an optional would print the part without a limit.
type optionalLiteral struct {
	interpreter.InterpretableConstructor
	parts []literalPart // in the order in which InitVals has them
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

// optionalLiterals returns, by id, the literals with an optional part whose type is not optional.
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

// optionalLiteral returns the program of a literal: a constant if cel-go would fold it.
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

func (l *optionalLiteral) Eval(vars interpreter.Activation) ref.Val {
	return l.Exec(interpreter.AsFrame(vars))
}

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
