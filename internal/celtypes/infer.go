package celtypes

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// The checker of cel-go infers types in both directions, and copies all inferred
// types for each overload that it tries. Rules read fields whose types are known.
// So one bottom-up walk that looks for the only matching overload is enough. It
// leaves a tree to cel-go if there is more to infer (dyn, optionals, null, empty
// lists, types as values, qualified names) or an error.

// signatures holds the overloads of a language, and the first parts of qualified
// names. It is immutable.
type signatures struct {
	overloads map[string][]signature
	roots     map[string]bool
}

type signature struct {
	id     string
	member bool
	args   []*types.Type
	result *types.Type
}

func newSignatures(functions map[string]*decls.FunctionDecl) signatures {
	s := signatures{overloads: make(map[string][]signature), roots: map[string]bool{"google": true, "kubernetes": true, "net": true}}
	for name, fn := range functions {
		if root, _, ok := strings.Cut(name, "."); ok {
			s.roots[root] = true
		}
		if fn.IsDeclarationDisabled() {
			continue
		}
		for _, o := range fn.OverloadDecls() {
			s.overloads[name] = append(s.overloads[name], signature{id: o.ID(), member: o.IsMemberFunction(), args: o.ArgTypes(), result: o.ResultType()})
		}
	}
	return s
}

// An inference is the state of one walk.
type inference struct {
	*signatures
	scope    *Scope
	optional bool // oldSelf is an optional
	types    map[int64]*types.Type
	refs     map[int64]*ast.ReferenceInfo
	vars     []loopVariable // of the enclosing loops, innermost last
}

type loopVariable struct {
	name string
	typ  *types.Type
}

// typed infers the types of a tree. It returns nil if cel-go has to.
func (s *signatures) typed(tree *ast.AST, in *Scope, optional bool) *ast.AST {
	t := inference{signatures: s, scope: in, optional: optional, types: make(map[int64]*types.Type), refs: make(map[int64]*ast.ReferenceInfo)}
	if t.expr(tree.Expr()) == nil {
		return nil
	}
	return ast.NewCheckedAST(tree, t.types, t.refs)
}

// expr returns the type of e, nil if it is not inferred.
func (t *inference) expr(e ast.Expr) *types.Type {
	if known, ok := t.types[e.ID()]; ok {
		return known
	}
	found := t.find(e)
	if found != nil {
		t.types[e.ID()] = found
	}
	return found
}

func (t *inference) find(e ast.Expr) *types.Type {
	switch e.Kind() {
	case ast.LiteralKind:
		if v, ok := e.AsLiteral().Type().(*types.Type); ok && v != types.NullType {
			return v
		}
	case ast.IdentKind:
		return t.name(e)
	case ast.SelectKind:
		return t.field(e.AsSelect())
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
		t.refs[e.ID()] = ast.NewIdentReference(name, nil)
	}
	return typ
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
	if name == Self || name == OldSelf && !t.optional {
		return inferable(t.scope.self)
	}
	return nil
}

func (t *inference) field(s ast.SelectExpr) *types.Type {
	of := t.expr(s.Operand())
	if of == nil {
		return nil
	}
	var typ *types.Type
	switch of.Kind() {
	case types.MapKind:
		typ = of.Parameters()[1]
	case types.StructKind:
		f, ok := t.scope.types.FindStructFieldType(of.TypeName(), s.FieldName())
		if !ok {
			return nil
		}
		typ = inferable(f.Type)
	}
	if typ != nil && s.IsTestOnly() {
		return types.BoolType
	}
	return typ
}

// list returns the type of a list whose elements have one type.
func (t *inference) list(l ast.ListExpr) *types.Type {
	if len(l.OptionalIndices()) > 0 {
		return nil
	}
	var elem *types.Type
	for _, e := range l.Elements() {
		typ := t.expr(e)
		if typ == nil || elem != nil && !sameType(elem, typ) {
			return nil
		}
		if elem == nil {
			elem = typ
		}
	}
	if elem == nil {
		return nil
	}
	return types.NewListType(elem)
}

func (t *inference) loop(l ast.ComprehensionExpr) *types.Type {
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
	default:
		return nil
	}
	before := len(t.vars)
	defer func() { t.vars = t.vars[:before] }()
	inner := []loopVariable{{l.IterVar(), vars[0]}, {l.IterVar2(), vars[1]}}
	if l.IterVar2() == "" {
		inner = []loopVariable{{l.IterVar(), vars[0]}}
		if over.Kind() == types.ListKind {
			inner[0].typ = vars[1]
		}
	}
	accu := t.accumulator(l, inner)
	if accu == nil {
		return nil
	}
	t.vars = append(t.vars, loopVariable{l.AccuVar(), accu})
	outer := len(t.vars)
	t.vars = append(t.vars, inner...)
	if t.expr(l.LoopCondition()) != types.BoolType {
		return nil
	}
	if step := t.expr(l.LoopStep()); step == nil || !sameType(step, accu) {
		return nil
	}
	t.vars = t.vars[:outer]
	return t.expr(l.Result())
}

// accumulator returns the type of the accumulator of a loop. An empty list gets
// the type of the elements that the loop appends.
func (t *inference) accumulator(l ast.ComprehensionExpr, inner []loopVariable) *types.Type {
	init := l.AccuInit()
	if init.Kind() != ast.ListKind || init.AsList().Size() > 0 {
		return t.expr(init)
	}
	elem := added(l.LoopStep())
	if elem == nil {
		return nil
	}
	before := len(t.vars)
	t.vars = append(t.vars, inner...)
	typ := t.expr(elem)
	t.vars = t.vars[:before]
	if typ == nil {
		return nil
	}
	typ = types.NewListType(typ)
	t.types[init.ID()] = typ
	return typ
}

// added returns the element that a step of map or filter appends, nil for other
// steps.
func added(step ast.Expr) ast.Expr {
	if step.Kind() != ast.CallKind {
		return nil
	}
	c := step.AsCall()
	switch {
	case c.FunctionName() == operators.Conditional:
		return added(c.Args()[1])
	case c.FunctionName() == operators.Add && len(c.Args()) == 2 && c.Args()[1].Kind() == ast.ListKind && c.Args()[1].AsList().Size() == 1:
		return c.Args()[1].AsList().Elements()[0]
	}
	return nil
}

func (t *inference) call(e ast.Expr) *types.Type {
	c := e.AsCall()
	var args [4]*types.Type
	n := 0
	add := func(arg ast.Expr) bool {
		if n == len(args) {
			return false
		}
		args[n] = t.expr(arg)
		n++
		return args[n-1] != nil
	}
	if c.IsMemberFunction() && !add(c.Target()) {
		return nil
	}
	for _, arg := range c.Args() {
		if !add(arg) {
			return nil
		}
	}
	id, result := t.resolve(c.FunctionName(), c.IsMemberFunction(), args[:n])
	if result != nil {
		t.refs[e.ID()] = ast.NewFunctionReference(id)
	}
	return result
}

// resolve returns the only overload that matches, and its result type.
func (t *inference) resolve(name string, member bool, args []*types.Type) (id string, result *types.Type) {
	switch name {
	case operators.OptSelect, operators.OptIndex:
		return "", nil
	case operators.LogicalAnd, operators.LogicalOr:
		for _, a := range args {
			if a != types.BoolType {
				return "", nil
			}
		}
		if name == operators.LogicalAnd {
			return overloads.LogicalAnd, types.BoolType
		}
		return overloads.LogicalOr, types.BoolType
	}
	list := t.overloads[name]
	for i := range list {
		s := &list[i]
		if s.member != member || len(s.args) != len(args) {
			continue
		}
		var b binding
		if !b.all(s.args, args) {
			if b.undecided {
				return "", nil
			}
			continue
		}
		if result != nil {
			return "", nil // the checker has to leave several
		}
		id = s.id
		if result = b.substitute(s.result); result == nil {
			return "", nil
		}
	}
	return id, result
}

// A binding assigns types to the type parameters of a signature.
type binding struct {
	names     [3]string
	bound     [3]*types.Type
	n         int
	undecided bool // cel-go has to infer the types
}

// all reports whether all arguments match their parameters.
func (b *binding) all(params, args []*types.Type) bool {
	for i, p := range params {
		if !b.fits(p, args[i]) {
			return false
		}
	}
	return true
}

func (b *binding) fits(p, arg *types.Type) bool {
	switch p.Kind() {
	case types.DynKind:
		return true
	case types.TypeParamKind:
		return b.bind(p.TypeName(), arg)
	case types.ListKind, types.MapKind:
		return p.Kind() == arg.Kind() && b.all(p.Parameters(), arg.Parameters())
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind, types.StringKind, types.TimestampKind, types.UintKind:
		if p.IsAssignableType(types.NullType) { // a wrapper type
			b.undecided = true
		}
		return p.Kind() == arg.Kind()
	case types.OpaqueKind, types.StructKind:
		return sameType(p, arg)
	case types.TypeKind:
		return false
	}
	b.undecided = true
	return false
}

func (b *binding) bind(name string, arg *types.Type) bool {
	for i := range b.n {
		if b.names[i] == name {
			return sameType(b.bound[i], arg)
		}
	}
	if b.n == len(b.names) {
		b.undecided = true
		return false
	}
	b.names[b.n], b.bound[b.n] = name, arg
	b.n++
	return true
}

// substitute returns a result type with its type parameters replaced, nil if it
// is not inferable.
func (b *binding) substitute(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.TypeParamKind:
		for i := range b.n {
			if b.names[i] == t.TypeName() {
				return b.bound[i]
			}
		}
		return nil
	case types.ListKind:
		if elem := b.substitute(t.Parameters()[0]); elem != nil {
			return types.NewListType(elem)
		}
		return nil
	case types.MapKind:
		k, v := b.substitute(t.Parameters()[0]), b.substitute(t.Parameters()[1])
		if k != nil && v != nil {
			return types.NewMapType(k, v)
		}
		return nil
	}
	return inferable(t)
}

// inferable returns t if it is completely known and all its values have exactly
// this type, and nil otherwise.
func inferable(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind, types.StringKind, types.TimestampKind, types.UintKind:
		if t.IsAssignableType(types.NullType) {
			return nil
		}
		return t
	case types.StructKind:
		return t
	case types.OpaqueKind:
		if len(t.Parameters()) == 0 {
			return t
		}
	case types.ListKind, types.MapKind:
		for _, p := range t.Parameters() {
			if inferable(p) == nil {
				return nil
			}
		}
		return t
	}
	return nil
}

func sameType(a, b *types.Type) bool { return a == b || a.IsExactType(b) }
