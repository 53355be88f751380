package celcost

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// CheckSyntax returns the errors of rules that need no compilation; see the
// function of this name in package validation/cel.
func CheckSyntax(rules []schema.Rule, n *schema.Node, at *pathstack.Chain, limit *errorlimit.Limit) field.ErrorList {
	var errs field.ErrorList
	var follow func(string) error
	if n != nil {
		follow = func(fieldPath string) error {
			_, err := crdpath.ParseField(fieldPath, n)
			return err
		}
	}
	for i := range rules {
		errs = append(errs, CheckRule(&rules[i], at.Child("x-kubernetes-validations").Index(i), limit, follow)...)
	}
	return errs
}

// CheckRule returns the errors of one rule that need no compilation, nil if there
// are none. at is the location of the rule, and limit gets the pointers of the errors.
// follow returns an error if a fieldPath leads nowhere. If follow is nil, the
// target of fieldPath is not checked.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
func CheckRule(r *schema.Rule, at *pathstack.Chain, limit *errorlimit.Limit, follow func(fieldPath string) error) field.ErrorList {
	errs := checkText(r, at, limit)
	if r.MessageExpression != "" && celtypes.IsBlank(r.MessageExpression) {
		at := at.Child("messageExpression")
		errs = append(errs, limit.At(at, field.Required(at.Path(), "messageExpression must be non-empty if specified")))
	}
	if reason := apiextensionsv1.FieldValueErrorReason(r.Reason); (reason != "" || r.SetReason) && !slices.Contains(reasons(), string(reason)) {
		at := at.Child("reason")
		errs = append(errs, limit.At(at, field.NotSupported(at.Path(), reason, reasons())))
	}
	text := r.FieldPath
	if text == "" {
		return errs
	}
	invalid := func(detail string) {
		at := at.Child("fieldPath")
		errs = append(errs, limit.At(at, field.Invalid(at.Path(), text, detail)))
	}
	if celtypes.IsBlank(text) {
		invalid("must be non-empty if specified")
	}
	if hasLineBreak(text) {
		invalid("must not contain line breaks")
	}
	if follow != nil && follow(text) != nil {
		invalid("must be a valid path")
	}
	return errs
}

// checkText returns at most one error about rule and message.
func checkText(r *schema.Rule, at *pathstack.Chain, limit *errorlimit.Limit) field.ErrorList {
	required := func(at *pathstack.Chain, detail string) field.ErrorList {
		return field.ErrorList{limit.At(at, field.Required(at.Path(), detail))}
	}
	invalid := func(detail string) field.ErrorList {
		at := at.Child("message")
		return field.ErrorList{limit.At(at, field.Invalid(at.Path(), r.Message, detail))}
	}
	message := strings.TrimSpace(r.Message)
	switch {
	case celtypes.IsBlank(r.Rule):
		return required(at.Child("rule"), "rule is not specified")
	case r.Message != "" && message == "":
		return invalid("must be non-empty if specified")
	case hasLineBreak(message):
		return invalid("must not contain line breaks")
	case message == "" && hasLineBreak(strings.TrimSpace(r.Rule)):
		return required(at.Child("message"), "message must be specified if rule contains line breaks")
	}
	return nil
}

func hasLineBreak(text string) bool { return strings.ContainsAny(text, "\r\n") }

// reasons returns the values of reason that the server knows, sorted.
func reasons() []string {
	return []string{
		string(apiextensionsv1.FieldValueDuplicate), string(apiextensionsv1.FieldValueForbidden),
		string(apiextensionsv1.FieldValueInvalid), string(apiextensionsv1.FieldValueRequired),
	}
}
