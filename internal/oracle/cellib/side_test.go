package cellib

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

const (
	oldest = 28
	newest = 37
)

// A side is one of the two sides that the tests compare.
type side struct {
	env      *cel.Env
	estimate func(checker.CostEstimator) checker.CostEstimator
	options  []cel.ProgramOption
}

// ours returns the language that internal/cel/cellib declares for a minor version.
func ours(t testing.TB, minor int) side {
	t.Helper()
	env, err := cel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	if env, err = env.Extend(cel.Lib(cellib.Language(minor))); err != nil {
		t.Fatal(err)
	}
	return side{
		env:      env,
		estimate: func(sizes checker.CostEstimator) checker.CostEstimator { return &cellib.Costs{Sizes: sizes} },
		options:  []cel.ProgramOption{cel.CostLimit(celconfig.PerCallLimit)},
	}
}

func upstreamSide(env *cel.Env) side {
	return side{
		env: env,
		estimate: func(sizes checker.CostEstimator) checker.CostEstimator {
			return &library.CostEstimator{SizeEstimator: sizes}
		},
		options: []cel.ProgramOption{cel.InterruptCheckFrequency(cellib.InterruptFrequency)},
	}
}

// theirs returns the server's language for new rules that are compatible with a
// minor version.
func theirs(minor int) side {
	return upstreamSide(environment.MustBaseEnvSet(utilversion.MajorMinor(1, uint(minor))).NewExpressionsEnv())
}

// theirStored returns the server's language for stored rules. It must not
// depend on the minor version with which new rules are compatible.
func theirStored(minor int) side {
	return upstreamSide(environment.MustBaseEnvSet(utilversion.MajorMinor(1, uint(minor))).StoredExpressionsEnv())
}

// with declares the variables of the expressions in testdata.
func (s side) with(t testing.TB) side {
	t.Helper()
	var err error
	s.env, err = s.env.Extend(
		cel.Variable("s", cel.StringType), cel.Variable("t", cel.StringType),
		cel.Variable("i", cel.IntType), cel.Variable("b", cel.BoolType),
		cel.Variable("strings", cel.ListType(cel.StringType)), cel.Variable("ints", cel.ListType(cel.IntType)),
		cel.Variable("d", cel.DynType), cel.Variable("e", cel.DynType),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sizes returns sizes of variables by name, and records the requests.
type sizes struct{ asked []string }

func (z *sizes) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	path := strings.Join(n.Path(), ".")
	z.asked = append(z.asked, path)
	switch path {
	case "s":
		return &checker.SizeEstimate{Min: 3, Max: 70}
	case "t":
		return &checker.SizeEstimate{Max: 11}
	case "strings", "ints":
		return &checker.SizeEstimate{Min: 1, Max: 25}
	case "strings.@items":
		return &checker.SizeEstimate{Min: 2, Max: 9}
	case "d":
		return &checker.SizeEstimate{Max: 1000}
	}
	return nil
}

func (z *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// values returns at least one of each type.
func values() []ref.Val {
	adapter := types.DefaultTypeAdapter
	list := func(values ...ref.Val) ref.Val { return types.NewRefValList(adapter, values) }
	formats := library.ConstantFormats
	q := stringVal("quantity", "1500m")
	pointer := q.(apiservercel.Quantity)
	return []ref.Val{
		types.Int(0), types.Int(-3), types.Int(2), types.Uint(2), types.Double(2), types.Double(0.5), types.True, types.NullValue,
		types.String(""), types.String("a1b22"), types.String("10.0.0.1"), types.String("10.0.0.0/8"), types.String("1.2.3"), types.String("["),
		types.Bytes("a1b22"), types.Duration{Duration: 3e9}, types.DefaultTypeAdapter.NativeToValue(epoch),
		types.IntType, types.StringType, apiservercel.IPType,
		list(), list(types.Int(1), types.Int(2), types.Int(2)), list(types.Int(2), types.Int(1)), list(types.String("b"), types.String("a")),
		list(types.Double(1.5), types.Int(1)), list(types.Int(1), types.String("a")), list(types.NullValue), list(types.Duration{Duration: 1}, types.Duration{Duration: 2}),
		list(types.Bytes("x"), types.Bytes("y")), list(types.True, types.False), list(types.Uint(3), types.Uint(1)), list(list(types.Int(1)), list()),
		list(types.DefaultTypeAdapter.NativeToValue(epoch)), list(q, q),
		types.NewStringList(adapter, []string{"a", "", "c"}),
		types.NewDynamicMap(adapter, map[string]any{"a": "bc"}),
		q, &pointer, stringVal("quantity", "3Gi"), stringVal("quantity", "2"),
		stringVal("url", "https://u@example.com:80/a%20b?x=1&y=2&x=3#f"), stringVal("url", "/p"),
		stringVal("ip", "10.0.0.1"), stringVal("ip", "::1"), stringVal("ip", "169.254.0.1"), stringVal("ip", "ff02::1"),
		stringVal("cidr", "10.0.0.0/8"), stringVal("cidr", "10.1.2.3/16"), stringVal("cidr", "fd00::/64"),
		stringVal("semver", "1.2.3"), stringVal("semver", "1.2.3-rc.1+b"),
		formats["uuid"], formats["dns1123Label"],
		types.OptionalNone, types.OptionalOf(types.String("a")), types.OptionalOf(q),
		types.NewErr("an error"), types.NewUnknown(7, nil),
	}
}

// runnable returns the values that a variable can have. It makes them once.
var runnable = sync.OnceValue(func() []ref.Val {
	return slices.DeleteFunc(values(), types.IsUnknownOrError)
})

// stringVal returns the result of a function of the server for a text.
func stringVal(function, text string) ref.Val {
	fn, ok := theirs(newest).env.Functions()[function]
	if !ok {
		panic("no function " + function)
	}
	bindings, err := fn.Bindings()
	if err != nil {
		panic(err)
	}
	for _, b := range bindings {
		if b.Unary == nil {
			continue
		}
		if v := b.Unary(types.String(text)); !types.IsError(v) {
			return v
		}
	}
	panic(function + " of " + text)
}

// describe returns a text with all exported properties of a value.
func describe(v ref.Val) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case *types.Err:
		return "error " + v.Error()
	case *types.Unknown:
		return "unknown " + v.String()
	case *types.Optional:
		if v.HasValue() {
			return "optional of " + describe(v.GetValue())
		}
		return "optional of nothing"
	case apiservercel.Format:
		return fmt.Sprintf("format %s %d", v.Name, v.MaxRegexSize)
	case traits.Lister:
		var list []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			list = append(list, describe(it.Next()))
		}
		return fmt.Sprintf("list [%s]", strings.Join(list, ", "))
	case traits.Mapper:
		var entries []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, describe(key)+": "+describe(v.Get(key)))
		}
		slices.Sort(entries)
		return fmt.Sprintf("map [%s]", strings.Join(entries, ", "))
	}
	native, err := v.ConvertToNative(reflect.TypeFor[string]())
	return fmt.Sprintf("%T %s %v; as a string in Go %v %v, in CEL %s, its type %s", v, v.Type().TypeName(), v.Value(),
		native, err, failure(v.ConvertToType(types.StringType)), failure(v.ConvertToType(types.TypeType)))
}

func failure(v ref.Val) string {
	if err, ok := v.(*types.Err); ok {
		return "error " + err.Error()
	}
	return fmt.Sprint(v.Value())
}

// caught returns a description of the result of f, or of its panic.
func caught(f func() ref.Val) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("panic %v", p)
		}
	}()
	return describe(f())
}

// run evaluates a program.
func run(p cel.Program, vars map[string]any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("panic %v", r)
		}
	}()
	v, details, err := p.Eval(vars)
	var cost uint64
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return fmt.Sprintf("error %v at %d", err, cost)
	}
	return fmt.Sprintf("%s at %d", describe(v), cost)
}
