package cellib

import (
	"net/url"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdkit/crdkit/internal/metadata/objectname"
)

// Lengths of regular expressions that costs assume for formats without one.
const (
	uriExpr    = 1103
	base64Expr = 84
)

// A format is a Format of the server and its name in rules. Formats with the same Format.Name are
// equal.
type format struct {
	name string
	apiservercel.Format
}

func formats() []format {
	return []format{
		{"dns1123Label", nameFormat("DNS1123Label", 30, objectname.IsLabel, nameRule(apivalidation.NameIsDNSLabel, false))},
		{"dns1123LabelPrefix", nameFormat("DNS1123LabelPrefix", 30, objectname.IsLabel, nameRule(apivalidation.NameIsDNSLabel, true))},
		{"dns1123Subdomain", nameFormat("DNS1123Subdomain", 60, objectname.IsSubdomain, nameRule(apivalidation.NameIsDNSSubdomain, false))},
		{"dns1123SubdomainPrefix", nameFormat("DNS1123SubdomainPrefix", 60, objectname.IsSubdomainPrefix, nameRule(apivalidation.NameIsDNSSubdomain, true))},
		{"dns1035Label", nameFormat("DNS1035Label", 30, objectname.IsDNS1035Label, nameRule(apivalidation.NameIsDNS1035Label, false))},
		{"dns1035LabelPrefix", nameFormat("DNS1035LabelPrefix", 30, objectname.IsDNS1035Label, nameRule(apivalidation.NameIsDNS1035Label, true))},
		{"qualifiedName", nameFormat("QualifiedName", 60, func(s string) bool { return objectname.IsQualifiedName(s, false) }, validation.IsQualifiedName)},
		{"labelValue", nameFormat("LabelValue", 40, objectname.IsLabelValue, validation.IsValidLabelValue)},
		{"uri", apiservercel.Format{Name: "URI", ValidateFunc: uriErrors, MaxRegexSize: uriExpr}},
		{"uuid", schemaFormat("uuid", len(strfmt.UUIDPattern), "does not match the UUID format")},
		{"byte", schemaFormat("byte", base64Expr, "invalid base64")},
		{"date", schemaFormat("date", len(strfmt.DateTimePattern), "invalid date")},
		{"datetime", schemaFormat("datetime", len(strfmt.DateTimePattern), "invalid datetime")},
	}
}

// nameFormat returns a format. A string has the format if valid returns true; otherwise errs
// returns the errors.
func nameFormat(name string, length int, valid func(string) bool, errs func(string) []string) apiservercel.Format {
	return apiservercel.Format{
		Name: name,
		ValidateFunc: func(s string) []string {
			if valid(s) {
				return nil
			}
			return errs(s)
		},
		MaxRegexSize: length,
	}
}

func nameRule(errs func(string, bool) []string, prefix bool) func(string) []string {
	return func(s string) []string { return errs(s, prefix) }
}

func schemaFormat(name string, length int, err string) apiservercel.Format {
	return apiservercel.Format{
		Name: name,
		ValidateFunc: func(s string) []string {
			if strfmt.Default.Validates(name, s) {
				return nil
			}
			return []string{err}
		},
		MaxRegexSize: length,
	}
}

func uriErrors(s string) []string {
	if _, err := url.ParseRequestURI(s); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func formatLibrary() cel.EnvOption {
	t := apiservercel.FormatType
	known := make(map[string]apiservercel.Format)
	var functions []cel.EnvOption
	for _, f := range formats() {
		known[f.name] = f.Format
		full := "format." + f.name
		functions = append(functions, define(full,
			declare(full, t).function(bindAny(func(...ref.Val) ref.Val { return f.Format }))))
	}
	named := func(name string) ref.Val {
		if f, ok := known[name]; ok {
			return types.OptionalOf(f)
		}
		return types.OptionalNone
	}
	return newLibrary("kubernetes.format", append(functions,
		define("format.named", declare("format-named", cel.OptionalType(t), cel.StringType).function(unary(named))),
		define("validate", declare("format-validate", cel.OptionalType(cel.ListType(cel.StringType)), t, cel.StringType).
			method(binary(validate))),
	)...)
}

// validate returns the errors of s in format f, or an optional without a value if s is valid.
func validate(f apiservercel.Format, s string) ref.Val {
	if errs := f.ValidateFunc(s); len(errs) > 0 {
		return types.OptionalOf(texts(errs))
	}
	return types.OptionalNone
}
