package celcond

import (
	"maps"
	"slices"
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
	"k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A path is the location of a field in the value of a scope.
type path struct {
	names   []string       // names of the fields, from the value down
	parents []*schema.Node // schemas of the objects with these fields
	node    *schema.Node   // schema of the field
}

func (x *translation) path(e ast.Expr, sc scope) (path, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		if p, ok := sc.update.variable(e.AsIdent()); ok {
			return p, true
		}
		return path{node: sc.node}, sc.node != nil && (e.AsIdent() == sc.name || slices.Contains(sc.names, e.AsIdent()))
	case ast.SelectKind:
		s := e.AsSelect()
		p, ok := x.path(s.Operand(), sc)
		if !ok || s.IsTestOnly() {
			return path{}, false
		}
		name := unescaped(s.FieldName())
		if name == "metadata" && p.node == x.root && p.node != nil {
			return path{[]string{name}, []*schema.Node{p.node}, x.metadata}, true
		}
		return p.child(name)
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != "_[_]" || len(c.Args()) != 2 {
			return path{}, false
		}
		key, ok := constantOf(c.Args()[1])
		name, isString := key.(string)
		p, found := x.path(c.Args()[0], sc)
		if !ok || !isString || !found || p.node.Len() > 0 {
			return path{}, false
		}
		return p.child(name)
	}
	return path{}, false
}

func (p path) child(name string) (path, bool) {
	child := memberSchema(p.node, name)
	if child == nil {
		return path{}, false // a field of the metadata, or of an embedded resource
	}
	return path{append(slices.Clip(p.names), name), append(slices.Clip(p.parents), p.node), child}, true
}

func memberSchema(n *schema.Node, name string) *schema.Node {
	child := n.Property(name)
	if child == nil {
		child, _ = n.AdditionalProperties()
	}
	return child
}

// at returns the condition that the field at a path exists and satisfies c.
func (x *translation) at(p path, c *search.Cond) *search.Cond {
	for i := len(p.names) - 1; i >= 0; i-- {
		c = x.field(p.parents[i], p.names[i], c)
	}
	return c
}

// field returns the condition that a field exists and satisfies c. Null counts as absent.
func (x *translation) field(n *schema.Node, name string, c *search.Cond) *search.Cond {
	if n == x.root && name == "metadata" {
		return search.At(name, c)
	}
	if memberSchema(n, name).Nullable() {
		c = search.And(search.Types(search.Any&^search.Null), c)
	}
	return x.member(n, name, c)
}

func unescaped(name string) string {
	if original, ok := cel.Unescape(name); ok {
		return original
	}
	return name
}

func constantOf(e ast.Expr) (any, bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().Value().(type) {
		case uint64:
			return int64(v), v < 1<<63
		case int64, float64, string, bool:
			return v, true
		}
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != "-_" {
			return nil, false
		}
		switch v, _ := constantOf(c.Args()[0]); v := v.(type) {
		case int64:
			return -v, true
		case float64:
			return -v, true
		}
	}
	return nil, false
}

// Text returns the text of an expression. Expressions with the same text have equal values.
func Text(e ast.Expr) string {
	text, err := parser.Unparse(e, ast.NewSourceInfo(nil))
	if err != nil {
		return "expression " + strconv.FormatInt(e.ID(), 10) // does not happen
	}
	return text
}

func uses(e ast.Expr, name string) bool {
	return contains(e, func(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name })
}

// contains reports whether test is true for a part of an expression.
func contains(e ast.Expr, test func(ast.Expr) bool) (found bool) {
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) { found = found || test(e) }))
	return found
}

// Steps of a path that are not fields. No field has these names.
const (
	// Items leads to every element of a list.
	Items = "\x01[]"
	// Presence is the last step if only the presence of a field is read.
	Presence = "\x01?"
	// Size is the last step if only the size of a field is read.
	Size = "\x01#"
)

// reads returns the paths that an expression reads in the rule's value. An empty path is the whole
// value. bound has the paths of variables.
func reads(e ast.Expr, bound map[string][]string) [][]string {
	r := &reader{}
	r.read(e, bound)
	return r.paths
}

type reader struct{ paths [][]string }

func chain(e ast.Expr, bound map[string][]string) ([]string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		path, ok := bound[e.AsIdent()]
		return path, ok
	case ast.SelectKind:
		s := e.AsSelect()
		path, ok := chain(s.Operand(), bound)
		if s.IsTestOnly() {
			return nil, false
		}
		return append(slices.Clip(path), unescaped(s.FieldName())), ok
	case ast.CallKind:
		if c := e.AsCall(); c.FunctionName() == "_[_]" && len(c.Args()) == 2 {
			path, ok := chain(c.Args()[0], bound)
			if key, known := constantOf(c.Args()[1]); known && ok {
				switch key := key.(type) {
				case string:
					return append(slices.Clip(path), key), true
				case int64:
					return append(slices.Clip(path), Items), true
				}
			}
		}
	}
	return nil, false
}

func (r *reader) add(path []string, end ...string) {
	r.paths = append(r.paths, append(slices.Clip(path), end...))
}

func (r *reader) read(e ast.Expr, bound map[string][]string) {
	if path, ok := chain(e, bound); ok {
		r.add(path)
		return
	}
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		if path, ok := chain(s.Operand(), bound); ok && s.IsTestOnly() {
			r.add(path, unescaped(s.FieldName()), Presence)
			return
		}
		r.read(s.Operand(), bound)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			r.read(element, bound)
		}
	case ast.CallKind:
		r.call(e, bound)
	}
}

func (r *reader) call(e ast.Expr, bound map[string][]string) {
	if of, ok := sizeOf(e); ok {
		if path, ok := chain(of, bound); ok {
			r.add(path, Size)
		} else if !r.macro(of, bound) {
			r.read(of, bound)
		}
		return
	}
	c := e.AsCall()
	if r.macro(e, bound) {
		if c.FunctionName() == "filter" { // the result contains the elements
			path, _ := chain(c.Target(), bound)
			r.add(path, Items)
		}
		return
	}
	if c.IsMemberFunction() {
		r.read(c.Target(), bound)
	}
	for _, arg := range c.Args() {
		r.read(arg, bound)
	}
}

var macros = map[string]bool{"all": true, "exists": true, "exists_one": true, "map": true, "filter": true}

// macro reads a call of a macro. The variable gets the path of an element, even where it is a
// map key.
func (r *reader) macro(e ast.Expr, bound map[string][]string) bool {
	if e.Kind() != ast.CallKind {
		return false
	}
	c := e.AsCall()
	args := c.Args()
	if !c.IsMemberFunction() || !macros[c.FunctionName()] || len(args) != 2 || args[0].Kind() != ast.IdentKind {
		return false
	}
	path, ok := chain(c.Target(), bound)
	if !ok {
		return false
	}
	inner := maps.Clone(bound)
	inner[args[0].AsIdent()] = append(slices.Clip(path), Items)
	r.add(path, Size)
	r.read(args[1], inner)
	return true
}
