package celcond

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/cel/celsyntax"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

type Rule struct {
	Holds, Fails *search.Cond
	// Transition is true if the rule mentions oldSelf.
	Transition bool
	// Counts are the macros exists_one in the body of a macro over the same list.
	Counts []Count
}

// A Member returns the condition that a member exists and satisfies c. A default may provide the
// member.
type Member func(n *schema.Node, name string, c *search.Cond) *search.Cond

type Translator struct {
	syntax celsyntax.Parser
	member Member
	trees  map[string]ast.Expr
	known  func(c Count) (name string, ok bool)
	// root is the schema of whole objects, metadata the part of metadata that rules see.
	root, metadata *schema.Node
}

// New returns a translator for the rules of a version. root is its schema. A nil member means that
// objects have all defaults.
func New(root *schema.Node, member Member) *Translator {
	if member == nil {
		member = func(_ *schema.Node, name string, c *search.Cond) *search.Cond { return search.At(name, c) }
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	metadata, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"name": text, "generateName": text,
	}})
	return &Translator{
		syntax: celsyntax.New([]parser.Macro{parser.HasMacro}), member: member, trees: map[string]ast.Expr{},
		root: root, metadata: metadata,
	}
}

// Rule translates a rule on values of a schema. changed reports whether rules of the old definition
// see another value at a path. Opaque conditions that read this value get names of their own.
// changed may be nil. Paths may have the steps [Items], [Presence] and [Size].
func (t *Translator) Rule(text string, n *schema.Node, changed func(path []string) bool) Rule {
	return t.translated(text, scope{name: "self", node: n}, changed)
}

// Update translates a transition rule to a condition on an object whose members [Self] and
// [OldSelf] have the values at path. oldSelf must not be optional. changed is as in
// [Translator.Rule].
func (t *Translator) Update(text string, n *schema.Node, path []string, changed func(path []string) bool) Rule {
	return t.translated(text, scope{name: "update", update: &update{n, path, map[string]string{Self: Self, OldSelf: OldSelf}}}, changed)
}

// The members of the object of [Translator.Update].
const (
	Self    = "self"
	OldSelf = "oldSelf"
)

func (t *Translator) translated(text string, sc scope, changed func(path []string) bool) Rule {
	tree, ok := t.trees[text]
	if !ok {
		if parsed := t.syntax.Parse(text); parsed != nil {
			tree = parsed.Expr()
		}
		t.trees[text] = tree
	}
	x := &translation{Translator: t, changed: changed}
	if tree == nil {
		suffix := ""
		if changed != nil && changed(nil) {
			suffix = changedSuffix
		}
		return Rule{
			Holds:      search.Opaque(text+suffix, search.Holds),
			Fails:      search.Opaque(text+suffix, search.Fails),
			Transition: strings.Contains(text, OldSelf),
		}
	}
	v := x.boolean(tree, sc)
	return Rule{Holds: v.holds, Fails: v.fails, Transition: uses(tree, OldSelf), Counts: x.counts}
}

// A verdict has the conditions that an expression is true, and that it is false.
type verdict struct{ holds, fails *search.Cond }

func (v verdict) not() verdict { return verdict{v.fails, v.holds} }

func constantVerdict(b bool) verdict {
	if b {
		return verdict{search.True, search.False}
	}
	return verdict{search.False, search.True}
}

// A scope is the variable that the conditions are about.
type scope struct {
	name   string
	node   *schema.Node
	prefix []string // path from the value of the rule to the variable
	outer  *scope   // scope of the macro around it
	update *update  // what self and oldSelf are in an update, else nil
	list   ast.Expr // if set, the variable is the only element of this list
	names  []string // other variables with the same value
}

// An update says where self and oldSelf are: in two members of an object, at the same path.
type update struct {
	node    *schema.Node
	path    []string
	members map[string]string // by variable
}

func (u *update) variable(name string) (path, bool) {
	if u == nil || u.members[name] == "" {
		return path{}, false
	}
	return path{append([]string{u.members[name]}, u.path...), make([]*schema.Node, 1+len(u.path)), u.node}, true
}

// below returns a path in a scope as a path in the value of the rule.
func (sc *scope) below(p path) []string {
	if sc.update != nil {
		return p.names[1+len(sc.update.path):]
	}
	return slices.Concat(sc.prefix, p.names)
}

// bound returns the paths of the variables of a scope and of the scopes around it.
func (sc *scope) bound() map[string][]string {
	out := map[string][]string{OldSelf: {}}
	for ; sc != nil; sc = sc.outer {
		if sc.update != nil {
			for name := range sc.update.members {
				out[name] = []string{}
			}
		}
		for _, name := range sc.names {
			out[name] = append([]string{}, sc.prefix...)
		}
		if _, hidden := out[sc.name]; !hidden {
			out[sc.name] = append([]string{}, sc.prefix...)
		}
	}
	return out
}

type translation struct {
	*Translator
	changed func(path []string) bool
	counts  []Count
}

func (sc *scope) usesOuter(e ast.Expr) bool {
	bound := sc.bound()
	delete(bound, sc.name)
	for name := range bound {
		if uses(e, name) {
			return true
		}
	}
	return false
}

// changedSuffix ends the names of opaque conditions on changed values; see [Translator.Rule].
const changedSuffix = " of another value"

// boolean translates a boolean expression about the variable of a scope. An opaque part may read
// outer variables, whose values are the same in all expressions about one element.
func (x *translation) boolean(e ast.Expr, sc scope) verdict {
	if v, ok := x.translate(e, sc); ok {
		return v
	}
	name := sc.name + ": " + Text(e)
	if sc.usesOuter(e) {
		name += " at " + strings.Join(sc.prefix, "/") // another rule may have another self
	}
	if x.changed != nil && slices.ContainsFunc(reads(e, sc.bound()), x.changed) {
		name += changedSuffix
	}
	v := verdict{search.Opaque(name, search.Holds), search.Opaque(name, search.Fails)}
	if c, ok := x.count(e, name, sc); ok {
		x.counts = append(x.counts, c)
		v = x.orKnown(v, &c)
	}
	if sure := x.sufficient(e, sc); sure != search.False {
		v = verdict{search.Or(sure, v.holds), search.And(search.Not(sure), v.fails)}
	}
	if valid := x.evaluated(e, sc); valid != search.True {
		v = verdict{search.And(valid, v.holds), search.And(valid, v.fails)}
	}
	return v
}

// sufficient returns a sufficient condition for an opaque expression, or False.
func (x *translation) sufficient(e ast.Expr, sc scope) *search.Cond {
	if e.Kind() != ast.CallKind {
		return search.False
	}
	c := e.AsCall()
	orders, ok := comparisons[c.FunctionName()]
	if !ok {
		return search.False
	}
	return search.Or(x.boundedSum(c.Args()[0], c.Args()[1], orders, sc), x.boundedFilter(c.Args()[0], c.Args()[1], orders, sc))
}

// translate translates an expression. It returns false if the whole expression is opaque.
func (x *translation) translate(e ast.Expr, sc scope) (verdict, bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		if b, ok := e.AsLiteral().Value().(bool); ok {
			return constantVerdict(b), true
		}
	case ast.SelectKind:
		if e.AsSelect().IsTestOnly() {
			return x.has(e.AsSelect(), sc)
		}
		return x.flag(e, sc)
	case ast.IdentKind:
		return x.flag(e, sc)
	case ast.CallKind:
		if v, ok := x.unique(e, sc); ok {
			return v, true
		}
		if v, ok := x.atMostOne(e, sc); ok {
			return v, true
		}
		return x.call(e.AsCall(), sc)
	}
	return verdict{}, false
}

func (x *translation) call(c ast.CallExpr, sc scope) (verdict, bool) {
	args := c.Args()
	if c.IsMemberFunction() {
		return x.method(c, sc)
	}
	switch c.FunctionName() {
	case "!_":
		v := x.operand(args[0], sc)
		return v.not(), true
	case "_&&_":
		a, b := x.operand(args[0], sc), x.operand(args[1], sc)
		return verdict{search.And(a.holds, b.holds), search.Or(a.fails, b.fails)}, true
	case "_||_":
		a, b := x.operand(args[0], sc), x.operand(args[1], sc)
		return verdict{search.Or(a.holds, b.holds), search.And(a.fails, b.fails)}, true
	case "_?_:_":
		c, a, b := x.operand(args[0], sc), x.operand(args[1], sc), x.operand(args[2], sc)
		return verdict{
			search.Or(search.And(c.holds, a.holds), search.And(c.fails, b.holds)),
			search.Or(search.And(c.holds, a.fails), search.And(c.fails, b.fails)),
		}, true
	case "@in":
		return x.in(args[0], args[1], sc)
	}
	if orders, ok := comparisons[c.FunctionName()]; ok {
		return x.compare(args[0], args[1], orders, sc)
	}
	return verdict{}, false
}

// comparisons says for which orders of its operands an operator is true.
var comparisons = map[string]search.Mask{
	"_==_": search.Same, "_!=_": search.Less | search.Greater,
	"_<_": search.Less, "_<=_": search.Less | search.Same,
	"_>_": search.Greater, "_>=_": search.Greater | search.Same,
}

func (x *translation) operand(e ast.Expr, sc scope) verdict { return x.boolean(e, sc) }

func (x *translation) has(s ast.SelectExpr, sc scope) (verdict, bool) {
	p, ok := x.path(s.Operand(), sc)
	if !ok || p.node == nil {
		return verdict{}, false
	}
	return x.presence(p, unescaped(s.FieldName())), true
}

// presence translates has() of a field. It is true only if CEL can read the field.
func (x *translation) presence(p path, name string) verdict {
	read := x.field(p.node, name, readable(memberSchema(p.node, name)))
	return verdict{x.at(p, read), x.at(p, strictNot(search.Object, x.field(p.node, name, search.True)))}
}

func (x *translation) flag(e ast.Expr, sc scope) (verdict, bool) {
	p, ok := x.path(e, sc)
	if !ok || p.node.Kind() != schema.KindBoolean {
		return verdict{}, false
	}
	return verdict{x.at(p, search.IsTrue()), x.at(p, strictNot(search.Bool, search.IsTrue()))}, true
}

// strictNot returns the condition of values that have a type of mask and do not satisfy c.
func strictNot(mask search.Mask, c *search.Cond) *search.Cond {
	return search.And(search.Types(mask), search.Not(c))
}
