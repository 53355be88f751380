package cellib

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types/ref"
)

// A bound is one implementation of a function on both sides.
type bound struct {
	function     string
	ours, theirs *functions.Overload
}

// bindings returns the implementations of all functions that the server
// declares.
func bindings(t testing.TB) []bound {
	t.Helper()
	var list []bound
	mine, upstream := ours(t, newest).env.Functions(), theirs(newest).env.Functions()
	for _, name := range slices.Sorted(maps.Keys(upstream)) {
		if mine[name] == nil {
			t.Fatalf("no function %s", name)
		}
		a, err := mine[name].Bindings()
		if err != nil {
			t.Fatal(err)
		}
		b, err := upstream[name].Bindings()
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			if i >= len(a) || a[i].Operator != b[i].Operator {
				t.Fatalf("%s: our implementations do not have %s at the same index", name, b[i].Operator)
			}
			list = append(list, bound{name, a[i], b[i]})
		}
	}
	return list
}

// TestBindings calls every implementation with values of all types.
func TestBindings(t *testing.T) {
	pool := values()
	calls := 0
	compare := func(b bound, call func(*functions.Overload) ref.Val, args ...ref.Val) {
		calls++
		got := caught(func() ref.Val { return call(b.ours) })
		want := caught(func() ref.Val { return call(b.theirs) })
		if got != want {
			var list []string
			for _, a := range args {
				list = append(list, describe(a))
			}
			t.Errorf("%s of %s on %q is\n%s, upstream\n%s", b.ours.Operator, b.function, list, got, want)
		}
	}
	for _, b := range bindings(t) {
		if fn := b.theirs.Function; fn != nil {
			compare(b, func(o *functions.Overload) ref.Val { return o.Function() })
			for i, v := range pool {
				w, x := pool[(i*7+3)%len(pool)], pool[(i*5+1)%len(pool)]
				compare(b, func(o *functions.Overload) ref.Val { return o.Function(v) }, v)
				compare(b, func(o *functions.Overload) ref.Val { return o.Function(v, w) }, v, w)
				compare(b, func(o *functions.Overload) ref.Val { return o.Function(v, w, x) }, v, w, x)
				for _, n := range pool[:3] { // for functions whose last argument is a number
					compare(b, func(o *functions.Overload) ref.Val { return o.Function(v, w, n) }, v, w, n)
				}
			}
		}
		for _, v := range pool {
			if b.theirs.Unary != nil {
				compare(b, func(o *functions.Overload) ref.Val { return o.Unary(v) }, v)
			}
			if b.theirs.Binary == nil {
				continue
			}
			for _, w := range pool {
				compare(b, func(o *functions.Overload) ref.Val { return o.Binary(v, w) }, v, w)
			}
		}
	}
	fmt.Printf("cel bindings: %d calls of %d implementations\n", calls, len(bindings(t)))
}
