package cellib

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A library is a set of functions. An environment adds it once, by its name. It implements
// cel.SingletonLibrary.
type library struct {
	name    string
	declare []cel.EnvOption
	program []cel.ProgramOption
}

func (l *library) LibraryName() string { return l.name }

func (l *library) CompileOptions() []cel.EnvOption { return l.declare }

func (l *library) ProgramOptions() []cel.ProgramOption { return l.program }

func newLibrary(name string, declare ...cel.EnvOption) cel.EnvOption {
	return cel.Lib(&library{name: name, declare: declare})
}

// Inlined copies of the closures of cel-go would add 0.15 MB to a program.

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

type signature struct {
	id     string
	params []*cel.Type // the first is the receiver of a method
	result *cel.Type
}

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

// cel-go checks types before it calls a binding, so a binding never gets another CEL type or an
// error. A binding still checks the Go type, which depends on who made the value.

func unary[T any](f func(T) ref.Val) cel.OverloadOpt {
	return bindUnary(func(v ref.Val) ref.Val {
		x, ok := valueOf[T](v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x)
	})
}

// OfString returns the Go function of an overload that takes one string. It is a func(string) bool,
// a func(string) ref.Val, or nil if there is none.
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

// valueOf returns the Go value of v if it is a T, without allocation.
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

func test[T any](f func(T) bool) cel.OverloadOpt {
	return unary(func(x T) ref.Val { return types.Bool(f(x)) })
}

func text[T any](f func(T) string) cel.OverloadOpt {
	return unary(func(x T) ref.Val { return types.String(f(x)) })
}

func texts(list []string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, list) }

// comparisons declares the comparison methods of t, whose Go type is T. kind is the prefix of the
// overloads.
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

// The types of authorization. No rule gets a value of these types. A rule that calls their methods
// on a value of unknown type is admitted and estimated, but fails when it runs.
var (
	authorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = cel.ObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = cel.ObjectType("kubernetes.authorization.Decision")
)

func authorization() cel.EnvOption {
	return newLibrary("kubernetes.authz",
		define("path", declareOnly("authorizer_path", pathCheckType, authorizerType, cel.StringType)),
		define("group", declareOnly("authorizer_group", groupCheckType, authorizerType, cel.StringType)),
		define("serviceAccount",
			declareOnly("authorizer_serviceaccount", authorizerType, authorizerType, cel.StringType, cel.StringType)),
		define("resource", declareOnly("groupcheck_resource", resourceCheckType, groupCheckType, cel.StringType)),
		define("subresource", declareOnly("resourcecheck_subresource", resourceCheckType, resourceCheckType, cel.StringType)),
		define("namespace", declareOnly("resourcecheck_namespace", resourceCheckType, resourceCheckType, cel.StringType)),
		define("name", declareOnly("resourcecheck_name", resourceCheckType, resourceCheckType, cel.StringType)),
		define("check",
			declareOnly("pathcheck_check", decisionType, pathCheckType, cel.StringType),
			declareOnly("resourcecheck_check", decisionType, resourceCheckType, cel.StringType)),
		define("errored", declareOnly("decision_errored", cel.BoolType, decisionType)),
		define("error", declareOnly("decision_error", cel.StringType, decisionType)),
		define("allowed", declareOnly("decision_allowed", cel.BoolType, decisionType)),
		define("reason", declareOnly("decision_reason", cel.StringType, decisionType)),
	)
}

func authorizationSelectors() cel.EnvOption {
	return newLibrary("kubernetes.authzSelectors",
		define("fieldSelector", declareOnly("authorizer_fieldselector", resourceCheckType, resourceCheckType, cel.StringType)),
		define("labelSelector", declareOnly("authorizer_labelselector", resourceCheckType, resourceCheckType, cel.StringType)),
	)
}

// declareOnly declares a method of a type without values. The binding returns the server's error.
func declareOnly(id string, result *cel.Type, params ...*cel.Type) cel.FunctionOpt {
	s := declare(id, result, params...)
	switch len(params) {
	case 1:
		return s.method(bindUnary(types.MaybeNoSuchOverloadErr))
	case 2:
		return s.method(bindBinary(func(v, _ ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(v) }))
	}
	return s.method(bindAny(func(args ...ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(args[0]) }))
}

// InterruptFrequency is the number of loop steps between two checks of the context.
const InterruptFrequency = 100

// A feature is a part of the language, and the minor versions that have it.
type feature struct {
	since, until int // until is the first version without it, or 0
	options      []cel.EnvOption
}

// features returns all features in the server's order. cel-go tries overloads in this order.
//
// See
// https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func features() []feature {
	return []feature{
		{options: []cel.EnvOption{
			cel.HomogeneousAggregateLiterals(),
			cel.EagerlyValidateDeclarations(true),
			cel.DefaultUTCTimeZone(true),
			urls(),
			regex(),
			cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		}},
		{until: 37, options: []cel.EnvOption{lists(false)}},
		{since: 27, options: []cel.EnvOption{authorization()}},
		{since: 28, options: []cel.EnvOption{
			cel.CrossTypeNumericComparisons(true),
			cel.OptionalTypes(),
			quantities(),
		}},
		{since: 29, options: []cel.EnvOption{cel.ASTValidators(
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
		)}},
		{until: 29, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(0))}},
		{since: 29, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(2))}},
		{since: 29, options: []cel.EnvOption{ext.Sets()}},
		{since: 30, options: []cel.EnvOption{addresses(), networks()}},
		{since: 31, options: []cel.EnvOption{formatLibrary()}},
		{since: 31, options: []cel.EnvOption{authorizationSelectors()}},
		{since: 32, options: []cel.EnvOption{ext.TwoVarComprehensions()}},
		{since: 33, options: []cel.EnvOption{versions()}},
		{since: 34, options: []cel.EnvOption{ext.Lists(ext.ListsVersion(3))}},
		{since: 37, options: []cel.EnvOption{lists(true)}},
	}
}

// Language returns the library by which kube-apiserver 1.minor extends cel-go. It includes program
// options, but no cost limit.
func Language(minor int) cel.Library { return language(minor) }

type language int

func (minor language) CompileOptions() []cel.EnvOption {
	var options []cel.EnvOption
	for _, f := range features() {
		if int(minor) >= f.since && (f.until == 0 || int(minor) < f.until) {
			options = append(options, f.options...)
		}
	}
	return append(options, limitCopies)
}

func (language) ProgramOptions() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.CostTracking(&Costs{}),
		cel.InterruptCheckFrequency(InterruptFrequency),
	}
}

// optMap and optFlatMap copy their target, so a chain of them grows exponentially. These limits
// bound the copies.
const (
	maxCopied = 200  // nodes of a target
	maxBefore = 5000 // nodes of an expression before a copy
)

// limitCopies changes the macros of e that copy their target: they refuse large targets.
func limitCopies(e *cel.Env) (*cel.Env, error) {
	macros := e.Macros()
	for i, m := range macros {
		if name := m.Function(); name == "optMap" || name == "optFlatMap" {
			macros[i] = copyingMacro{m}
		}
	}
	e, err := cel.ClearMacros()(e)
	if err != nil {
		return nil, err
	}
	return cel.Macros(macros...)(e)
}

type copyingMacro struct{ parser.Macro }

// Expander implements parser.Macro. The parser counts nodes and takes the number as ID. So the ID
// of the first argument is the number of nodes so far.
func (m copyingMacro) Expander() parser.MacroExpander {
	expand := m.Macro.Expander()
	return func(x parser.ExprHelper, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		if args[0].ID() > maxBefore || nodes(target) > maxCopied {
			return nil, x.NewError(args[0].ID(), fmt.Sprintf("%s() would copy an expression that is too large", m.Function()))
		}
		return expand(x, target, args)
	}
}

func nodes(e ast.Expr) int {
	count := 0
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(ast.Expr) { count++ }))
	return count
}
