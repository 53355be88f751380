package cel

import (
	"github.com/google/cel-go/common/types"
)

// Optional values of raw values: an optional oldSelf, and fields that are
// selected by .? and what is below. A field that is absent costs nothing.

// optionalField compiles a field of an optional.
func (x *executor) optionalField(c code, field string, test bool) code {
	if test || c.choice || c.shape.kind != shapeObject {
		return x.refuse("field of an optional")
	}
	name, s := c.shape.entry(field)
	if s == nil {
		return x.refuse("field that is not declared")
	}
	cost, of, declared := c.cost, c.optional, c.shape.props != nil
	if !c.attr {
		cost++
	}
	return code{kind: kindOptional, cost: cost, attr: true, shape: s, optional: func(f *frame) (any, bool) {
		v, ok := of(f)
		if !ok || f.bail {
			return nil, false
		}
		m, ok := v.(map[string]any)
		if !ok {
			f.void()
			return nil, false
		}
		v, ok = m[name]
		if !ok || declared && v == nil {
			return nil, false
		}
		if !s.fits(v) {
			f.void()
		}
		f.cost++
		return v, true
	}}
}

// optionalSelection compiles .? with a name.
func (x *executor) optionalSelection(of, at code) code {
	name, ok := at.constant.(types.String)
	if !ok || of.choice || of.presence {
		return x.refuse("optional index")
	}
	if of.kind == kindRaw {
		raw := of.raw
		of.kind, of.optional = kindOptional, func(f *frame) (any, bool) {
			v := raw(f)
			if v == nil {
				f.void()
			}
			return v, true
		}
	}
	if of.kind != kindOptional {
		return x.refuse("optional field of " + kindName(of))
	}
	return x.optionalField(of, string(name), false)
}

// optionalCall compiles a function of an optional.
func (x *executor) optionalCall(name string, args []code) code {
	a := args[0]
	of := a.optional
	switch {
	case len(args) == 1 && name == "hasValue":
		return code{kind: kindBool, cost: a.cost + 1, bool: func(f *frame) bool {
			_, ok := of(f)
			return ok
		}}
	case len(args) == 1 && name == "value":
		return x.typed(code{cost: a.cost + 1, shape: a.shape, raw: func(f *frame) any {
			v, ok := of(f)
			if !ok {
				f.void()
			}
			return v
		}})
	case name == "orValue":
		return x.orValue(a, args[1])
	}
	return x.refuse("function of an optional")
}

// orValue costs nothing itself, and its alternative only if it is needed.
func (x *executor) orValue(a, b code) code {
	of, cost := a.optional, b.cost
	yes := x.typed(code{shape: a.shape, raw: func(f *frame) any { return f.held }})
	out := x.ternaryOf(&branches{costNo: cost, test: func(f *frame) bool {
		v, ok := of(f)
		f.held = v
		return ok
	}}, yes, b)
	out.cost, out.choice = a.cost, false
	return out
}
