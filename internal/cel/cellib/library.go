package cellib

import (
	"github.com/google/cel-go/cel"
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
	return bindUnary(func(v ref.Val) ref.Val {
		x, ok := valueOf[T](v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x)
	})
}

// OfString returns the Go function of an overload that takes one string, nil for other
// overloads: a func(string) bool or a func(string) ref.Val.
func OfString(overload string) any {
	switch overload {
	case "string_to_ip":
		return toIP
	case "is_ip":
		return isIP
	case "ip_is_canonical":
		return isCanonical
	case "string_to_cidr":
		return toCIDR
	case "is_cidr":
		return isCIDR
	case "string_to_url":
		return toURL
	case "is_url_string":
		return isURL
	case "string_to_quantity":
		return toQuantity
	case "is_quantity_string":
		return isQuantity
	case "string_to_semver":
		return func(s string) ref.Val { return toVersion(s, false) }
	case "is_semver_string":
		return func(s string) bool { return isVersion(s, false) }
	}
	return nil
}

// ofString declares an overload that [OfString] has.
func ofString(id string, result *cel.Type) cel.FunctionOpt {
	s := declare(id, result, cel.StringType)
	if is, ok := OfString(id).(func(string) bool); ok {
		return s.function(test(is))
	}
	return s.function(unary(OfString(id).(func(string) ref.Val)))
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
	return unary(func(x T) ref.Val { return types.Bool(f(x)) })
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
