package cellib

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A library is a set of functions. Its name is that by which an environment
// knows whether it has them already.
type library struct {
	name    string
	declare []cel.EnvOption
	program []cel.ProgramOption
}

// LibraryName implements cel.SingletonLibrary.
func (l *library) LibraryName() string { return l.name }

// CompileOptions implements cel.Library.
func (l *library) CompileOptions() []cel.EnvOption { return l.declare }

// ProgramOptions implements cel.Library.
func (l *library) ProgramOptions() []cel.ProgramOption { return l.program }

func newLibrary(name string, declare ...cel.EnvOption) cel.EnvOption {
	return cel.Lib(&library{name: name, declare: declare})
}

// What cel-go declares with is small and returns closures, which the compiler
// would write anew at each of the many declarations: 0.15 MB of a program.

//go:noinline
func define(name string, overloads ...cel.FunctionOpt) cel.EnvOption {
	return cel.Function(name, overloads...)
}

//go:noinline
func bindUnary(f functions.UnaryOp) cel.OverloadOpt { return cel.UnaryBinding(f) }

//go:noinline
func bindBinary(f functions.BinaryOp) cel.OverloadOpt { return cel.BinaryBinding(f) }

//go:noinline
func bindAny(f functions.FunctionOp) cel.OverloadOpt { return cel.FunctionBinding(f) }

// A signature is what tells an overload of a function from another.
type signature struct {
	id     string
	params []*cel.Type // the receiver of a method is the first
	result *cel.Type
}

// declare returns the signature of a function that is named by id.
func declare(id string, result *cel.Type, params ...*cel.Type) signature {
	return signature{id: id, params: params, result: result}
}

// function declares what is called as f(x).
//
//go:noinline
func (s signature) function(binding cel.OverloadOpt) cel.FunctionOpt {
	return cel.Overload(s.id, s.params, s.result, binding)
}

// method declares what is called as x.f().
//
//go:noinline
func (s signature) method(binding cel.OverloadOpt) cel.FunctionOpt {
	return cel.MemberOverload(s.id, s.params, s.result, binding)
}

// Bindings.
//
// Before cel-go calls a binding it holds the types of the arguments against
// those of the overload, so that none of the bindings here meets an argument
// that has another type, or one that failed. They look nevertheless, as what
// stands behind a type is up to whoever made the value.

// unary returns a binding for values that are a T in Go.
func unary[T any](f func(T) ref.Val) cel.OverloadOpt {
	return bindUnary(func(v ref.Val) ref.Val {
		x, ok := v.Value().(T)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x)
	})
}

// binary is like unary, for two values.
func binary[T, U any](f func(T, U) ref.Val) cel.OverloadOpt {
	return bindBinary(func(v, w ref.Val) ref.Val {
		x, ok := v.Value().(T)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		y, ok := w.Value().(U)
		if !ok {
			return types.MaybeNoSuchOverloadErr(w)
		}
		return f(x, y)
	})
}

// test returns a binding of a condition on a T.
func test[T any](f func(T) bool) cel.OverloadOpt {
	return unary(func(x T) ref.Val { return types.Bool(f(x)) })
}

// text returns a binding of what is a string of a T.
func text[T any](f func(T) string) cel.OverloadOpt {
	return unary(func(x T) ref.Val { return types.String(f(x)) })
}

// Texts returns a list of strings.
func texts(list []string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, list) }

// comparisons declares the comparisons of a type whose values are a T in Go, and
// whose overloads have names that begin with kind. compare returns -1, 0 or 1.
func comparisons[T any](kind string, t *cel.Type, compare func(T, T) int) []cel.EnvOption {
	is := func(sign int) cel.OverloadOpt {
		return binary(func(x, y T) ref.Val { return types.Bool(compare(x, y) == sign) })
	}
	order := binary(func(x, y T) ref.Val { return types.Int(compare(x, y)) })
	return []cel.EnvOption{
		define("isGreaterThan", declare(kind+"_is_greater_than", cel.BoolType, t, t).method(is(1))),
		define("isLessThan", declare(kind+"_is_less_than", cel.BoolType, t, t).method(is(-1))),
		define("compareTo", declare(kind+"_compare_to", cel.IntType, t, t).method(order)),
	}
}
