package cellib

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The types of authorization. Rules have no variable of any of them, so that
// there is no value to call a method on. The methods are known nevertheless: a
// rule that calls one on a value whose type is not known until it runs is
// admitted, has an estimated cost, and fails when it runs.
var (
	authorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = cel.ObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = cel.ObjectType("kubernetes.authorization.Decision")
)

func authorization() cel.EnvOption {
	return newLibrary("kubernetes.authz",
		cel.Function("path", uncallable("authorizer_path", pathCheckType, authorizerType, cel.StringType)),
		cel.Function("group", uncallable("authorizer_group", groupCheckType, authorizerType, cel.StringType)),
		cel.Function("serviceAccount",
			uncallable("authorizer_serviceaccount", authorizerType, authorizerType, cel.StringType, cel.StringType)),
		cel.Function("resource", uncallable("groupcheck_resource", resourceCheckType, groupCheckType, cel.StringType)),
		cel.Function("subresource", uncallable("resourcecheck_subresource", resourceCheckType, resourceCheckType, cel.StringType)),
		cel.Function("namespace", uncallable("resourcecheck_namespace", resourceCheckType, resourceCheckType, cel.StringType)),
		cel.Function("name", uncallable("resourcecheck_name", resourceCheckType, resourceCheckType, cel.StringType)),
		cel.Function("check",
			uncallable("pathcheck_check", decisionType, pathCheckType, cel.StringType),
			uncallable("resourcecheck_check", decisionType, resourceCheckType, cel.StringType)),
		cel.Function("errored", uncallable("decision_errored", cel.BoolType, decisionType)),
		cel.Function("error", uncallable("decision_error", cel.StringType, decisionType)),
		cel.Function("allowed", uncallable("decision_allowed", cel.BoolType, decisionType)),
		cel.Function("reason", uncallable("decision_reason", cel.StringType, decisionType)),
	)
}

func authorizationSelectors() cel.EnvOption {
	return newLibrary("kubernetes.authzSelectors",
		cel.Function("fieldSelector", uncallable("authorizer_fieldselector", resourceCheckType, resourceCheckType, cel.StringType)),
		cel.Function("labelSelector", uncallable("authorizer_labelselector", resourceCheckType, resourceCheckType, cel.StringType)),
	)
}

// uncallable declares a method on a type that has no values. It has a binding,
// as cel-go says of functions without one in other words that they do not fit.
func uncallable(id string, result *cel.Type, params ...*cel.Type) cel.FunctionOpt {
	s := declare(id, result, params...)
	switch len(params) {
	case 1:
		return s.method(cel.UnaryBinding(types.MaybeNoSuchOverloadErr))
	case 2:
		return s.method(cel.BinaryBinding(func(v, _ ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(v) }))
	}
	return s.method(cel.FunctionBinding(func(args ...ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(args[0]) }))
}
