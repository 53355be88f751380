package definition

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdpath"
)

// rule checks the parts of a rule that need no compilation.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
func (w *walk) rule(r *apiextensionsv1.ValidationRule, s *apiextensionsv1.JSONSchemaProps) {
	w.ruleText(r)
	if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
		w.add(field.Required(w.at.Path().Child("messageExpression"), "messageExpression must be non-empty if specified"))
	}
	if r.Reason != nil && !slices.Contains(reasons(), string(*r.Reason)) {
		w.add(field.NotSupported(w.at.Path().Child("reason"), *r.Reason, reasons()))
	}
	if r.FieldPath == "" {
		return
	}
	if strings.TrimSpace(r.FieldPath) == "" {
		w.add(field.Invalid(w.at.Path().Child("fieldPath"), r.FieldPath, "must be non-empty if specified"))
	}
	if breaksLine(r.FieldPath) {
		w.add(field.Invalid(w.at.Path().Child("fieldPath"), r.FieldPath, "must not contain line breaks"))
	}
	start := *s // a copy, so that only schemas with such rules escape
	err := crdpath.FollowField(r.FieldPath, &crdpath.PropsCursor{At: &start}, crdpath.DotsAndBrackets)
	// The server does not look up paths in a schema that it cannot convert.
	if err != nil && (w.ruled || inconvertible(s) == "") {
		w.add(field.Invalid(w.at.Path().Child("fieldPath"), r.FieldPath, "must be a valid path"))
	}
}

func (w *walk) ruleText(r *apiextensionsv1.ValidationRule) {
	rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
	switch {
	case rule == "":
		w.add(field.Required(w.at.Path().Child("rule"), "rule is not specified"))
	case r.Message != "" && message == "":
		w.add(field.Invalid(w.at.Path().Child("message"), r.Message, "must be non-empty if specified"))
	case breaksLine(message):
		w.add(field.Invalid(w.at.Path().Child("message"), r.Message, "must not contain line breaks"))
	case breaksLine(rule) && message == "":
		w.add(field.Required(w.at.Path().Child("message"), "message must be specified if rule contains line breaks"))
	}
}

func breaksLine(s string) bool { return strings.ContainsAny(s, "\n\r") }

func reasons() []string {
	return []string{
		string(apiextensionsv1.FieldValueDuplicate),
		string(apiextensionsv1.FieldValueForbidden),
		string(apiextensionsv1.FieldValueInvalid),
		string(apiextensionsv1.FieldValueRequired),
	}
}
