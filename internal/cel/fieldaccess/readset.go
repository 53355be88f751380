package fieldaccess

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// An Access says how much of a value rules read. Each level includes the earlier levels.
type Access uint8

const (
	Unread     Access = iota // not even tested for presence
	Presence                 // whether the value is present, and its kind
	Contents                 // a scalar, the keys of a map, the length of a list
	Everything               // also everything below
)

// A ReadSet says which parts of a value rules read. It is immutable. A nil ReadSet is unread.
type ReadSet struct {
	schema   *schema.Node
	access   Access
	fields   map[string]*ReadSet
	elements *ReadSet
}

func (r *ReadSet) Access() Access {
	if r == nil {
		return Unread
	}
	return r.access
}

// Field returns the read set of a field, by property name.
func (r *ReadSet) Field(name string) *ReadSet {
	if r == nil {
		return nil
	}
	return r.fields[name]
}

// Elements returns the read set of list elements or map entries.
func (r *ReadSet) Elements() *ReadSet {
	if r == nil {
		return nil
	}
	return r.elements
}

// AllOf returns the read set of a value of n that is read completely.
func AllOf(n *schema.Node) *ReadSet { return &ReadSet{schema: n, access: Everything} }

func union(a, b []*ReadSet) []*ReadSet {
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(slices.Clip(a), v)
		}
	}
	return a
}

// An Analysis collects the read sets of rules. It belongs to one goroutine.
type Analysis struct {
	Sets map[*schema.Node]*ReadSet // by the schema of the rules
	self *ReadSet
	vars []variable // of the open loops, innermost last
}

// A variable is the variable of a loop. from has all parts of the object that may be its value.
type variable struct {
	name string
	from []*ReadSet
}

func New() Analysis { return Analysis{Sets: make(map[*schema.Node]*ReadSet)} }

func (r *Analysis) Add(n *schema.Node, tree *ast.AST) {
	r.Note(n)
	r.self = r.Sets[n]
	consume(r.visit(tree.Expr()))
}

// Note makes an empty read set for n, for rules that read nothing.
func (r *Analysis) Note(n *schema.Node) {
	if r.Sets[n] == nil {
		r.Sets[n] = &ReadSet{schema: n}
	}
}

func (v *ReadSet) touch(by Access) { v.access = max(v.access, by) }

// field returns the read set of a field, and marks its presence as read.
func (v *ReadSet) field(name string, n *schema.Node) *ReadSet {
	if v.fields == nil {
		v.fields = make(map[string]*ReadSet)
	}
	if v.fields[name] == nil {
		v.fields[name] = &ReadSet{schema: n, access: Presence}
	}
	return v.fields[name]
}

// element returns the read set of elements or entries, nil if they have no schema.
func (v *ReadSet) element() *ReadSet {
	n := v.schema.Items()
	if n == nil && v.schema.Len() == 0 {
		n, _ = v.schema.AdditionalProperties()
	}
	if v.elements == nil && n != nil {
		v.elements = &ReadSet{schema: n}
	}
	return v.elements
}

func consume(parts []*ReadSet) {
	for _, v := range parts {
		v.touch(Everything)
	}
}

// visit visits an expression. It returns the parts of the object that e may yield. If e
// makes a value from parts, they count as read completely.
func (r *Analysis) visit(e ast.Expr) []*ReadSet {
	switch e.Kind() {
	case ast.IdentKind:
		return r.variable(e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		of := r.field(r.visit(s.Operand()), s.FieldName())
		if s.IsTestOnly() {
			return nil
		}
		return of
	case ast.CallKind:
		return r.call(e)
	case ast.ComprehensionKind:
		return r.loop(e.AsComprehension())
	}
	for _, child := range children(e) {
		consume(r.visit(child))
	}
	return nil
}

// variable returns the parts of the object that a variable may be. For oldSelf it returns none.
func (r *Analysis) variable(name string) []*ReadSet {
	name = strings.TrimPrefix(name, ".")
	for i := len(r.vars) - 1; i >= 0; i-- {
		if r.vars[i].name == name {
			return r.vars[i].from
		}
	}
	if name == celtypes.Self {
		return []*ReadSet{r.self}
	}
	return nil
}

// field returns the read sets of a field. spelled is its name in rules.
func (r *Analysis) field(of []*ReadSet, spelled string) (out []*ReadSet) {
	names := [...]string{spelled, unescaped(spelled)}
	for _, v := range of {
		v.touch(Presence)
		found := false
		for i, name := range names {
			if n := v.schema.Property(name); n != nil && (i == 0 || name != spelled) {
				out, found = union(out, []*ReadSet{v.field(name, n)}), true
			}
		}
		if !found {
			out = union(out, elements([]*ReadSet{v}))
		}
	}
	return out
}

func unescaped(spelled string) string {
	if strings.Contains(spelled, "__") {
		if name, ok := apiservercel.Unescape(spelled); ok {
			return name
		}
	}
	return spelled
}

func elements(of []*ReadSet) (out []*ReadSet) {
	for _, v := range of {
		element := v.element()
		if element == nil {
			v.touch(Everything)
			continue
		}
		v.touch(Contents)
		out = union(out, []*ReadSet{element})
	}
	return out
}

func (r *Analysis) call(e ast.Expr) []*ReadSet {
	args := children(e)
	of := make([][]*ReadSet, len(args))
	for i, arg := range args {
		of[i] = r.visit(arg)
	}
	switch name := e.AsCall().FunctionName(); {
	case name == operators.Conditional && len(of) == 3:
		consume(of[0])
		return union(of[1], of[2])
	case (name == operators.Index || name == operators.OptIndex) && len(of) == 2:
		consume(of[1])
		return elements(of[0])
	case name == operators.OptSelect && len(of) == 2 && args[1].Kind() == ast.LiteralKind:
		if field, ok := args[1].AsLiteral().Value().(string); ok {
			return r.field(of[0], field)
		}
	case name == overloads.Size && len(of) == 1:
		for _, v := range of[0] {
			v.touch(Contents)
		}
		return nil
	case name == operators.In && len(of) == 2:
		consume(of[0])
		among(of[1])
		return nil
	}
	for _, o := range of {
		consume(o)
	}
	return nil
}

// among records what the operator "in" reads of its right operand.
func among(of []*ReadSet) {
	for _, v := range of {
		if values, _ := v.schema.AdditionalProperties(); values != nil && v.schema.Items() == nil {
			v.touch(Contents)
		} else {
			v.touch(Everything)
		}
	}
}

func (r *Analysis) loop(c ast.ComprehensionExpr) []*ReadSet {
	over, accu := r.visit(c.IterRange()), r.visit(c.AccuInit())
	second := elements(over)
	first := second
	if c.HasIterVar2() || !slices.ContainsFunc(over, func(v *ReadSet) bool { return v.schema.Items() != nil }) {
		first = nil // keys and indexes
	}
	before := len(r.vars)
	r.vars = append(r.vars, variable{c.IterVar(), first})
	if c.HasIterVar2() {
		r.vars = append(r.vars, variable{c.IterVar2(), second})
	}
	r.vars = append(r.vars, variable{c.AccuVar(), accu})
	consume(r.visit(c.LoopCondition()))
	for _, v := range r.visit(c.LoopStep()) {
		if !slices.Contains(accu, v) {
			v.touch(Everything)
		}
	}
	r.vars = append(r.vars[:before], variable{c.AccuVar(), accu})
	out := r.visit(c.Result())
	r.vars = r.vars[:before]
	return out
}

// Uses returns the variables and the selections of fields in an expression, sorted.
func Uses(tree *ast.AST) []string {
	u := used{texts: make(map[string]bool)}
	u.visit(tree.Expr())
	return slices.Sorted(maps.Keys(u.texts))
}

type used struct {
	texts map[string]bool
	local []string // variables of the open loops
}

func (u *used) visit(e ast.Expr) {
	if text, ok := u.path(e); ok {
		u.texts[text] = true
		return
	}
	if e.Kind() != ast.ComprehensionKind {
		for _, child := range children(e) {
			u.visit(child)
		}
		return
	}
	c := e.AsComprehension()
	u.visit(c.IterRange())
	u.visit(c.AccuInit())
	before := len(u.local)
	u.local = append(u.local, c.IterVar(), c.IterVar2(), c.AccuVar())
	u.visit(c.LoopCondition())
	u.visit(c.LoopStep())
	u.visit(c.Result())
	u.local = u.local[:before]
}

// path returns the text of a variable, or of selections of fields from a variable.
func (u *used) path(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return name, (name == celtypes.Self || name == celtypes.OldSelf) && !slices.Contains(u.local, name)
	case ast.SelectKind:
		s := e.AsSelect()
		text, ok := u.path(s.Operand())
		return text + "." + s.FieldName(), ok
	}
	return "", false
}

func children(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return append([]ast.Expr{c.Target()}, c.Args()...)
		}
		return c.Args()
	case ast.MapKind:
		var out []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			out = append(out, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return out
	case ast.StructKind:
		var out []ast.Expr
		for _, f := range e.AsStruct().Fields() {
			out = append(out, f.AsStructField().Value())
		}
		return out
	}
	return nil
}
