package fieldaccess

import (
	"iter"
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

// An Access says how much of a value rules read. Each one includes those before
// it.
type Access uint8

const (
	Unread     Access = iota // not even tested for presence
	Presence                 // whether it is present, and its kind
	Contents                 // a scalar, the keys of a map, the length of a list
	Everything               // also everything in it
)

// A ReadSet says which parts of a value rules read. It is immutable. A nil
// ReadSet is that of an unread value.
type ReadSet struct {
	schema   *schema.Node
	access   Access
	fields   map[string]*ReadSet
	elements *ReadSet
}

// Access returns how much of the value rules read.
func (r *ReadSet) Access() Access {
	if r == nil {
		return Unread
	}
	return r.access
}

// Fields returns the read sets of the fields of an object by property name, in
// increasing order.
func (r *ReadSet) Fields() iter.Seq2[string, *ReadSet] {
	return func(yield func(string, *ReadSet) bool) {
		if r == nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(r.fields)) {
			if !yield(name, r.fields[name]) {
				return
			}
		}
	}
}

// Field returns the read set of a field of an object by property name.
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

// AllOf returns the read set of a value of n that rules read completely.
func AllOf(n *schema.Node) *ReadSet { return &ReadSet{schema: n, access: Everything} }

// A source says which parts of the object a value may come from: the value may be
// one of direct, or a list, map or optional made of values from within.
type source struct {
	direct []*ReadSet
	within *source // nil if there is none
}

func (o source) and(p source) source {
	out := source{direct: union(o.direct, p.direct), within: o.within}
	switch {
	case out.within == nil:
		out.within = p.within
	case p.within != nil:
		within := out.within.and(*p.within)
		out.within = &within
	}
	return out
}

// inside returns the source of the contents of a made value.
func (o source) inside() source {
	if o.within == nil {
		return source{}
	}
	return *o.within
}

func (o source) size() int {
	if o.within == nil {
		return len(o.direct)
	}
	return len(o.direct) + o.within.size()
}

// depth returns the nesting of made values.
func (o source) depth() int {
	if o.within == nil {
		return 0
	}
	return 1 + o.within.depth()
}

// union returns all elements of a and b, each once.
func union(a, b []*ReadSet) []*ReadSet {
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(slices.Clip(a), v)
		}
	}
	return a
}

// An Analysis collects the read sets of rules. It is for one goroutine.
type Analysis struct {
	Sets map[*schema.Node]*ReadSet // by the schema that rules are on
	self *ReadSet
	vars []sourcedVariable // of the enclosing loops, innermost last
}

type sourcedVariable struct {
	name string
	source
}

// New returns an Analysis without rules.
func New() Analysis { return Analysis{Sets: make(map[*schema.Node]*ReadSet)} }

// Add adds a rule on values of n.
func (r *Analysis) Add(n *schema.Node, tree *ast.AST) {
	r.Note(n)
	r.self = r.Sets[n]
	r.consume(r.visit(tree.Expr()))
}

// Note gives n a read set, which is that of rules that read nothing.
func (r *Analysis) Note(n *schema.Node) {
	if r.Sets[n] == nil {
		r.Sets[n] = &ReadSet{schema: n}
	}
}

func (v *ReadSet) touch(by Access) { v.access = max(v.access, by) }

// field returns the read set of a field, which is at least tested for presence.
func (v *ReadSet) field(name string, n *schema.Node) *ReadSet {
	if v.fields == nil {
		v.fields = make(map[string]*ReadSet)
	}
	if v.fields[name] == nil {
		v.fields[name] = &ReadSet{schema: n, access: Presence}
	}
	return v.fields[name]
}

// element returns the read set of elements or entries, nil if they have no
// schema.
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

// consume marks all parts of a source as read completely.
func (r *Analysis) consume(o source) {
	for _, v := range o.direct {
		v.touch(Everything)
	}
	if o.within != nil {
		r.consume(*o.within)
	}
}

// visit returns the source of the value of an expression.
func (r *Analysis) visit(e ast.Expr) source {
	switch e.Kind() {
	case ast.IdentKind:
		return r.variable(e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		of := r.field(r.visit(s.Operand()), s.FieldName())
		if s.IsTestOnly() {
			return source{}
		}
		return of
	case ast.CallKind:
		return r.call(e.AsCall())
	case ast.ComprehensionKind:
		return r.loop(e.AsComprehension())
	case ast.ListKind, ast.MapKind:
		return r.literal(children(e))
	}
	for _, child := range children(e) {
		r.consume(r.visit(child))
	}
	return source{}
}

// literal returns the source of a list or map literal.
func (r *Analysis) literal(parts []ast.Expr) source {
	const deepest = 4
	var all source
	for _, part := range parts {
		all = all.and(r.visit(part))
	}
	if all.depth() == deepest {
		r.consume(all)
		return source{}
	}
	return source{within: &all}
}

// variable returns the source of a variable. oldSelf has none.
func (r *Analysis) variable(name string) source {
	name = strings.TrimPrefix(name, ".")
	for i := len(r.vars) - 1; i >= 0; i-- {
		if r.vars[i].name == name {
			return r.vars[i].source
		}
	}
	if name == celtypes.Self {
		return source{direct: []*ReadSet{r.self}}
	}
	return source{}
}

// field returns the source of a field with the name that rules use.
func (r *Analysis) field(o source, spelled string) source {
	out, names := o.inside(), [...]string{spelled, unescaped(spelled)}
	for _, v := range o.direct {
		v.touch(Presence)
		found := false
		for i, name := range names {
			if n := v.schema.Property(name); n != nil && (i == 0 || name != spelled) {
				out.direct, found = union(out.direct, []*ReadSet{v.field(name, n)}), true
			}
		}
		if !found {
			out = out.and(r.elements(source{direct: []*ReadSet{v}}))
		}
	}
	return out
}

// unescaped returns the property name that an identifier denotes if it is escaped.
func unescaped(spelled string) string {
	if strings.Contains(spelled, "__") {
		if name, ok := apiservercel.Unescape(spelled); ok {
			return name
		}
	}
	return spelled
}

// elements returns the source of list elements and map entries.
func (r *Analysis) elements(o source) source {
	out := o.inside()
	for _, v := range o.direct {
		element := v.element()
		if element == nil {
			v.touch(Everything)
			continue
		}
		v.touch(Contents)
		out.direct = union(out.direct, []*ReadSet{element})
	}
	return out
}

func (r *Analysis) call(c ast.CallExpr) source {
	args := c.Args()
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	of := make([]source, len(args))
	for i, arg := range args {
		of[i] = r.visit(arg)
	}
	switch name := c.FunctionName(); {
	case name == operators.Conditional && len(of) == 3:
		r.consume(of[0])
		return of[1].and(of[2])
	case (name == operators.Index || name == operators.OptIndex) && len(of) == 2:
		r.consume(of[1])
		return r.elements(of[0])
	case name == operators.OptSelect && len(of) == 2 && args[1].Kind() == ast.LiteralKind:
		if field, ok := args[1].AsLiteral().Value().(string); ok {
			return r.field(of[0], field)
		}
	case name == overloads.Size && len(of) == 1:
		for _, v := range of[0].direct {
			v.touch(Contents)
		}
		return source{}
	case name == operators.In && len(of) == 2:
		r.consume(of[0])
		r.among(of[1])
		return source{}
	case name == operators.Add && len(of) == 2:
		// The elements of made lists are passed on. Lists of the object may be sets or
		// maps, which are merged by their contents.
		sum := of[0].and(of[1])
		r.consume(source{direct: sum.direct})
		return source{within: sum.within}
	}
	for _, o := range of {
		r.consume(o)
	}
	return source{}
}

// among marks the right operand of in.
func (r *Analysis) among(o source) {
	for _, v := range o.direct {
		if values, _ := v.schema.AdditionalProperties(); values != nil && v.schema.Items() == nil {
			v.touch(Contents)
		} else {
			v.touch(Everything)
		}
	}
	r.consume(o.inside())
}

// loop repeats the loop body until its accumulator has no new source.
func (r *Analysis) loop(c ast.ComprehensionExpr) source {
	over := r.visit(c.IterRange())
	elements := r.elements(over)
	first, second := elements, elements
	if c.HasIterVar2() {
		first = source{} // keys and indexes
	} else if over.within == nil && !slices.ContainsFunc(over.direct, func(v *ReadSet) bool { return v.schema.Items() != nil }) {
		first = source{} // keys
	}
	gathered := r.visit(c.AccuInit())
	before := len(r.vars)
	r.vars = append(r.vars, sourcedVariable{c.IterVar(), first})
	if c.HasIterVar2() {
		r.vars = append(r.vars, sourcedVariable{c.IterVar2(), second})
	}
	r.vars = append(r.vars, sourcedVariable{c.AccuVar(), gathered})
	last := len(r.vars) - 1
	for {
		r.consume(r.visit(c.LoopCondition()))
		next := gathered.and(r.visit(c.LoopStep()))
		if next.size() == gathered.size() {
			break
		}
		gathered = next
		r.vars[last].source = gathered
	}
	r.vars = append(r.vars[:before], sourcedVariable{c.AccuVar(), gathered})
	out := r.visit(c.Result())
	r.vars = r.vars[:before]
	return out
}
