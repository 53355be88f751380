package cellib

import (
	"iter"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// A namedType is a type and its name in the names of overloads.
type namedType struct {
	name string
	t    *cel.Type
	zero ref.Val // nil if values cannot be added
}

// ordered returns the types whose values can be compared. cel-go tries them in this order.
func ordered() []namedType {
	return []namedType{
		{"int", cel.IntType, types.Int(0)},
		{"uint", cel.UintType, types.Uint(0)},
		{"double", cel.DoubleType, types.Double(0)},
		{"bool", cel.BoolType, nil},
		{"duration", cel.DurationType, types.Duration{}},
		{"timestamp", cel.TimestampType, nil},
		{"string", cel.StringType, nil},
		{"bytes", cel.BytesType, nil},
	}
}

// lists returns the library of list functions. withIncludes adds the function includes.
func lists(withIncludes bool) cel.EnvOption {
	var sorted, sums, largest, smallest []cel.FunctionOpt
	for _, e := range ordered() {
		list := cel.ListType(e.t)
		sorted = append(sorted, declare("list_"+e.name+"_is_sorted_bool", cel.BoolType, list).method(bindUnary(isSorted)))
		if e.zero != nil {
			sums = append(sums, declare("list_"+e.name+"_sum_"+e.name, e.t, list).method(sum(e.zero)))
		}
		largest = append(largest, declare("list_"+e.name+"_max_"+e.name, e.t, list).method(extreme("max", types.IntNegOne)))
		smallest = append(smallest, declare("list_"+e.name+"_min_"+e.name, e.t, list).method(extreme("min", types.IntOne)))
	}
	a := cel.TypeParamType("A")
	functions := []cel.EnvOption{
		define("isSorted", sorted...),
		define("sum", sums...),
		define("max", largest...),
		define("min", smallest...),
		define("indexOf",
			declare("list_a_index_of_int", cel.IntType, cel.ListType(a), a).method(bindBinary(indexOf))),
		define("lastIndexOf",
			declare("list_a_last_index_of_int", cel.IntType, cel.ListType(a), a).method(bindBinary(lastIndexOf))),
	}
	if withIncludes {
		functions = append(functions, define("includes",
			declare("list_includes_dyn_dyn", cel.BoolType, cel.DynType, cel.DynType).method(bindBinary(includes))))
	}
	return newLibrary("kubernetes.lists", functions...)
}

// elements returns an iterator over v. ok is false if v cannot be iterated.
func elements(v ref.Val) (seq iter.Seq[ref.Val], ok bool) {
	list, ok := v.(traits.Iterable)
	return func(yield func(ref.Val) bool) {
		for it := list.Iterator(); it.HasNext() == types.True; {
			if !yield(it.Next()) {
				return
			}
		}
	}, ok
}

// isSorted compares neighbours. Neighbours that cannot be compared count as sorted.
func isSorted(v ref.Val) ref.Val {
	list, ok := elements(v)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	var last traits.Comparer
	for elem := range list {
		next, ok := elem.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(elem)
		}
		if last != nil && last.Compare(elem) == types.IntOne {
			return types.False
		}
		last = next
	}
	return types.True
}

// sum returns a binding that adds up the elements, or returns the first error.
func sum(zero ref.Val) cel.OverloadOpt {
	return bindUnary(func(v ref.Val) ref.Val {
		list, ok := elements(v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		total := zero
		for elem := range list {
			if _, ok := elem.(traits.Adder); !ok {
				return types.MaybeNoSuchOverloadErr(elem)
			}
			total = total.(traits.Adder).Add(elem)
			if _, ok := total.(traits.Adder); !ok {
				return types.MaybeNoSuchOverloadErr(total)
			}
		}
		return total
	})
}

// extreme returns a binding that finds the smallest or largest element. An element e replaces found
// if found.Compare(e) equals beaten.
func extreme(name string, beaten ref.Val) cel.OverloadOpt {
	return bindUnary(func(v ref.Val) ref.Val {
		list, ok := elements(v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		var found ref.Val
		for elem := range list {
			if _, ok := elem.(traits.Comparer); !ok {
				return types.MaybeNoSuchOverloadErr(elem)
			}
			if found == nil || found.(traits.Comparer).Compare(elem) == beaten {
				found = elem
			}
		}
		if found == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return found
	})
}

func indexOf(v, elem ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	for i, n := types.Int(0), length(list); i < n; i++ {
		if list.Get(i).Equal(elem) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

func lastIndexOf(v, elem ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	for i := length(list) - 1; i >= 0; i-- {
		if list.Get(i).Equal(elem) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

func length(list traits.Lister) types.Int {
	n, _ := list.Size().(types.Int)
	return n
}

// includes reports whether a list has elem. A value that is not a list is compared with elem.
func includes(v, elem ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return types.Bool(v.Equal(elem) == types.True)
	}
	for it := list.Iterator(); it.HasNext() == types.True; {
		if it.Next().Equal(elem) == types.True {
			return types.True
		}
	}
	return types.False
}
