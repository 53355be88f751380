package cellib

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// each calls f for every overload of every function, with the id of the
// overload and once more without it.
func each(f func(function, id string, o *decls.OverloadDecl)) {
	all := theirs(newest).env.Functions()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, o := range all[name].OverloadDecls() {
			f(name, o.ID(), o)
			f(name, "", o)
		}
	}
}

// TestCallCosts compares the actual costs of calls with arguments of all types.
// A call that fails has a cost, too.
func TestCallCosts(t *testing.T) {
	pool := runnable()
	calls, charged := 0, 0
	compare := func(function, id string, args []ref.Val, result ref.Val) {
		calls++
		want := (&library.CostEstimator{}).CallCost(function, id, args, result)
		got := (&cellib.Costs{}).CallCost(function, id, args, result)
		if want != nil {
			charged++
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s %q of %v: upstream (-) and ours (+):\n%s", function, id, args, d)
		}
	}
	each(func(function, id string, o *decls.OverloadDecl) {
		switch n := len(o.ArgTypes()); n {
		case 0:
			compare(function, id, nil, pool[0])
		case 1, 2:
			for i, v := range pool {
				for j, w := range pool {
					compare(function, id, []ref.Val{v, w}[:n], pool[(i+j)%len(pool)])
				}
			}
		default:
			for i := range pool {
				args := make([]ref.Val, n)
				for j := range args {
					args[j] = pool[(i*(2*j+1)+j)%len(pool)]
				}
				compare(function, id, args, pool[(3*i)%len(pool)])
			}
		}
	})
	fmt.Printf("cel costs: %d calls, %d of them with a cost in the server\n", calls, charged)
}

// A node is an argument whose size the estimate requests.
type node struct {
	path []string
	t    *types.Type
	expr ast.Expr
	size *checker.SizeEstimate
}

func (n *node) Path() []string                      { return n.path }
func (n *node) Type() *types.Type                   { return n.t }
func (n *node) Expr() ast.Expr                      { return n.expr }
func (n *node) ComputedSize() *checker.SizeEstimate { return n.size }

// nodes returns nodes of a type with different known sizes, paths and values.
func nodes(t *types.Type) []checker.AstNode {
	factory := ast.NewExprFactory()
	ident := factory.NewIdent(1, "x")
	var list []checker.AstNode
	for _, size := range []*checker.SizeEstimate{
		nil, {}, {Max: 7}, {Min: 1, Max: 1}, {Min: 4, Max: 9}, {Max: math.MaxUint64}, {Min: math.MaxUint64, Max: math.MaxUint64},
	} {
		list = append(list, &node{t: t, expr: ident, size: size})
	}
	for _, path := range [][]string{{}, {"s"}, {"t"}, {"strings"}, {"unknown"}} {
		list = append(list, &node{t: t, expr: ident, path: path})
	}
	for _, v := range []ref.Val{types.Int(3), types.Int(-1), types.String("abc")} {
		list = append(list, &node{t: t, expr: factory.NewLiteral(1, v)})
	}
	return list
}

// TestEstimates compares the estimated costs of calls.
func TestEstimates(t *testing.T) {
	calls, charged := 0, 0
	compare := func(function, id string, target *checker.AstNode, args []checker.AstNode) {
		calls++
		var theirSizes, ourSizes sizes
		want := (&library.CostEstimator{SizeEstimator: &theirSizes}).EstimateCallCost(function, id, target, args)
		got := (&cellib.Costs{Sizes: &ourSizes}).EstimateCallCost(function, id, target, args)
		if want != nil {
			charged++
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s %q: upstream (-) and ours (+):\n%s", function, id, d)
		}
		if d := cmp.Diff(theirSizes.asked, ourSizes.asked); d != "" {
			t.Errorf("%s %q requests sizes, upstream (-) and ours (+):\n%s", function, id, d)
		}
		bare := (&library.CostEstimator{}).EstimateCallCost(function, id, target, args)
		if d := cmp.Diff(bare, (&cellib.Costs{}).EstimateCallCost(function, id, target, args)); d != "" {
			t.Errorf("%s %q without sizes: upstream (-) and ours (+):\n%s", function, id, d)
		}
	}
	each(func(function, id string, o *decls.OverloadDecl) {
		params := o.ArgTypes()
		if len(params) == 0 {
			compare(function, id, nil, nil)
			return
		}
		for _, first := range append(nodes(params[0]), nodes(types.DynType)...) {
			for k := range nodes(params[0]) {
				args := []checker.AstNode{first}
				for j, p := range params[1:] {
					if p.Kind() == types.TypeParamKind {
						p = params[0] // both arguments have the same type
					}
					all := nodes(p)
					args = append(args, all[(k*(j+1)+j)%len(all)])
				}
				if o.IsMemberFunction() {
					compare(function, id, &args[0], args[1:])
				} else {
					compare(function, id, nil, args)
				}
			}
		}
	})
	for _, own := range ownTypes() {
		for _, first := range nodes(own) {
			for _, second := range append(nodes(own), nodes(types.StringType)...) {
				compare("_==_", "equals", nil, []checker.AstNode{first, second})
			}
		}
	}
	fmt.Printf("cel estimates: %d calls, %d of them with a cost in the server\n", calls, charged)
}

// ownTypes returns the types that the server adds to CEL, except those of
// authorization.
func ownTypes() []*types.Type {
	seen := map[string]bool{}
	var list []*types.Type
	for _, lib := range library.KnownLibraries() {
		for _, t := range lib.Types() {
			// Testdata compares values of the types of authorization. Only
			// their library has them.
			if !seen[t.TypeName()] && !strings.HasPrefix(t.TypeName(), "kubernetes.authorization.") {
				seen[t.TypeName()] = true
				list = append(list, t)
			}
		}
	}
	return list
}
