package cellib

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The types of authorization. Rules have no variable of these types, so there
// is no value to call a method on. The methods are declared nevertheless. A
// rule may call one on a value whose type is known only at run time. The server
// admits such a rule and estimates its cost, and the call fails when it runs.
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

// declareOnly declares a method on a type that has no values. Its binding
// returns the error for a missing overload. Without a binding, cel-go would
// report the call with another text.
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
