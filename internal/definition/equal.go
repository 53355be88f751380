package definition

import (
	"bytes"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Whether two parts of definitions are the same decides what moves to where all
// versions have it in common. Empty lists and maps are the same as none, but a
// pointer to nothing is not the same as no pointer, and literals are the same if
// they decode to the same. A test compares this to the same by reflection, field
// by field.

func sameSchema(a, b *apiextensionsv1.CustomResourceValidation) bool {
	return a == b || a != nil && b != nil && SameProps(a.OpenAPIV3Schema, b.OpenAPIV3Schema)
}

func sameSubresources(a, b *apiextensionsv1.CustomResourceSubresources) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	if (a.Status == nil) != (b.Status == nil) || (a.Scale == nil) != (b.Scale == nil) {
		return false
	}
	return a.Scale == nil || a.Scale.SpecReplicasPath == b.Scale.SpecReplicasPath &&
		a.Scale.StatusReplicasPath == b.Scale.StatusReplicasPath && sameValue(a.Scale.LabelSelectorPath, b.Scale.LabelSelectorPath)
}

// sameValue reports whether two pointers lead to the same value, or nowhere.
func sameValue[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// SameProps reports whether two schemas are the same, descriptions included.
func SameProps(a, b *apiextensionsv1.JSONSchemaProps) bool {
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
	return sameItems(a.Items, b.Items) && SameProps(a.Not, b.Not) &&
		sameList(a.AllOf, b.AllOf) && sameList(a.AnyOf, b.AnyOf) && sameList(a.OneOf, b.OneOf) &&
		sameEither(a.AdditionalProperties, b.AdditionalProperties) && sameEither(a.AdditionalItems, b.AdditionalItems) &&
		sameNamed(a.Properties, b.Properties) && sameNamed(a.PatternProperties, b.PatternProperties) &&
		sameNamed(a.Definitions, b.Definitions) && sameDependencies(a.Dependencies, b.Dependencies)
}

func sameItems(a, b *apiextensionsv1.JSONSchemaPropsOrArray) bool {
	return a == b || a != nil && b != nil && SameProps(a.Schema, b.Schema) && sameList(a.JSONSchemas, b.JSONSchemas)
}

func sameEither(a, b *apiextensionsv1.JSONSchemaPropsOrBool) bool {
	return a == b || a != nil && b != nil && a.Allows == b.Allows && SameProps(a.Schema, b.Schema)
}

func sameList(a, b []apiextensionsv1.JSONSchemaProps) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !SameProps(&a[i], &b[i]) {
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
	var x, y apiextensionsv1.JSONSchemaProps // see [byName]
	for name, x = range a {
		var ok bool
		if y, ok = b[name]; !ok || !SameProps(&x, &y) {
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
		if !ok || !SameProps(x.Schema, y.Schema) || !slices.Equal(x.Property, y.Property) {
			return false
		}
	}
	return true
}

func sameLiteral(a, b *apiextensionsv1.JSON) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(Literal(a), Literal(b))
}

// Literal decodes a literal of a schema as objects are decoded. It is nil for
// null, and for what is not JSON.
func Literal(j *apiextensionsv1.JSON) any {
	if j == nil || len(j.Raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil {
		return nil
	}
	return v
}

// SameNames reports whether two sets of names are the same.
func SameNames(a, b *apiextensionsv1.CustomResourceDefinitionNames) bool {
	return a.Plural == b.Plural && a.Singular == b.Singular && a.Kind == b.Kind && a.ListKind == b.ListKind &&
		slices.Equal(a.ShortNames, b.ShortNames) && slices.Equal(a.Categories, b.Categories)
}
