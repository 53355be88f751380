package cellib

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// EstimateCallCost implements checker.CostEstimator. target is the receiver of
// a method, nil for a function. args does not include it.
func (c *Costs) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	p := PriceOf(function, overload)
	switch p {
	case unit:
		return costs(one(), nil)
	case permission:
		return costs(checker.CostEstimate{Min: permissionCost, Max: permissionCost}, nil)
	case equality:
		return equalityEstimate(args)
	}
	if target != nil {
		return c.methodEstimate(p, function, overload, *target, args)
	}
	return c.functionEstimate(p, args)
}

func (c *Costs) functionEstimate(p Price, args []checker.AstNode) *checker.CallEstimate {
	var factor float64
	switch p {
	case reshaping, argumentTraversal:
		factor = common.StringTraversalCostFactor
	case canonical:
		factor = 2 * common.StringTraversalCostFactor
	default:
		return nil
	}
	if len(args) == 0 {
		return nil
	}
	size := c.size(args[0])
	cost := size.MultiplyByCostFactor(factor)
	if p == reshaping {
		return costs(cost, &size)
	}
	return costs(cost, nil)
}

func (c *Costs) methodEstimate(p Price, function, overload string, target checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	switch p {
	case traversal:
		return costs(c.traversalEstimate(function, target), nil)
	case reshaping:
		size := c.size(target)
		return costs(size.MultiplyByCostFactor(common.StringTraversalCostFactor), &size)
	case rewriting:
		return c.rewritingEstimate(function, target, args)
	case joining:
		size := c.joinedSize(target, args)
		return costs(size.MultiplyByCostFactor(common.StringTraversalCostFactor), &size)
	}
	if len(args) == 0 {
		return nil
	}
	switch p {
	case selection:
		return costs(selectorCost(c.size(args[0])), nil)
	case searching:
		return c.searchEstimate(target, args[0])
	case containment:
		return costs(c.containmentEstimate(function, overload, args[0]), nil)
	case checking:
		const longest = apiservercel.MaxNameFormatRegexSize * common.RegexStringLengthCostFactor
		read := c.size(args[0]).MultiplyByCostFactor(common.StringTraversalCostFactor)
		return costs(read.MultiplyByCostFactor(longest), nil)
	}
	return nil
}

func costs(cost checker.CostEstimate, size *checker.SizeEstimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: cost, ResultSize: size}
}

func one() checker.CostEstimate { return checker.CostEstimate{Min: 1, Max: 1} }

// size returns the estimated size of a value, or the range of all sizes if
// nothing is known.
func (c *Costs) size(n checker.AstNode) checker.SizeEstimate {
	if size := n.ComputedSize(); size != nil {
		return *size
	}
	if size := c.EstimateSize(n); size != nil {
		return *size
	}
	return checker.SizeEstimate{Max: math.MaxUint64}
}

// EstimateSize implements checker.CostEstimator.
func (c *Costs) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if c.Sizes == nil {
		return nil
	}
	return c.Sizes.EstimateSize(n)
}

// traversalEstimate estimates the cost of visiting the elements of a list, and
// of reading the elements that are strings or bytes. A value of unknown element
// type may be a string, and is estimated as one. Only includes treats it as a
// list.
func (c *Costs) traversalEstimate(function string, list checker.AstNode) checker.CostEstimate {
	elem := elementOf(list)
	if elem == nil && function != "includes" {
		return c.size(list).MultiplyByCostFactor(common.StringTraversalCostFactor)
	}
	cost := one()
	if elem != nil {
		if kind := elem.t.Kind(); kind == types.StringKind || kind == types.BytesKind {
			cost = cost.Add(c.size(elem).MultiplyByCostFactor(common.StringTraversalCostFactor))
		}
	}
	return c.size(list).MultiplyByCost(cost)
}

func (c *Costs) rewritingEstimate(function string, target checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	var result checker.SizeEstimate
	text := c.size(target)
	switch {
	case function == "split":
		result.Max = mostParts(text, args)
	case len(args) < 2:
		return nil
	default:
		result = replacedSize(text, c.size(args[0]), c.size(args[1]))
	}
	return costs(text.MultiplyByCostFactor(2*common.StringTraversalCostFactor), &result)
}

// mostParts returns the maximum number of parts of a split. It is the limit if
// that is a literal, and otherwise one part for each character.
func mostParts(text checker.SizeEstimate, args []checker.AstNode) uint64 {
	if len(args) > 1 {
		if v := args[1].Expr().AsLiteral(); v != nil {
			if n, ok := v.Value().(int64); ok {
				return uint64(n)
			}
		}
	}
	return text.Max
}

// replacedSize returns the size of a text after old was replaced in it.
func replacedSize(text, old, replacement checker.SizeEstimate) checker.SizeEstimate {
	var times, kept checker.SizeEstimate
	times.Max, kept.Max = replacements(text.Max, old.Min, replacement.Max > old.Min)
	times.Min, kept.Min = replacements(text.Min, old.Max, replacement.Min < old.Max)
	return times.Multiply(replacement).Add(kept)
}

// replacements returns how often old is replaced, and how much of the text is
// kept. An empty old matches around each character. Otherwise the extreme size
// results from replacing the whole text, if helps is true, or from replacing
// nothing.
func replacements(text, old uint64, helps bool) (times, kept uint64) {
	switch {
	case old == 0 && text < math.MaxUint64:
		return text + 1, text
	case old == 0:
		return text, text
	case helps:
		return uint64(math.Ceil(float64(text) / float64(old))), 0
	}
	return 0, text
}

// joinedSize returns the size of all elements with a separator between any two.
func (c *Costs) joinedSize(list checker.AstNode, args []checker.AstNode) checker.SizeEstimate {
	var size checker.SizeEstimate
	count := c.size(list)
	if elem := elementOf(list); elem != nil {
		size = count.Multiply(c.size(elem))
	}
	if len(args) == 0 {
		return size
	}
	gaps := checker.SizeEstimate{Min: count.Min - min(count.Min, 1), Max: count.Max - min(count.Max, 1)}
	return size.Add(c.size(args[0]).Multiply(gaps))
}

func (c *Costs) searchEstimate(target, expr checker.AstNode) *checker.CallEstimate {
	text := c.size(target)
	steps := text.Add(checker.SizeEstimate{Min: 1, Max: 1}).MultiplyByCostFactor(common.StringTraversalCostFactor)
	states := c.size(expr).MultiplyByCostFactor(common.RegexStringLengthCostFactor)
	return costs(steps.Multiply(states), &checker.SizeEstimate{Max: text.Max})
}

// containmentEstimate estimates the cost for addresses of 4 to 16 bytes.
func (c *Costs) containmentEstimate(function, overload string, other checker.AstNode) checker.CostEstimate {
	bytes := checker.SizeEstimate{Min: 4, Max: 16}
	cost := bytes.Add(bytes).MultiplyByCostFactor(common.StringTraversalCostFactor)
	if function == "containsCIDR" {
		cost = cost.Add(bytes.MultiplyByCostFactor(common.StringTraversalCostFactor)).Add(one())
	}
	if parses(overload) {
		cost = cost.Add(checker.CostEstimate(c.size(other)).MultiplyByCostFactor(common.StringTraversalCostFactor))
	}
	return cost
}

// equalityEstimate estimates the comparison of two values of one type that the
// server adds. It returns nil for all other arguments.
func equalityEstimate(args []checker.AstNode) *checker.CallEstimate {
	if len(args) != 2 || args[0].Type().Equal(args[1].Type()) != types.True {
		return nil
	}
	t := args[0].Type()
	if t.Kind() == types.OpaqueKind && (t.TypeName() == apiservercel.IPType.TypeName() || t.TypeName() == apiservercel.CIDRType.TypeName()) {
		return costs(one(), nil)
	}
	switch t {
	case apiservercel.QuantityType, apiservercel.SemverType,
		authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType:
		return costs(one(), nil)
	case apiservercel.FormatType:
		return costs(upTo(apiservercel.MaxFormatSize), nil)
	case apiservercel.URLType:
		if size := args[1].ComputedSize(); size != nil {
			return costs(upTo(size.Max), nil)
		}
		return costs(upTo(1), nil)
	}
	return nil
}

// upTo returns the cost of reading at least one character and at most size.
func upTo(size uint64) checker.CostEstimate {
	return checker.CostEstimate{Min: 1, Max: size}.MultiplyByCostFactor(common.StringTraversalCostFactor)
}

// An element represents the elements of a list. Its path is that of the list
// with the step @items.
type element struct {
	path []string
	t    *types.Type
}

// elementOf returns the element of a list, nil if the type is not known to be a
// list.
func elementOf(list checker.AstNode) *element {
	params := list.Type().Parameters()
	if len(params) == 0 {
		return nil
	}
	e := &element{t: params[0]}
	if path := list.Path(); path != nil {
		e.path = append(path[:len(path):len(path)], "@items")
	}
	return e
}

// Path implements checker.AstNode.
func (e *element) Path() []string { return e.path }

// Type implements checker.AstNode.
func (e *element) Type() *types.Type { return e.t }

// Expr implements checker.AstNode.
func (e *element) Expr() ast.Expr { return nil }

// ComputedSize implements checker.AstNode.
func (e *element) ComputedSize() *checker.SizeEstimate { return nil }
