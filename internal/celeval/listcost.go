package celeval

import (
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// listCost returns the cost of functions on lists and sets whose library counts
// it: functions that make a list pay for it and for what they read. It is not ok
// for other functions.
func listCost(overload string, result ref.Val, args []ref.Val) (units uint64, ok bool) {
	switch overload {
	case "list_slice", "lists_range", "list_reverse":
		return madeList(1, actualSize(result)), true
	case "list_flatten":
		return madeList(1, actualSize(args[0])), true
	case "list_flatten_int":
		depth, _ := args[1].(types.Int)
		return madeList(float64(depth), actualSize(args[0])), true
	case "list_distinct":
		return comparedList(args[0]), true
	case "list_sets_contains_list", "list_sets_intersects_list":
		return 1 + uint64(actualSize(args[0])*actualSize(args[1])), true
	case "list_sets_equivalent_list":
		return 1 + 2*uint64(actualSize(args[0])*actualSize(args[1])), true
	}
	if strings.HasSuffix(overload, "_sortByAssociatedKeys") {
		return comparedList(args[1]), true
	}
	if strings.HasPrefix(overload, "list_") && strings.HasSuffix(overload, "_sort") {
		return comparedList(args[0]), true
	}
	return 0, false
}

func madeList(factor float64, size int) uint64 {
	if factor < 0 {
		factor = 1
	}
	return uint64(float64(size)*factor) + 1 + common.ListCreateBaseCost
}

// comparedList returns the cost of functions that compare all elements with each
// other.
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
