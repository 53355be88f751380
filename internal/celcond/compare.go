package celcond

import (
	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/satisfy"
	"github.com/crdkit/crdkit/schema"
)

// reversed returns the orders of exchanged operands.
func reversed(orders satisfy.Mask) satisfy.Mask {
	out := orders & satisfy.Same
	if orders&satisfy.Less != 0 {
		out |= satisfy.Greater
	}
	if orders&satisfy.Greater != 0 {
		out |= satisfy.Less
	}
	return out
}

// compare translates a comparison.
func (x *translation) compare(a, b ast.Expr, orders satisfy.Mask, sc scope) (verdict, bool) {
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
		if flag, ok := c.(bool); ok && orders&(satisfy.Less|satisfy.Greater) == 0 || ok && orders == satisfy.Less|satisfy.Greater {
			v := x.operand(a, sc)
			if flag != (orders == satisfy.Same) {
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
	if isBoolean(a) && isBoolean(b) && (orders == satisfy.Same || orders == satisfy.Less|satisfy.Greater) {
		return x.equivalent(a, b, orders == satisfy.Same, sc)
	}
	return verdict{}, false
}

// isBoolean reports whether an expression is boolean by its operator.
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

// equivalent translates the comparison of two boolean expressions.
func (x *translation) equivalent(a, b ast.Expr, same bool, sc scope) (verdict, bool) {
	v, w := x.operand(a, sc), x.operand(b, sc)
	out := verdict{
		satisfy.Or(satisfy.And(v.holds, w.holds), satisfy.And(v.fails, w.fails)),
		satisfy.Or(satisfy.And(v.holds, w.fails), satisfy.And(v.fails, w.holds)),
	}
	if !same {
		out = out.not()
	}
	return out, true
}

// comparable reports whether the values of a schema are numbers or strings in CEL,
// and which.
func comparable(n *schema.Node) (satisfy.Mask, bool) {
	switch n.Kind() {
	case schema.KindInteger, schema.KindNumber:
		return satisfy.Number, !n.IntOrString()
	case schema.KindString:
		switch n.Limits().Format {
		case "byte", "duration", "date", "date-time":
			return 0, false // bytes, durations and timestamps
		}
		return satisfy.String, !n.IntOrString()
	}
	return 0, false
}

// compareConstant translates the comparison of a field with a constant.
func (x *translation) compareConstant(p path, c any, orders satisfy.Mask) (verdict, bool) {
	equality := orders == satisfy.Same || orders == satisfy.Less|satisfy.Greater
	mask, ok := comparable(p.node)
	if p.node.Kind() == schema.KindBoolean {
		mask, ok = satisfy.Bool, equality
	}
	if p.node.IntOrString() {
		mask, ok = satisfy.Integer|satisfy.String, equality
	}
	if !ok || mask&satisfy.TypeOf(c) == 0 {
		return verdict{}, false
	}
	if equality {
		same := verdict{x.at(p, satisfy.Enum(c)), x.at(p, strictNot(mask, satisfy.Enum(c)))}
		if orders != satisfy.Same {
			same = same.not()
		}
		return same, true
	}
	if mask != satisfy.Number {
		return verdict{}, false
	}
	return verdict{x.at(p, ordered(c, orders)), x.at(p, ordered(c, (satisfy.Less|satisfy.Same|satisfy.Greater)&^orders))}, true
}

// ordered holds for numbers whose order to c is one of orders.
func ordered(c any, orders satisfy.Mask) *satisfy.Cond {
	var x float64
	switch c := c.(type) {
	case int64:
		x = float64(c)
	case float64:
		x = c
	}
	if orders&satisfy.Less != 0 {
		return satisfy.AtMost(x, orders&satisfy.Same == 0)
	}
	return satisfy.AtLeast(x, orders&satisfy.Same == 0)
}

// nullable reports whether null could be on the path.
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

// oldMember stands for oldSelf in the paths of relations. No object has it, so such
// relations only cancel out.
const oldMember = "\x01oldSelf"

// pathOrOld returns the path that an expression selects from self or oldSelf.
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

// sized returns the field whose size an expression takes.
func (x *translation) sized(e ast.Expr, sc scope) (path, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return path{}, false
	}
	c := e.AsCall()
	if c.IsMemberFunction() {
		return x.path(c.Target(), sc)
	}
	return x.path(c.Args()[0], sc)
}

// compareSize translates the comparison of a size with a constant.
func (x *translation) compareSize(p path, c any, orders satisfy.Mask) (verdict, bool) {
	n, ok := c.(int64)
	atLeast, mask := satisfy.MinRunes, satisfy.String
	switch p.node.Kind() {
	case schema.KindString:
		_, known := comparable(p.node)
		ok = ok && known
	case schema.KindArray:
		atLeast, mask = satisfy.MinItems, satisfy.Array
	case schema.KindObject:
		atLeast, mask = satisfy.MinProps, satisfy.Object
		ok = ok && p.node.Len() == 0
	default:
		ok = false
	}
	if !ok {
		return verdict{}, false
	}
	sizes := func(orders satisfy.Mask) *satisfy.Cond {
		var alternatives []*satisfy.Cond
		if orders&satisfy.Less != 0 {
			alternatives = append(alternatives, strictNot(mask, atLeast(n)))
		}
		if orders&satisfy.Same != 0 {
			alternatives = append(alternatives, satisfy.And(atLeast(n), strictNot(mask, atLeast(n+1))))
		}
		if orders&satisfy.Greater != 0 {
			alternatives = append(alternatives, atLeast(n+1))
		}
		switch orders {
		case satisfy.Less | satisfy.Same:
			return strictNot(mask, atLeast(n+1))
		case satisfy.Greater | satisfy.Same:
			return atLeast(n)
		}
		return satisfy.Or(alternatives...)
	}
	all := satisfy.Less | satisfy.Same | satisfy.Greater
	return verdict{x.at(p, sizes(orders)), x.at(p, sizes(all&^orders))}, true
}

// in translates membership in a list of constants, and that of a constant in a
// list or map.
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
			ok = ok && known && mask&satisfy.TypeOf(v) != 0
			values = append(values, v)
		}
		if !ok || len(values) == 0 {
			return verdict{}, false
		}
		return verdict{x.at(p, satisfy.Enum(values...)), x.at(p, strictNot(mask, satisfy.Enum(values...)))}, true
	}
	c, okA := constantOf(a)
	p, okB := x.path(b, sc)
	if !okA || !okB {
		return verdict{}, false
	}
	if p.node.Kind() == schema.KindArray {
		mask, ok := comparable(p.node.Items())
		if !ok || mask&satisfy.TypeOf(c) == 0 {
			return verdict{}, false
		}
		return verdict{x.at(p, satisfy.SomeItem(satisfy.Enum(c))), x.at(p, strictNot(satisfy.Array, satisfy.SomeItem(satisfy.Enum(c))))}, true
	}
	key, ok := c.(string)
	if !ok || p.node.Kind() != schema.KindObject || p.node.Len() > 0 {
		return verdict{}, false
	}
	present := x.field(p.node, key, satisfy.True)
	return verdict{x.at(p, present), x.at(p, strictNot(satisfy.Object, present))}, true
}
