package hidden

import (
	"context"
	_ "unsafe" // for go:linkname

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/environment"
)

// validationOptions has the layout of the type of that name in package
// validation.
type validationOptions struct {
	allowDefaults                            bool
	disallowDefaultsReason                   string
	requireRecognizedConversionReviewVersion bool
	requireImmutableNames                    bool
	requireOpenAPISchema                     bool
	requireValidPropertyType                 bool
	requireStructuralSchema                  bool
	requirePrunedDefaults                    bool
	requireAtomicSetType                     bool
	requireMapListKeysMapSetValidation       bool
	preexistingExpressions                   preexistingExpressions
	versionsWithUnchangedSchemas             sets.Set[string]
	suppressPerExpressionCost                bool
	celEnvironmentSet                        *environment.EnvSet
	allowInvalidCABundle                     bool
	allowTooManySelectableFields             map[string]bool
}

type preexistingExpressions struct {
	rules              sets.Set[string]
	messageExpressions sets.Set[string]
}

//go:linkname validateSpec k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.validateCustomResourceDefinitionSpec
func validateSpec(ctx context.Context, spec *apiextensions.CustomResourceDefinitionSpec, opts validationOptions, path *field.Path) field.ErrorList

func createOptions() validationOptions {
	return validationOptions{
		allowDefaults:                            true,
		requireRecognizedConversionReviewVersion: true,
		requireOpenAPISchema:                     true,
		requireValidPropertyType:                 true,
		requireStructuralSchema:                  true,
		requirePrunedDefaults:                    true,
		requireAtomicSetType:                     true,
		requireMapListKeysMapSetValidation:       true,
		celEnvironmentSet:                        environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()),
		allowInvalidCABundle:                     true,
	}
}

// ValidateSpec returns the errors of the spec of a new definition.
func ValidateSpec(ctx context.Context, spec *apiextensions.CustomResourceDefinitionSpec) field.ErrorList {
	return validateSpec(ctx, spec, createOptions(), field.NewPath("spec"))
}

// ValidateV1beta1 returns the errors that servers up to 1.21 had for a new definition
// of a v1beta1 client, without errors of metadata. It uses the present validation with
// the options of those servers, and without two checks that they did not make: of
// approval and of kept unknown fields.
func ValidateV1beta1(ctx context.Context, crd *apiextensions.CustomResourceDefinition) field.ErrorList {
	opts := createOptions()
	opts.allowDefaults = false
	opts.disallowDefaultsReason = "(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
	opts.requireOpenAPISchema, opts.requireValidPropertyType, opts.requireStructuralSchema = false, false, false
	errs := validateSpec(ctx, &crd.Spec, opts, field.NewPath("spec"))
	errs = append(errs, validation.ValidateCustomResourceDefinitionStatus(&crd.Status, field.NewPath("status"))...)
	return append(errs, validation.ValidateCustomResourceDefinitionStoredVersions(crd.Status.StoredVersions, crd.Spec.Versions, field.NewPath("status", "storedVersions"))...)
}
