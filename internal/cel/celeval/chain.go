package celeval

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Fields and elements of values that are not parts of the object. A chain of them is one
// step, as in cel-go: an optional base or qualifier makes the whole chain optional. Each
// qualifier costs one unit when it finds something or fails.

// A chain is a base with qualifiers.
type chain struct {
	base       func(*Frame) ref.Val
	qualifiers []qualifier
}

// A qualifier is a field or an index.
type qualifier struct {
	known    ref.Val  // nil if the key is evaluated
	key      argument // its cost is paid when it is evaluated
	optional bool
	test     bool // only the presence is asked for
}

// fieldOf returns the qualifier of a field.
func fieldOf(name string) qualifier { return qualifier{known: types.String(name)} }

// indexWith returns the qualifier of an index.
func (x *compiler) indexWith(at operand) qualifier {
	q := qualifier{known: at.constant}
	if q.known == nil {
		q.key = argument{box: x.boxed(at), cost: branchCost(at)}
	}
	return q
}

// qualified compiles a field or an element of any value, of type t.
func (x *compiler) qualified(of operand, q qualifier, t *types.Type) operand {
	switch {
	case of.choice: // each branch is an attribute of its own
		return x.refuse("field of a ternary")
	case of.presence || x.isMessage(of):
		return x.refuse("field of " + kindName(of))
	}
	c := &chain{}
	out := operand{cost: of.cost, attr: true, presence: q.test}
	if outer := of.chain; outer != nil {
		c.base, c.qualifiers = outer.base, append(slices.Clip(outer.qualifiers), q)
	} else {
		c.base, c.qualifiers = x.boxed(of), []qualifier{q}
		if !of.attr {
			out.cost++
		}
	}
	if x.why != "" {
		return operand{}
	}
	out.chain = c
	if q.test {
		out.cost--
		out.attr = false
		out.value = as(kindBool, c.present)
		return out
	}
	out.box = c.eval
	return x.unbox(t, out)
}

// isMessage reports whether an operand is a message of Protobuf, which has its own fields.
func (x *compiler) isMessage(of operand) bool {
	if of.typ == nil || of.typ.Kind() != types.StructKind {
		return false
	}
	_, ok := x.language.Builtin.FindStructType(of.typ.TypeName())
	return ok
}

// eval evaluates a chain.
func (c *chain) eval(f *Frame) ref.Val {
	v, optional := c.find(f)
	switch {
	case f.failed:
		return types.NullValue
	case v == nil:
		return types.OptionalNone
	case optional:
		return types.OptionalOf(v)
	}
	return f.checked(v)
}

// present evaluates a chain that ends with a test.
func (c *chain) present(f *Frame) bool {
	v, optional := c.find(f)
	return !f.failed && v != nil && (optional || v == types.True)
}

// find returns the value of a chain, nil for none, and whether it is the value of an
// optional.
func (c *chain) find(f *Frame) (v ref.Val, optional bool) {
	if v = c.base(f); f.failed {
		return nil, false
	}
	if o, ok := v.(*types.Optional); ok {
		if !o.HasValue() {
			return nil, true
		}
		v, optional = o.GetValue(), true
	}
	for i := range c.qualifiers {
		q := &c.qualifiers[i]
		optional = optional || q.optional
		if v = c.step(f, q, v, optional); f.failed || v == nil {
			return nil, optional
		}
	}
	return v, optional
}

// step applies a qualifier. It returns nil if it finds nothing or fails.
func (c *chain) step(f *Frame, q *qualifier, v ref.Val, optional bool) ref.Val {
	k := q.known
	if k == nil {
		f.pay(q.key.cost)
		if k = q.key.box(f); f.failed {
			if !optional {
				f.pay(1)
			}
			return nil
		}
	}
	found, what := f.entryOf(v, k, optional || q.test)
	if !optional || found != nil {
		f.pay(1)
	}
	switch {
	case f.failed:
		return nil
	case what != nil:
		f.fail(what)
		return nil
	case q.test && !optional:
		return types.Bool(found != nil)
	}
	return found
}

// entryOf returns an entry or element, nil for none, which is an error unless test is set.
// It declines values and keys whose errors it does not know.
func (f *Frame) entryOf(v, k ref.Val, test bool) (ref.Val, *EvalError) {
	switch k.(type) {
	case types.String, types.Int, types.Uint, types.Bool, types.Double:
	case types.Bytes, types.Null, types.Duration, types.Timestamp:
		return nil, &EvalError{text: fmt.Sprintf("invalid qualifier type: %T", k)}
	default:
		f.decline()
		return nil, nil
	}
	kind := absentKey
	switch v := v.(type) {
	case traits.Mapper:
		found, ok := v.Find(k)
		if what, failed := found.(*types.Err); failed {
			return nil, &EvalError{text: what.Error()}
		}
		if ok {
			return found, nil
		}
	case traits.Lister:
		i, err := types.IndexOrError(k)
		if err != nil {
			return nil, &EvalError{text: err.Error()}
		}
		if i >= 0 && i < actualSize(v) {
			return f.checked(v.Get(k)), nil
		}
		kind = outOfBounds
	case traits.Indexer, *types.Err: // an optional may hold an error
		f.decline()
		return nil, nil
	}
	if test {
		return nil, nil
	}
	return nil, missing(kind, k)
}

// missing returns the error for an absent entry or element.
func missing(kind string, k any) *EvalError {
	return &EvalError{text: fmt.Sprintf("%s: %v", kind, k)}
}
