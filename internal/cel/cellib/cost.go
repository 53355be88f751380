package cellib

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// The name of a function determines how a call is charged. An estimate depends on what is known
// about the arguments, and covers the most expensive case. The actual cost depends on the values.

// A Price says how a function call is charged.
type Price uint8

const (
	free              Price = iota // cel-go charges for the call
	unit                           // looks up a value
	permission                     // asks for a permission
	selection                      // parses a selector
	traversal                      // visits all elements of a list
	argumentTraversal              // reads its argument
	reshaping                      // reads its receiver or argument, and returns a value of the same size
	rewriting                      // reads its receiver and writes a new string
	joining                        // writes a string from a list
	searching                      // applies a regular expression
	canonical                      // parses its argument and prints it again
	containment                    // compares bytes of networks
	checking                       // applies a format
	equality
	nothing
)

// permissionCost is low enough for two permission checks in one rule.
const permissionCost = 350_000

func PriceOf(function, overload string) Price {
	switch function {
	case Ordered:
		return nothing
	case "_==_":
		return equality
	case "check":
		return permission
	case "fieldSelector", "labelSelector":
		return selection
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes":
		return traversal
	case "url", "lowerAscii", "upperAscii", "substring", "trim":
		return reshaping
	case "replace", "split":
		return rewriting
	case "join":
		return joining
	case "find", "findAll":
		return searching
	case "ip":
		if overload == "cidr_ip" {
			return unit
		}
		return argumentTraversal
	case "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver":
		return argumentTraversal
	case "ip.isCanonical":
		return canonical
	case "containsIP", "containsCIDR":
		return containment
	case "validate":
		return checking
	}
	if isLookup(function) {
		return unit
	}
	return free
}

func isLookup(function string) bool {
	switch function {
	case "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored",
		"getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery",
		"sign", "asInteger", "isInteger", "asApproximateFloat", "add", "sub", "isGreaterThan", "isLessThan", "compareTo",
		"family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
		"masked", "prefixLength", "major", "minor", "patch", "format.named":
		return true
	}
	return false
}

// Ordered is a function that orders a map for a loop, at no cost. Rules cannot call it.
const Ordered = "@ordered"

// Costs tells cel-go the costs of the functions that the server adds. If Sizes is nil, the sizes of
// variables are unknown.
type Costs struct {
	Sizes checker.CostEstimator // only EstimateSize is called
}

func (*Costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if cost, ok := PriceOf(function, overload).CallCost(function, overload, args, result); ok {
		return &cost
	}
	return nil
}

// CallCost returns the actual cost of a call. The receiver is the first argument. ok is false for
// functions of cel-go.
func (p Price) CallCost(function, overload string, args []ref.Val, result ref.Val) (cost uint64, ok bool) {
	if len(args) < leastArgs(p) {
		return 0, false
	}
	switch p {
	case nothing:
		return 0, true
	case unit:
		return 1, true
	case permission:
		return permissionCost, true
	case selection:
		n := sizeOf(args[1])
		return selectorCost(checker.SizeEstimate{Min: n, Max: n}).Max, true
	case traversal:
		if Nodes(args[0], MaxNodes) >= MaxNodes { // the call is refused
			return 0, true
		}
		return traversed(args[0]), true
	case reshaping, argumentTraversal, rewriting, canonical:
		return p.SizeCost(sizeOf(args[0])), true
	case joining:
		return doubleTraversal(sizeOf(result)), true
	case searching:
		return searchCost(sizeOf(args[0]), sizeOf(args[1])), true
	case containment:
		return containmentCost(function, overload, sizeOf(args[0]), sizeOf(args[1])), true
	case checking:
		if f, ok := args[0].(apiservercel.Format); ok {
			return searchCost(sizeOf(args[1]), uint64(f.MaxRegexSize)), true
		}
	case equality:
		return 1, hasOwnType(args[0])
	}
	return 0, false
}

// SizeCost returns the actual cost of a call whose cost depends on one size or is constant.
func (p Price) SizeCost(size uint64) uint64 {
	switch p {
	case reshaping, argumentTraversal:
		return rounded(float64(size) * common.StringTraversalCostFactor)
	case rewriting, canonical:
		return doubleTraversal(size)
	}
	return 1
}

func leastArgs(p Price) int {
	switch p {
	case traversal, reshaping, argumentTraversal, rewriting, joining, canonical:
		return 1
	case selection, searching, containment, checking, equality:
		return 2
	}
	return 0
}

func sizeOf(v ref.Val) uint64 {
	if s, ok := v.(traits.Sizer); ok {
		n, _ := s.Size().(types.Int)
		return uint64(n)
	}
	return 1
}

func rounded(cost float64) uint64 { return uint64(math.Ceil(cost)) }

func doubleTraversal(size uint64) uint64 {
	return rounded(float64(size) * 2 * common.StringTraversalCostFactor)
}

// searchCost returns the cost of a search, from the sizes of text and regular expression.
func searchCost(text, expr uint64) uint64 {
	return rounded((1+float64(text))*common.StringTraversalCostFactor) * rounded(float64(expr)*common.RegexStringLengthCostFactor)
}

// containmentCost returns the cost of comparing a network with an address, or with another network,
// which is masked. Strings are parsed first.
func containmentCost(function, overload string, network, other uint64) uint64 {
	cost := rounded(float64(network+network) * common.StringTraversalCostFactor)
	if function == "containsCIDR" {
		cost += rounded(float64(network)*common.StringTraversalCostFactor) + 1
	}
	if parses(overload) {
		cost += rounded(float64(other) * common.StringTraversalCostFactor)
	}
	return cost
}

// parses reports whether the overload takes a string and parses it. It returns false if the
// type is known only at run time.
func parses(overload string) bool {
	return overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string"
}

// selectorCost returns the cost of parsing a selector. It assumes one requirement, which becomes a
// list, for every two characters.
func selectorCost(text checker.SizeEstimate) checker.CostEstimate {
	const requirement = float64(common.ListCreateBaseCost + common.StructCreateBaseCost)
	list := checker.CostEstimate{Min: common.ListCreateBaseCost, Max: common.ListCreateBaseCost}
	return list.Add(text.MultiplyByCostFactor(common.StringTraversalCostFactor)).
		Add(text.MultiplyByCostFactor(0.5).MultiplyByCostFactor(requirement))
}

// traversed returns the cost of visiting v and everything in it.
func traversed(v ref.Val) uint64 {
	var cost uint64
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			cost += traversed(it.Next())
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			cost += traversed(key) + traversed(v.Get(key))
		}
	default:
		return 1
	}
	return cost
}

func hasOwnType(v ref.Val) bool {
	switch v.(type) {
	case apiservercel.Quantity, *apiservercel.Quantity, apiservercel.IP, apiservercel.CIDR,
		apiservercel.URL, apiservercel.Format, apiservercel.Semver:
		return true
	}
	return false
}

// EstimateCallCost implements checker.CostEstimator. target is the receiver, nil for functions.
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

// size returns the estimated size of a value. If it is unknown, the range covers all sizes.
func (c *Costs) size(n checker.AstNode) checker.SizeEstimate {
	if size := n.ComputedSize(); size != nil {
		return *size
	}
	if size := c.EstimateSize(n); size != nil {
		return *size
	}
	return checker.SizeEstimate{Max: math.MaxUint64}
}

func (c *Costs) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if c.Sizes == nil {
		return nil
	}
	return c.Sizes.EstimateSize(n)
}

// traversalEstimate estimates visiting a list and reading its strings or bytes. Elements of unknown
// type count as strings, except for the function includes.
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

// mostParts returns the maximum number of parts of a split: the limit if it is a literal, else one
// for each character.
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

func replacedSize(text, old, replacement checker.SizeEstimate) checker.SizeEstimate {
	var times, kept checker.SizeEstimate
	times.Max, kept.Max = replacements(text.Max, old.Min, replacement.Max > old.Min)
	times.Min, kept.Min = replacements(text.Min, old.Max, replacement.Min < old.Max)
	return times.Multiply(replacement).Add(kept)
}

// replacements returns how many replacements a call makes and how many characters it keeps. If whole
// is true, every character belongs to a match of old; otherwise none does. text and old are sizes.
// An empty old matches before and after each character.
func replacements(text, old uint64, whole bool) (times, kept uint64) {
	switch {
	case old == 0 && text < math.MaxUint64:
		return text + 1, text
	case old == 0:
		return text, text
	case whole:
		return uint64(math.Ceil(float64(text) / float64(old))), 0
	}
	return 0, text
}

// joinedSize returns the size of all elements, with separators between them.
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

// containmentEstimate estimates a containment test. An address has 4 to 16 bytes.
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

// equalityEstimate estimates == of two values of a type that the server adds to CEL. It returns nil
// for other types.
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

// An element is a node for the elements of a list. Its path is the path of the list, then @items.
// It implements checker.AstNode.
type element struct {
	path []string
	t    *types.Type
}

// elementOf returns the element of a list. It returns nil if the node may be something else.
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

func (e *element) Path() []string { return e.path }

func (e *element) Type() *types.Type { return e.t }

func (e *element) Expr() ast.Expr { return nil }

func (e *element) ComputedSize() *checker.SizeEstimate { return nil }
