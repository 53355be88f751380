package celeval

import (
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// Literals. If an element fails, later elements are not evaluated and cost nothing.

// A part is an element of a list, or a key or value of a map or message.
type part struct {
	argument
	optional bool
	later    uint64 // cost of the parts after it
}

type literal struct {
	operand
	parts []part
	known bool // all parts are constants
}

func (x *compiler) literal(cost uint64) *literal {
	return &literal{operand: operand{cost: cost}, known: true}
}

func (x *compiler) add(l *literal, e ast.Expr, optional bool) {
	c := x.expr(e)
	l.cost += c.cost
	l.known = l.known && c.constant != nil
	for i := range l.parts {
		l.parts[i].later += c.cost
	}
	l.parts = append(l.parts, part{argument: argument{box: x.boxed(c), cost: c.cost}, optional: optional})
}

// eval evaluates a part. ok is false if it fails. v is nil for an optional without a value.
func (l *literal) eval(f *Frame, p *part) (v ref.Val, ok bool) {
	if v = p.box(f); f.failed {
		f.cost -= p.later
		return nil, false
	}
	if !p.optional {
		return v, true
	}
	o, ok := v.(*types.Optional)
	switch {
	case !ok:
		f.decline()
		return nil, false
	case !o.HasValue():
		return nil, true
	}
	return o.GetValue(), true
}

// done returns the operand of a literal. It is a constant if all parts are constants.
func (x *compiler) done(l *literal, box func(*Frame) ref.Val) operand {
	if x.why != "" {
		return operand{}
	}
	if l.known {
		f := x.frame()
		if v := box(f); !f.failed {
			return x.constant(v)
		}
		return x.refuse("constant without a value")
	}
	l.box = box
	return l.operand
}

func (x *compiler) list(e ast.Expr) operand {
	list := e.AsList()
	l := x.literal(common.ListCreateBaseCost)
	for i, element := range list.Elements() {
		x.add(l, element, list.IsOptional(int32(i)))
	}
	parts := l.parts
	return x.done(l, func(f *Frame) ref.Val {
		f.grow(uint64(len(parts)) * cellib.BoxedBytes)
		elements := make([]ref.Val, 0, len(parts))
		for i := range parts {
			v, ok := l.eval(f, &parts[i])
			if !ok {
				return types.NullValue
			}
			if v != nil {
				elements = append(elements, v)
			}
		}
		return types.NewRefValList(x.language.Builtin, elements)
	})
}

func (x *compiler) mapLiteral(e ast.Expr) operand {
	l := x.literal(common.MapCreateBaseCost)
	for _, entry := range e.AsMap().Entries() {
		entry := entry.AsMapEntry()
		x.add(l, entry.Key(), false)
		x.add(l, entry.Value(), entry.IsOptional())
	}
	parts := l.parts
	return x.done(l, func(f *Frame) ref.Val {
		f.grow(uint64(len(parts)/2) * cellib.EntryBytes)
		m := make(map[ref.Val]ref.Val, len(parts)/2)
		for i := 0; i < len(parts); i += 2 {
			k, ok := l.eval(f, &parts[i])
			if !ok || !f.hashable(k) {
				return types.NullValue
			}
			v, ok := l.eval(f, &parts[i+1])
			switch {
			case !ok:
				return types.NullValue
			case v == nil:
				delete(m, k)
			default:
				m[k] = v
			}
		}
		return types.NewRefValMap(x.language.Builtin, m)
	})
}

// hashable reports whether a value may be a key of a Go map. If not, it declines. Go would compare
// lists and maps by address, and timestamps by the address of their time zone.
func (f *Frame) hashable(v ref.Val) bool {
	switch v.(type) {
	case types.String, types.Int, types.Uint, types.Double, types.Bool, types.Null, types.Duration, *types.Type:
		return true
	}
	f.decline()
	return false
}

// message compiles a Protobuf message, such as a wrapper of a scalar.
func (x *compiler) message(e ast.Expr) operand {
	m := e.AsStruct()
	l := x.literal(common.StructCreateBaseCost)
	names := make([]string, 0, len(m.Fields()))
	for _, field := range m.Fields() {
		field := field.AsStructField()
		names = append(names, field.Name())
		x.add(l, field.Value(), field.IsOptional())
	}
	l.known = false // cel-go makes a new message in each evaluation
	name := strings.TrimPrefix(m.TypeName(), ".")
	return x.done(l, func(f *Frame) ref.Val {
		f.grow(uint64(len(names)) * cellib.EntryBytes)
		fields := make(map[string]ref.Val, len(names))
		for i := range names {
			v, ok := l.eval(f, &l.parts[i])
			switch {
			case !ok:
				return types.NullValue
			case v == nil:
				delete(fields, names[i])
			default:
				fields[names[i]] = v
			}
		}
		return f.valueOr(x.language.Builtin.NewValue(name, fields))
	})
}
