package cellib

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A library is a set of functions. An environment adds a library once, by its
// name.
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

// These wrappers are not inlined. The compiler would otherwise copy the
// closures of cel-go's functions into each of the many declarations, which adds
// 0.15 MB to a program.

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

// A signature identifies one overload of a function.
type signature struct {
	id     string
	params []*cel.Type // the receiver of a method is the first
	result *cel.Type
}

// declare returns the signature of the overload id.
func declare(id string, result *cel.Type, params ...*cel.Type) signature {
	return signature{id: id, params: params, result: result}
}

// function declares an overload that is called as f(x).
//
//go:noinline
func (s signature) function(binding cel.OverloadOpt) cel.FunctionOpt {
	return cel.Overload(s.id, s.params, s.result, binding)
}

// method declares an overload that is called as x.f().
//
//go:noinline
func (s signature) method(binding cel.OverloadOpt) cel.FunctionOpt {
	return cel.MemberOverload(s.id, s.params, s.result, binding)
}

// Bindings.
//
// Before cel-go calls a binding, it compares the types of the arguments with
// those of the overload. So a binding gets no argument of another CEL type and
// no error. The bindings check the Go type nevertheless, because the maker of a
// value decides which Go value a CEL type has.

// unary returns a binding of f for values that are a T in Go.
func unary[T any](f func(T) ref.Val) cel.OverloadOpt {
	call := func(v ref.Val) (result ref.Val, ok bool) {
		x, ok := valueOf[T](v)
		if !ok {
			return nil, false
		}
		return f(x), true
	}
	return keeping(f, keeping(call, bindUnary(func(v ref.Val) ref.Val {
		if result, ok := call(v); ok {
			return result
		}
		return types.MaybeNoSuchOverloadErr(v)
	})))
}

var plain sync.Map // of what Plain returns

// Plain returns the function of an overload that takes one value, nil if there is none: a
// func(string) bool, a func(string) ref.Val, or a func(ref.Val) (ref.Val, bool), which is
// not ok for values of other types.
func Plain(overload string) any {
	f, _ := plain.Load(overload)
	return f
}

// keeping keeps f for [Plain], if that returns its type, when bind binds an overload.
func keeping(f any, bind cel.OverloadOpt) cel.OverloadOpt {
	return func(o *decls.OverloadDecl) (*decls.OverloadDecl, error) {
		o, err := bind(o)
		switch f.(type) {
		case func(string) bool, func(string) ref.Val, func(ref.Val) (ref.Val, bool):
			plain.Store(o.ID(), f)
		}
		return o, err
	}
}

// binary is like unary, for functions of two values.
func binary[T, U any](f func(T, U) ref.Val) cel.OverloadOpt {
	return bindBinary(func(v, w ref.Val) ref.Val {
		x, ok := valueOf[T](v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		y, ok := valueOf[U](w)
		if !ok {
			return types.MaybeNoSuchOverloadErr(w)
		}
		return f(x, y)
	})
}

// valueOf returns the Go value of v if that is a T. It does not call the Value method of
// types where that would allocate.
func valueOf[T any](v ref.Val) (x T, ok bool) {
	var p *T
	switch v := v.(type) {
	case types.String:
		p, ok = any((*string)(&v)).(*T)
	case apiservercel.IP:
		p, ok = any(&v.Addr).(*T)
	case apiservercel.CIDR:
		p, ok = any(&v.Prefix).(*T)
	case apiservercel.Semver:
		p, ok = any(&v.Version).(*T)
	case apiservercel.Format:
		p, ok = any(&v).(*T)
	default:
		x, ok = v.Value().(T)
	}
	if p != nil {
		x = *p
	}
	return x, ok
}

// test returns a binding of a condition on a T.
func test[T any](f func(T) bool) cel.OverloadOpt {
	return keeping(f, unary(func(x T) ref.Val { return types.Bool(f(x)) }))
}

// text returns a binding of a function from a T to a string.
func text[T any](f func(T) string) cel.OverloadOpt {
	return unary(func(x T) ref.Val { return types.String(f(x)) })
}

// texts returns a list of strings.
func texts(list []string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, list) }

// comparisons declares the comparison methods of t, a type whose values are a T
// in Go. The overload names begin with kind. compare returns -1, 0 or 1.
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
