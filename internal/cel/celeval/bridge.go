package celeval

import (
	"math"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/value/pattern"
)

// The bridge calls functions of cel-go with boxed values, and charges what cel-go charges.

const sortByKeys = "@sortByAssociatedKeys"

func (x *compiler) bridge(e ast.Expr, name string, args []operand) operand {
	fn := x.language.Functions[name]
	if fn == nil || name == "or" || name == "orValue" { // the planner of cel-go implements or and orValue
		return x.refuse("function " + name)
	}
	overload := x.overload(e)
	if name == sortByKeys && overload == "" { // the cost depends on the overload
		return x.refuse("sortBy of unknown keys")
	}
	impl, out := quicker(overload, implementation(fn, name, overload)), operand{}
	if expr, ok := knownExpression(name, args); ok {
		if impl = matcher(expr); impl == nil || name != "matches" {
			return x.refuse("search of " + kindName(args[0]))
		}
	}
	c := &boxedCall{function: functionOf(name, overload), impl: impl}
	c.inTurn = !(len(args) == 1 && (impl == nil || impl.Unary != nil) || len(args) == 2 && (impl == nil || impl.Binary != nil))
	if impl != nil && impl.NonStrict || c.inTurn && (impl == nil || impl.Function == nil) {
		return x.refuse("call of " + name)
	}
	for _, a := range args {
		out.cost += a.cost
		c.args = append(c.args, argument{box: x.boxed(a), cost: a.cost})
	}
	if x.why != "" {
		return operand{}
	}
	out.box = c.call
	if !c.guarded && !c.deep {
		x.foldCall(&out, args)
	}
	return x.unbox(x.tree.GetType(e.ID()), out)
}

// foldCall makes a call with constant arguments once. Each evaluation counts the cost.
func (x *compiler) foldCall(out *operand, args []operand) {
	for _, a := range args {
		if a.constant == nil {
			return
		}
	}
	f := x.frame()
	if v := out.box(f); !f.failed {
		out.cost += f.cost
		out.box = func(*Frame) ref.Val { return v }
	}
}

// knownExpression returns a constant regular expression, which cel-go compiles once.
func knownExpression(name string, args []operand) (expr types.String, ok bool) {
	switch name {
	case "matches", "find", "findAll":
		expr, ok = args[1].constant.(types.String)
	}
	return expr, ok
}

// matcher returns the function matches for a regular expression, nil if the expression is invalid.
func matcher(expr types.String) *functions.Overload {
	p, err := pattern.Compile(string(expr))
	if err != nil {
		return nil
	}
	return &functions.Overload{Function: func(args ...ref.Val) ref.Val {
		if s, ok := args[0].Value().(string); ok {
			return types.Bool(p.Match(s))
		}
		return types.NoSuchOverloadErr()
	}}
}

func implementation(fn *decls.FunctionDecl, name, overload string) *functions.Overload {
	bindings, err := fn.Bindings()
	if err != nil {
		return nil
	}
	var byName *functions.Overload
	for _, b := range bindings {
		switch {
		case overload != "" && b.Operator == overload:
			return b
		case b.Operator == name:
			byName = b
		}
	}
	return byName
}

// byResult reports whether the cost of a call depends on its result.
func byResult(overload string) bool {
	return overload == "list_slice" || overload == "list_join" || overload == "list_join_string"
}

// KnownCost returns the part of the cost of a call that is known before the call.
func KnownCost(name, overload string, args []ref.Val) uint64 {
	f := functionOf(name, overload)
	return f.knownCost(args)
}

// A function is one overload and its properties.
type function struct {
	name, overload string
	price          cellib.Price
	deep, guarded  bool // see cellib.Deep and cellib.Guarded
	lists          bool // the list library may determine its cost
}

func functionOf(name, overload string) function {
	return function{name, overload, cellib.PriceOf(name, overload), cellib.Deep(name), cellib.Guarded(name),
		strings.HasPrefix(overload, "list")}
}

func (c *function) knownCost(args []ref.Val) uint64 {
	switch {
	case c.name == "join":
		return tenthOf(2 * int(cellib.JoinedSize(args)))
	case c.lists && byResult(c.overload):
		return 0
	}
	return c.cost(nil, args...)
}

func (c *function) cost(result ref.Val, args ...ref.Val) uint64 {
	if c.lists {
		if units, ok := listCost(c.overload, result, args); ok {
			return units
		}
	}
	if units, ok := c.price.CallCost(c.name, c.overload, args, result); ok {
		return units
	}
	switch c.overload {
	case overloads.StartsWithString, overloads.EndsWithString:
		return tenthOf(actualSize(args[1]))
	case overloads.StringToBytes, overloads.BytesToString, overloads.ExtQuoteString, overloads.ExtFormatString:
		return tenthOf(actualSize(args[0]))
	case overloads.InList:
		return uint64(actualSize(args[1]))
	case overloads.LessString, overloads.GreaterString, overloads.LessEqualsString, overloads.GreaterEqualsString,
		overloads.LessBytes, overloads.GreaterBytes, overloads.LessEqualsBytes, overloads.GreaterEqualsBytes,
		overloads.Equals, overloads.NotEquals:
		return tenthOf(min(actualSize(args[0]), actualSize(args[1])))
	case overloads.AddString, overloads.AddBytes:
		return tenthOf(actualSize(args[0]) + actualSize(args[1]))
	case overloads.Matches, overloads.MatchesString:
		return uint64(math.Ceil((1.0+float64(actualSize(args[0])))*0.1)) * uint64(math.Ceil(float64(actualSize(args[1]))*0.25))
	case overloads.ContainsString:
		return tenthOf(actualSize(args[0])) * tenthOf(actualSize(args[1]))
	}
	return 1
}

func actualSize(v ref.Val) int {
	if o, ok := v.(*types.Optional); ok && o.HasValue() {
		return actualSize(o.GetValue())
	}
	return ownSize(v)
}

// ownSize is like actualSize, but the size of an optional is 1, as in the list and set libraries.
func ownSize(v ref.Val) int {
	if s, ok := v.(traits.Sizer); ok {
		n, _ := s.Size().(types.Int)
		return int(n)
	}
	return 1
}

// foldable reports whether cel-go evaluates a call when it plans the program.
func (x *compiler) foldable(name string, args []operand) bool {
	return len(args) == 1 && args[0].constant != nil && overloads.IsTypeConversionFunction(name)
}

func (x *compiler) folded(e ast.Expr, name string, args []operand) operand {
	c := x.bridge(e, name, args)
	box := x.boxed(c)
	if x.why != "" {
		return operand{}
	}
	f := x.frame()
	v := box(f)
	if f.failed {
		return x.refuse("constant without a value")
	}
	return x.constant(v)
}

// listCost returns the cost of a call if the list library determines it. Otherwise ok is false.
func listCost(overload string, result ref.Val, args []ref.Val) (units uint64, ok bool) {
	switch overload {
	case "list_slice":
		return madeList(1, ownSize(result)), true
	case "lists_range":
		if types.IsError(result) {
			return madeList(1, ownSize(result)), true
		}
		return madeList(1, int(cellib.RangeSize(args))), true
	case "list_reverse":
		if _, ok := args[0].(traits.Lister); !ok { // the result is an error
			return madeList(1, 1), true
		}
		return madeList(1, ownSize(args[0])), true
	case "list_flatten":
		return madeList(1, ownSize(args[0])), true
	case "list_flatten_int":
		depth, _ := args[1].(types.Int)
		return madeList(float64(depth), ownSize(args[0])), true
	case "list_sets_contains_list", "list_sets_intersects_list":
		return 1 + uint64(ownSize(args[0])*ownSize(args[1])), true
	case "list_sets_equivalent_list":
		return 1 + 2*uint64(ownSize(args[0])*ownSize(args[1])), true
	}
	if comparesElements(overload) {
		return comparedList(args[len(args)-1]), true
	}
	return 0, false
}

// comparesElements reports whether [comparedList] of the last argument is the cost of a call.
func comparesElements(overload string) bool {
	return overload == "list_distinct" || strings.HasSuffix(overload, "_sortByAssociatedKeys") ||
		strings.HasPrefix(overload, "list_") && strings.HasSuffix(overload, "_sort")
}

// countable reports whether cel-go can compute the cost of a call. If not, cel-go panics.
func (c *function) countable(args []ref.Val) bool {
	ok := true
	switch {
	case !c.lists:
	case c.overload == "list_flatten_int":
		_, ok = args[1].(types.Int)
	case comparesElements(c.overload):
		_, ok = args[len(args)-1].(traits.Lister)
	}
	return ok
}

func madeList(factor float64, size int) uint64 {
	if factor < 0 {
		factor = 1
	}
	return uint64(float64(size)*factor) + 1 + common.ListCreateBaseCost
}

// comparedList returns the cost of comparing each element with all others.
func comparedList(v ref.Val) uint64 {
	list, ok := v.(traits.Lister)
	n := actualSize(v)
	if !ok || n == 0 {
		return madeList(2, 0)
	}
	factor := 2.0
	if t := list.Get(types.IntZero).Type(); t == types.StringType || t == types.BytesType {
		factor += common.StringTraversalCostFactor
	}
	return madeList(factor, n*n)
}
