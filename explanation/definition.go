package explanation

import (
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/schemapath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// Definition explains an error of package definition, or of [crdkit.Compile], about a
// rule that does not compile or costs too much. It returns nil if it knows nothing to
// add to the words of the server, and if err is about anything else. A nil crd or err
// has no explanation.
//
// It finds names that need escaping (self.a-b is self.a__dash__b), reserved words, names
// without self, and otherwise the nearest declared field. It costs a compilation of the
// schema that has the rule, and a comparison with at most 10,000 names of fields there
// and below. crd and err are not changed.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
func Definition(crd *apiextensionsv1.CustomResourceDefinition, err *field.Error) *Explanation {
	if crd == nil || err == nil {
		return nil
	}
	if isCost(err) {
		return &Explanation{Text: "the rule may cost too much: " + costs, Suggestion: costs}
	}
	props, rest := ruledSchema(crd, err.Field)
	if props == nil || !strings.Contains(err.Detail, "compilation failed: ") {
		return nil
	}
	text, ok := expressionOf(props, rest)
	if !ok {
		return nil
	}
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		return nil
	}
	return hintFor(n, text, err.Detail)
}

func isCost(err *field.Error) bool {
	return strings.Contains(err.Field, ruleList) &&
		(strings.Contains(err.Detail, "estimated rule cost exceeds budget") || strings.Contains(err.Detail, "contributed to estimated rule"))
}

const (
	ruleList   = "x-kubernetes-validations["
	schemaRoot = "openAPIV3Schema"
)

// ruledSchema returns the schema that has the rule of an error, and the rest of the
// field path, which begins with the rule. It returns nil if there is none.
func ruledSchema(crd *apiextensionsv1.CustomResourceDefinition, fieldPath string) (*apiextensionsv1.JSONSchemaProps, string) {
	before, rest, ok := strings.Cut(fieldPath, schemaRoot)
	if !ok || len(crd.Spec.Versions) == 0 {
		return nil, ""
	}
	index := 0
	if list, found := strings.CutPrefix(before, "spec.versions["); found {
		number, _, _ := strings.Cut(list, "]")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(crd.Spec.Versions) {
			return nil, ""
		}
		index = i
	}
	if crd.Spec.Versions[index].Schema == nil {
		return nil, ""
	}
	props := crd.Spec.Versions[index].Schema.OpenAPIV3Schema
	for props != nil && !strings.HasPrefix(rest, "."+ruleList) {
		props, rest = enterSchema(props, rest)
	}
	return props, strings.TrimPrefix(rest, ".")
}

// enterSchema follows one step of a field path. It returns nil if the path ends.
func enterSchema(props *apiextensionsv1.JSONSchemaProps, rest string) (*apiextensionsv1.JSONSchemaProps, string) {
	if after, ok := strings.CutPrefix(rest, ".items"); ok && props.Items != nil {
		return props.Items.Schema, after
	}
	if after, ok := strings.CutPrefix(rest, ".additionalProperties"); ok && props.AdditionalProperties != nil {
		return props.AdditionalProperties.Schema, after
	}
	after, ok := strings.CutPrefix(rest, ".properties[")
	if !ok {
		return nil, ""
	}
	longest, found := "", false
	for name := range props.Properties { // a name may have brackets
		if strings.HasPrefix(after, name) && strings.HasPrefix(after[len(name):], "].") && (len(name) > len(longest) || !found) {
			longest, found = name, true
		}
	}
	if !found {
		return nil, ""
	}
	child := props.Properties[longest]
	return &child, after[len(longest)+1:]
}

// expressionOf returns the expression that a field path names, which begins with a
// rule.
func expressionOf(props *apiextensionsv1.JSONSchemaProps, rest string) (string, bool) {
	number, member, _ := strings.Cut(strings.TrimPrefix(rest, ruleList), "]")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(props.XValidations) {
		return "", false
	}
	if member == ".messageExpression" {
		return props.XValidations[i].MessageExpression, true
	}
	return props.XValidations[i].Rule, true
}

// uncompiled explains the error of a stored rule that does not compile.
func (x *Explainer) uncompiled(err *validation.Error) *Explanation {
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	if !ok || err.Rule < 0 || err.Rule >= len(l.Node.Rules()) {
		return nil
	}
	return hintFor(l.Node, l.Node.Rules()[err.Rule].Rule, err.Detail)
}
