package crdversion

import (
	"bytes"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// Equality decides what versions share. Empty equals missing, but not a pointer to zero and
// nil. Literals are equal if they decode to equal values. TestSame compares with
// reflection, by field.

// sameValue reports whether two pointers are both nil or point to equal values.
func sameValue[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// SameSchema reports whether two schemas, which may be nil, are the same, descriptions
// included.
func SameSchema(a, b *apiextensionsv1.JSONSchemaProps) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return sameTexts(a, b) && sameLimits(a, b) && sameExtensions(a, b) && sameBelow(a, b)
}

func sameTexts(a, b *apiextensionsv1.JSONSchemaProps) bool {
	return a.Type == b.Type && a.Format == b.Format && a.Description == b.Description && a.Title == b.Title &&
		a.ID == b.ID && a.Schema == b.Schema && sameValue(a.Ref, b.Ref) && sameValue(a.ExternalDocs, b.ExternalDocs) &&
		sameLiteral(a.Default, b.Default) && sameLiteral(a.Example, b.Example)
}

func sameLimits(a, b *apiextensionsv1.JSONSchemaProps) bool {
	return a.Nullable == b.Nullable && a.Pattern == b.Pattern && a.UniqueItems == b.UniqueItems &&
		a.ExclusiveMinimum == b.ExclusiveMinimum && a.ExclusiveMaximum == b.ExclusiveMaximum &&
		sameValue(a.Minimum, b.Minimum) && sameValue(a.Maximum, b.Maximum) && sameValue(a.MultipleOf, b.MultipleOf) &&
		sameValue(a.MinLength, b.MinLength) && sameValue(a.MaxLength, b.MaxLength) &&
		sameValue(a.MinItems, b.MinItems) && sameValue(a.MaxItems, b.MaxItems) &&
		sameValue(a.MinProperties, b.MinProperties) && sameValue(a.MaxProperties, b.MaxProperties) &&
		slices.Equal(a.Required, b.Required) &&
		slices.EqualFunc(a.Enum, b.Enum, func(a, b apiextensionsv1.JSON) bool { return sameLiteral(&a, &b) })
}

func sameExtensions(a, b *apiextensionsv1.JSONSchemaProps) bool {
	return a.XEmbeddedResource == b.XEmbeddedResource && a.XIntOrString == b.XIntOrString &&
		sameValue(a.XPreserveUnknownFields, b.XPreserveUnknownFields) &&
		sameValue(a.XListType, b.XListType) && sameValue(a.XMapType, b.XMapType) &&
		slices.Equal(a.XListMapKeys, b.XListMapKeys) && slices.EqualFunc(a.XValidations, b.XValidations, sameRule)
}

func sameRule(a, b apiextensionsv1.ValidationRule) bool {
	return a.Rule == b.Rule && a.Message == b.Message && a.MessageExpression == b.MessageExpression &&
		a.FieldPath == b.FieldPath && sameValue(a.Reason, b.Reason) && sameValue(a.OptionalOldSelf, b.OptionalOldSelf)
}

func sameBelow(a, b *apiextensionsv1.JSONSchemaProps) bool {
	return sameItems(a.Items, b.Items) && SameSchema(a.Not, b.Not) &&
		sameList(a.AllOf, b.AllOf) && sameList(a.AnyOf, b.AnyOf) && sameList(a.OneOf, b.OneOf) &&
		sameEither(a.AdditionalProperties, b.AdditionalProperties) && sameEither(a.AdditionalItems, b.AdditionalItems) &&
		sameNamed(a.Properties, b.Properties) && sameNamed(a.PatternProperties, b.PatternProperties) &&
		sameNamed(a.Definitions, b.Definitions) && sameDependencies(a.Dependencies, b.Dependencies)
}

func sameItems(a, b *apiextensionsv1.JSONSchemaPropsOrArray) bool {
	return a == b || a != nil && b != nil && SameSchema(a.Schema, b.Schema) && sameList(a.JSONSchemas, b.JSONSchemas)
}

func sameEither(a, b *apiextensionsv1.JSONSchemaPropsOrBool) bool {
	return a == b || a != nil && b != nil && a.Allows == b.Allows && SameSchema(a.Schema, b.Schema)
}

func sameList(a, b []apiextensionsv1.JSONSchemaProps) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !SameSchema(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

func sameNamed(a, b map[string]apiextensionsv1.JSONSchemaProps) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 {
		return true
	}
	var name string
	var x, y apiextensionsv1.JSONSchemaProps // declared here so that it escapes once, not per iteration
	for name, x = range a {
		var ok bool
		if y, ok = b[name]; !ok || !SameSchema(&x, &y) {
			return false
		}
	}
	return true
}

func sameDependencies(a, b apiextensionsv1.JSONSchemaDependencies) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		y, ok := b[name]
		if !ok || !SameSchema(x.Schema, y.Schema) || !slices.Equal(x.Property, y.Property) {
			return false
		}
	}
	return true
}

func sameLiteral(a, b *apiextensionsv1.JSON) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(literal(a), literal(b))
}

// literal decodes a literal like objects, nil for null and what is not JSON.
func literal(j *apiextensionsv1.JSON) any {
	if j == nil || len(j.Raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil {
		return nil
	}
	return v
}
