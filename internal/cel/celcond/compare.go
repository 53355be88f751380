package celcond

import (
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// reversed returns the orders for swapped operands: > for <, and < for >.
func reversed(orders search.Mask) search.Mask {
	out := orders & search.Same
	if orders&search.Less != 0 {
		out |= search.Greater
	}
	if orders&search.Greater != 0 {
		out |= search.Less
	}
	return out
}

func (x *translation) compare(a, b ast.Expr, orders search.Mask, sc scope) (verdict, bool) {
	if _, ok := constantOf(a); ok {
		a, b, orders = b, a, reversed(orders)
	}
	if c, ok := constantOf(b); ok {
		if sized, ok := x.sized(a, sc); ok {
			return x.compareSize(sized, c, orders)
		}
		if p, ok := x.path(a, sc); ok {
			return x.compareConstant(p, c, orders)
		}
		if flag, ok := c.(bool); ok && orders&(search.Less|search.Greater) == 0 || ok && orders == search.Less|search.Greater {
			v := x.operand(a, sc)
			if flag != (orders == search.Same) {
				v = v.not()
			}
			return v, true
		}
		return verdict{}, false
	}
	p, okA := x.pathOrOld(a, sc)
	q, okB := x.pathOrOld(b, sc)
	if okA && okB {
		return x.relate(p, q, orders, sc)
	}
	if isBoolean(a) && isBoolean(b) && (orders == search.Same || orders == search.Less|search.Greater) {
		return x.equivalent(a, b, orders == search.Same, sc)
	}
	return verdict{}, false
}

// isBoolean reports whether an expression is boolean because of its operator.
func isBoolean(e ast.Expr) bool {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().IsTestOnly()
	case ast.CallKind:
		switch name := e.AsCall().FunctionName(); name {
		case "!_", "_&&_", "_||_", "@in", "all", "exists", "startsWith", "endsWith", "contains", "matches":
			return true
		default:
			_, ok := comparisons[name]
			return ok
		}
	}
	return false
}

// equivalent translates == or != of two boolean expressions.
func (x *translation) equivalent(a, b ast.Expr, same bool, sc scope) (verdict, bool) {
	v, w := x.operand(a, sc), x.operand(b, sc)
	out := verdict{
		search.Or(search.And(v.holds, w.holds), search.And(v.fails, w.fails)),
		search.Or(search.And(v.holds, w.fails), search.And(v.fails, w.holds)),
	}
	if !same {
		out = out.not()
	}
	return out, true
}

// comparable returns how CEL compares values of a schema: as numbers or as strings. It returns
// false for other schemas.
func comparable(n *schema.Node) (search.Mask, bool) {
	switch n.Kind() {
	case schema.KindInteger, schema.KindNumber:
		return search.Number, !n.IntOrString()
	case schema.KindString:
		return search.String, SpecialFormat(n) == "" && !n.IntOrString()
	}
	return 0, false
}

// SpecialFormat returns the format of a string whose CEL type is bytes, duration or timestamp. It
// returns "" for other values.
func SpecialFormat(n *schema.Node) string {
	switch f := n.Limits().Format; {
	case n.Kind() != schema.KindString:
	case f == "byte", f == "duration", f == "date", f == "date-time":
		return f
	}
	return ""
}

// readable returns the condition that CEL can read a valid value. If CEL cannot read it, every use
// of the value ends with an error, even has().
func readable(n *schema.Node) *search.Cond {
	if expr, ok := readableTexts[n.Limits().Format]; ok && n.Kind() == schema.KindString && !n.IntOrString() {
		return search.Matches(expr)
	}
	return search.True
}

// readableTexts has, by format, a pattern of the valid texts that CEL can read: bytes in the URL
// alphabet, and times with a capital T and Z.
var readableTexts = map[string]string{
	"byte":      `^[^+/]*$`,
	"date-time": `^[-0-9]{10}T[:0-9]{8}([.,][0-9]+)?(Z|[-+]([01][0-9]|2[0-4]):([0-5][0-9]|60))$`,
}

func (x *translation) compareConstant(p path, c any, orders search.Mask) (verdict, bool) {
	equality := orders == search.Same || orders == search.Less|search.Greater
	mask, ok := comparable(p.node)
	if p.node.Kind() == schema.KindBoolean {
		mask, ok = search.Bool, equality
	}
	if p.node.IntOrString() {
		mask, ok = search.Integer|search.String, equality
	}
	if !ok || mask&search.TypeOf(c) == 0 {
		return verdict{}, false
	}
	if equality {
		same := verdict{x.at(p, search.Enum(c)), x.at(p, strictNot(mask, search.Enum(c)))}
		if orders != search.Same {
			same = same.not()
		}
		return same, true
	}
	if mask != search.Number {
		return verdict{}, false
	}
	return verdict{x.at(p, ordered(c, orders)), x.at(p, ordered(c, (search.Less|search.Same|search.Greater)&^orders))}, true
}

// ordered returns the condition that a number compares to c in one of the orders (<, ==, >).
func ordered(c any, orders search.Mask) *search.Cond {
	var x float64
	switch c := c.(type) {
	case int64:
		x = float64(c)
	case float64:
		x = c
	}
	if orders&search.Less != 0 {
		return search.AtMost(x, orders&search.Same == 0)
	}
	return search.AtLeast(x, orders&search.Same == 0)
}

func (p *path) nullable() bool {
	if p.node.Nullable() {
		return true
	}
	for i, n := range p.parents {
		if i > 0 && n.Nullable() {
			return true
		}
	}
	return false
}

// oldMember is the name of oldSelf in a [search.Relation]. No object has this member. The relation
// serves only to cancel out an equal relation of another rule.
const oldMember = "\x01oldSelf"

func (x *translation) pathOrOld(e ast.Expr, sc scope) (path, bool) {
	if p, ok := x.path(e, sc); ok {
		return p, true
	}
	p, ok := x.path(e, scope{name: OldSelf, node: sc.node})
	if !ok || sc.name != Self {
		return path{}, false
	}
	p.names = append([]string{oldMember}, p.names...)
	p.parents = append([]*schema.Node{nil}, p.parents...)
	return p, true
}

// sized returns the path of e if the expression is size(e).
func (x *translation) sized(e ast.Expr, sc scope) (path, bool) {
	of, ok := sizeOf(e)
	if !ok {
		return path{}, false
	}
	return x.path(of, sc)
}

func (x *translation) compareSize(p path, c any, orders search.Mask) (verdict, bool) {
	n, ok := c.(int64)
	atLeast, mask := search.MinRunes, search.String
	switch p.node.Kind() {
	case schema.KindString:
		_, known := comparable(p.node)
		ok = ok && known
	case schema.KindArray:
		atLeast, mask = search.MinItems, search.Array
	case schema.KindObject:
		atLeast, mask = search.MinProps, search.Object
		ok = ok && p.node.Len() == 0
	default:
		ok = false
	}
	if !ok {
		return verdict{}, false
	}
	sizes := func(orders search.Mask) *search.Cond {
		var alternatives []*search.Cond
		if orders&search.Less != 0 {
			alternatives = append(alternatives, strictNot(mask, atLeast(n)))
		}
		if orders&search.Same != 0 {
			alternatives = append(alternatives, search.And(atLeast(n), strictNot(mask, atLeast(n+1))))
		}
		if orders&search.Greater != 0 {
			alternatives = append(alternatives, atLeast(n+1))
		}
		switch orders {
		case search.Less | search.Same:
			return strictNot(mask, atLeast(n+1))
		case search.Greater | search.Same:
			return atLeast(n)
		}
		return search.Or(alternatives...)
	}
	all := search.Less | search.Same | search.Greater
	return verdict{x.at(p, sizes(orders)), x.at(p, sizes(all&^orders))}, true
}

// in translates the operator in. One of its operands must be constant.
func (x *translation) in(a, b ast.Expr, sc scope) (verdict, bool) {
	if b.Kind() == ast.ListKind {
		p, ok := x.path(a, sc)
		if !ok {
			return verdict{}, false
		}
		mask, ok := comparable(p.node)
		var values []any
		for _, e := range b.AsList().Elements() {
			v, known := constantOf(e)
			ok = ok && known && mask&search.TypeOf(v) != 0
			values = append(values, v)
		}
		if !ok || len(values) == 0 {
			return verdict{}, false
		}
		return verdict{x.at(p, search.Enum(values...)), x.at(p, strictNot(mask, search.Enum(values...)))}, true
	}
	c, okA := constantOf(a)
	p, okB := x.path(b, sc)
	if !okA || !okB {
		return verdict{}, false
	}
	if p.node.Kind() == schema.KindArray {
		mask, ok := comparable(p.node.Items())
		if !ok || mask&search.TypeOf(c) == 0 {
			return verdict{}, false
		}
		return verdict{x.at(p, search.SomeItem(search.Enum(c))), x.at(p, strictNot(search.Array, search.SomeItem(search.Enum(c))))}, true
	}
	key, ok := c.(string)
	if !ok || p.node.Kind() != schema.KindObject || p.node.Len() > 0 {
		return verdict{}, false
	}
	return x.presence(p, key), true
}

// A summand is the size of a field of the element at an index. It is 0 if the list is shorter.
type summand struct {
	name    string // of the field
	guarded bool   // also 0 if the field is absent
}

// boundedSum returns a sufficient condition for a comparison of a sum of sizes, such as
//
//	(self.size() > 0 ? self[0].f.size() : 0) + (self.size() > 1 ? self[1].f.size() : 0) <= 16
//
// The condition is that no element has more than an equal share of the limit. For other forms of
// comparisons, boundedSum returns False.
func (x *translation) boundedSum(a, b ast.Expr, orders search.Mask, sc scope) *search.Cond {
	limit, _ := constantOf(b)
	most, ok := limit.(int64)
	if orders == search.Less {
		most--
	}
	if !ok || orders&(search.Less|search.Greater) != search.Less || sc.node.Kind() != schema.KindArray {
		return search.False
	}
	summands, ok := x.summands(a, sc)
	if !ok || most < 0 {
		return search.False
	}
	share := most / int64(len(summands))
	var parts []*search.Cond
	for _, s := range summands {
		c := x.field(sc.node.Items(), s.name, strictNot(search.Array, search.MinItems(share+1)))
		if s.guarded {
			absent := search.Not(x.field(sc.node.Items(), s.name, search.True))
			c = search.Or(c, search.And(search.Types(search.Object), absent))
		}
		parts = append(parts, c)
	}
	return search.And(search.Types(search.Array), search.EveryItem(search.And(parts...)))
}

func (x *translation) summands(e ast.Expr, sc scope) ([]summand, bool) {
	if e.Kind() != ast.CallKind {
		return nil, false
	}
	switch c := e.AsCall(); c.FunctionName() {
	case "_+_":
		left, okA := x.summands(c.Args()[0], sc)
		right, okB := x.summands(c.Args()[1], sc)
		return append(left, right...), okA && okB
	case "_?_:_":
		index, ok := hasIndex(c.Args()[0], sc)
		if !ok || !isZero(c.Args()[2]) {
			return nil, false
		}
		s, ok := x.sizeAt(c.Args()[1], index, sc)
		return []summand{s}, ok
	}
	return nil, false
}

// hasIndex returns the index in an expression self.size() > index.
func hasIndex(e ast.Expr, sc scope) (int64, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "_>_" {
		return 0, false
	}
	args := e.AsCall().Args()
	limit, _ := constantOf(args[1])
	index, ok := limit.(int64)
	of, sized := sizeOf(args[0])
	return index, ok && index >= 0 && sized && of.Kind() == ast.IdentKind && of.AsIdent() == sc.name
}

func isZero(e ast.Expr) bool {
	v, _ := constantOf(e)
	return v == int64(0)
}

func sizeOf(e ast.Expr) (ast.Expr, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return nil, false
	}
	c := e.AsCall()
	if c.IsMemberFunction() {
		return c.Target(), len(c.Args()) == 0
	}
	return c.Args()[0], len(c.Args()) == 1
}

// sizeAt translates self[index].f.size(), or has(self[index].f) ? self[index].f.size() : 0.
func (x *translation) sizeAt(e ast.Expr, index int64, sc scope) (summand, bool) {
	if of, ok := sizeOf(e); ok {
		name, ok := fieldAt(of, index, false, sc)
		return summand{name: name}, ok && sc.node.Items().Property(name).Kind() == schema.KindArray
	}
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "_?_:_" {
		return summand{}, false
	}
	args := e.AsCall().Args()
	tested, ok := fieldAt(args[0], index, true, sc)
	s, sized := x.sizeAt(args[1], index, sc)
	s.guarded = true
	return s, ok && sized && tested == s.name && isZero(args[2])
}

// fieldAt returns f if e is self[index].f. If tested is true, e must be has(self[index].f).
func fieldAt(e ast.Expr, index int64, tested bool, sc scope) (string, bool) {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() != tested || e.AsSelect().Operand().Kind() != ast.CallKind {
		return "", false
	}
	c := e.AsSelect().Operand().AsCall()
	if c.FunctionName() != "_[_]" || len(c.Args()) != 2 || c.Args()[0].Kind() != ast.IdentKind || c.Args()[0].AsIdent() != sc.name {
		return "", false
	}
	v, _ := constantOf(c.Args()[1])
	return unescaped(e.AsSelect().FieldName()), v == index
}

func (x *translation) relate(p, q path, orders search.Mask, sc scope) (verdict, bool) {
	a, okA := comparable(p.node)
	b, okB := comparable(q.node)
	if p.nullable() || q.nullable() {
		return verdict{}, false
	}
	if !okA || !okB {
		return x.relateWhole(p, q, orders, sc)
	}
	if a != b {
		return verdict{}, false
	}
	all := search.Less | search.Same | search.Greater
	v := verdict{search.Relation(p.names, q.names, orders), search.Relation(p.names, q.names, all&^orders)}
	if slices.Equal(p.names, q.names) {
		v = verdict{x.at(p, search.Types(a)), search.False}
		if orders&search.Same == 0 {
			v = v.not()
		}
	}
	return v, true
}

// relateWhole translates == or != of the old and new value of a boolean, list or object.
func (x *translation) relateWhole(p, q path, orders search.Mask, sc scope) (verdict, bool) {
	equality := orders == search.Same || orders == search.Less|search.Greater
	whole := p.node == x.root || p.node == x.metadata // rules see only a part of the metadata
	if sc.update == nil || whole || p.node != q.node || !equality || !equalAsJSON(p.node) || slices.Equal(p.names, q.names) {
		return verdict{}, false
	}
	if x.changed != nil && (x.changed(sc.below(p)) || x.changed(sc.below(q))) {
		return verdict{}, false
	}
	differ := search.Relation(p.names, q.names, search.Less|search.Greater|search.NoOrder)
	v := verdict{
		search.Relation(p.names, q.names, search.Same),
		search.And(x.at(p, search.True), x.at(q, search.True), differ),
	}
	if orders != search.Same {
		v = v.not()
	}
	return v, true
}

// equalAsJSON reports whether CEL and JSON agree about equality of values. They disagree about
// lists without order, special formats, null and unknown fields.
func equalAsJSON(n *schema.Node) bool {
	_, scalar := comparable(n)
	switch {
	case n == nil || n.Nullable() || n.IntOrString() || n.PreserveUnknownFields() || n.EmbeddedResource():
		return false
	case scalar || n.Kind() == schema.KindBoolean:
		return true
	case n.Kind() == schema.KindArray:
		listType, _ := n.ListType()
		return (listType == "" || listType == "atomic") && equalAsJSON(n.Items())
	case n.Kind() != schema.KindObject:
		return false
	}
	if additional, _ := n.AdditionalProperties(); n.AllowsAdditionalProperties() && !equalAsJSON(additional) {
		return false
	}
	for _, child := range n.Properties() {
		if !equalAsJSON(child) {
			return false
		}
	}
	return true
}
