package upstream

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// RuleCompiler returns a function that compiles the rules of a schema, which
// must be structural. The result of the function is nil if there are none.
func RuleCompiler(props *apiextensionsv1.JSONSchemaProps) (func() *cel.Validator, error) {
	internal, err := internalProps(props)
	if err != nil {
		return nil, err
	}
	s, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	return func() *cel.Validator { return cel.NewValidator(s, true, celconfig.PerCallLimit) }, nil
}
