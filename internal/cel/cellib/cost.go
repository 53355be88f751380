package cellib

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Costs.
//
// The name of a function decides how a call is charged. An estimate depends on
// what is known of the arguments before the call, and covers the most expensive
// case. The actual cost depends on the values. Estimates and actual costs
// differ in places, as in the server: the server admits rules by their
// estimates and stops them by their actual costs.

// A Price is a way to charge for a function call.
type Price uint8

const (
	free              Price = iota // cel-go charges for the call
	unit                           // looks up one thing
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

// PriceOf returns how a function call is charged.
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

// Ordered is the name of a function that programs call and no expression can. It
// costs nothing.
const Ordered = "@ordered"

// Costs tells cel-go the estimated and the actual costs of the functions that
// the server adds. If Sizes is nil, the sizes of variables are unknown.
type Costs struct {
	Sizes checker.CostEstimator // only its EstimateSize is called
}

// CallCost implements interpreter.ActualCostEstimator.
func (*Costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if cost, ok := PriceOf(function, overload).CallCost(function, overload, args, result); ok {
		return &cost
	}
	return nil
}

// CallCost returns the actual cost of a call. ok is false for functions that
// cel-go charges for. The receiver of a method is the first argument.
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
		if Nodes(args[0], MaxNodes) >= MaxNodes { // no evaluation makes the call
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

// SizeCost returns the actual cost of a call that depends on the size of one value at most.
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

// sizeOf returns the size of v, or 1 if v has no size.
func sizeOf(v ref.Val) uint64 {
	if s, ok := v.(traits.Sizer); ok {
		n, _ := s.Size().(types.Int)
		return uint64(n)
	}
	return 1
}

func rounded(cost float64) uint64 { return uint64(math.Ceil(cost)) }

// doubleTraversal returns the cost of reading a text twice.
func doubleTraversal(size uint64) uint64 {
	return rounded(float64(size) * 2 * common.StringTraversalCostFactor)
}

// searchCost returns the cost of applying a regular expression to a text. An
// empty text has a cost too.
func searchCost(text, expr uint64) uint64 {
	return rounded((1+float64(text))*common.StringTraversalCostFactor) * rounded(float64(expr)*common.RegexStringLengthCostFactor)
}

// containmentCost returns the cost of comparing a network with an address, or
// with another network, which is masked first. A string is parsed first.
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

// parses reports whether the argument of a containment test is a string. It
// returns false if the type of the argument is known only at run time, because
// the checker has then not chosen one overload.
func parses(overload string) bool {
	return overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string"
}

// selectorCost returns the cost of parsing a list of requirements. The shortest
// requirement has two characters, and each requirement makes a list.
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

// hasOwnType reports whether the type of v is one that the server adds.
func hasOwnType(v ref.Val) bool {
	switch v.(type) {
	case apiservercel.Quantity, *apiservercel.Quantity, apiservercel.IP, apiservercel.CIDR,
		apiservercel.URL, apiservercel.Format, apiservercel.Semver:
		return true
	}
	return false
}
