package definition

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
)

// Servers up to 1.21 served v1beta1, and old tools write it. These types embed the types of v1 and
// declare the differences: schema, subresources and columns may belong to all versions, the fields
// of conversion.webhook are in conversion itself, and the path of a column is spelled JSONPath.

const apiVersionV1beta1 = "apiextensions.k8s.io/v1beta1"

type betaDefinition struct {
	apiextensionsv1.CustomResourceDefinition `json:",inline"`

	Spec betaSpec `json:"spec"`
}

type betaSpec struct {
	apiextensionsv1.CustomResourceDefinitionSpec `json:",inline"`

	Version               string          `json:"version,omitempty"`
	Versions              []betaVersion   `json:"versions,omitempty"`
	Conversion            *betaConversion `json:"conversion,omitempty"`
	PreserveUnknownFields *bool           `json:"preserveUnknownFields,omitempty"`

	// These fields belong to all versions.
	Validation               *apiextensionsv1.CustomResourceValidation   `json:"validation,omitempty"`
	Subresources             *apiextensionsv1.CustomResourceSubresources `json:"subresources,omitempty"`
	AdditionalPrinterColumns []betaColumn                                `json:"additionalPrinterColumns,omitempty"`
	SelectableFields         []apiextensionsv1.SelectableField           `json:"selectableFields,omitempty"`
}

type betaVersion struct {
	apiextensionsv1.CustomResourceDefinitionVersion `json:",inline"`

	AdditionalPrinterColumns []betaColumn `json:"additionalPrinterColumns,omitempty"`
}

type betaColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format,omitempty"`
	Description string `json:"description,omitempty"`
	Priority    int32  `json:"priority,omitempty"`
	JSONPath    string `json:"JSONPath"`
}

type betaConversion struct {
	Strategy                 apiextensionsv1.ConversionStrategyType `json:"strategy"`
	WebhookClientConfig      *apiextensionsv1.WebhookClientConfig   `json:"webhookClientConfig,omitempty"`
	ConversionReviewVersions []string                               `json:"conversionReviewVersions,omitempty"`
}

// parseV1beta1 reads a definition of v1beta1 from JSON and returns it as the server serves it at
// v1.
func parseV1beta1(data []byte, duplicates []error, cfg *parseConfig) (*apiextensionsv1.CustomResourceDefinition, error) {
	beta := &betaDefinition{}
	if err := cfg.decode(data, duplicates, beta, &beta.ObjectMeta); err != nil {
		return nil, err
	}
	beta.Spec.setDefaults()
	if errs := beta.Spec.contradictions(field.NewPath("spec")); len(errs) > 0 {
		return nil, refusedText{fmt.Errorf("crdkit: %s: %w", titleOf(beta.Name), errorlist.Of(errs))}
	}
	crd := &beta.CustomResourceDefinition
	crd.APIVersion, crd.Spec = apiextensionsv1.SchemeGroupVersion.String(), beta.Spec.v1()
	SetDefaults(crd)
	return crd, nil
}

// setDefaults sets the defaults that v1 does not have.
//
// https://github.com/kubernetes/kubernetes/blob/v1.21.14/staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1/types.go
func (s *betaSpec) setDefaults() {
	if s.Scope == "" {
		s.Scope = apiextensionsv1.NamespaceScoped
	}
	if len(s.Versions) == 0 && s.Version != "" {
		only := apiextensionsv1.CustomResourceDefinitionVersion{Name: s.Version, Served: true, Storage: true}
		s.Versions = []betaVersion{{CustomResourceDefinitionVersion: only}}
	}
	if s.Version == "" && len(s.Versions) > 0 {
		s.Version = s.Versions[0].Name
	}
	if c := s.Conversion; c != nil && c.Strategy == apiextensionsv1.WebhookConverter && len(c.ConversionReviewVersions) == 0 {
		c.ConversionReviewVersions = []string{"v1beta1"}
	}
	if s.PreserveUnknownFields == nil {
		preserve := true
		s.PreserveUnknownFields = &preserve
	}
}

// contradictions returns an error for each field that v1 cannot express. In two cases the server
// drops fields without an error: the selectable fields of versions, if the spec has some, too,
// and the fields for all versions, if there are none.
func (s *betaSpec) contradictions(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	exclusive := func(common bool, apart func(betaVersion) bool, name, what string) {
		if common && slices.ContainsFunc(s.Versions, apart) {
			errs = append(errs, field.Forbidden(path.Child(name), "top-level and per-version "+what+" are mutually exclusive"))
		}
	}
	exclusive(s.Validation != nil, func(v betaVersion) bool { return v.Schema != nil }, "validation", "schemas")
	exclusive(s.Subresources != nil, func(v betaVersion) bool { return v.Subresources != nil }, "subresources", "subresources")
	exclusive(len(s.AdditionalPrinterColumns) > 0, func(v betaVersion) bool { return len(v.AdditionalPrinterColumns) > 0 },
		"additionalPrinterColumns", "additionalPrinterColumns")
	exclusive(len(s.SelectableFields) > 0, func(v betaVersion) bool { return len(v.SelectableFields) > 0 },
		"selectableFields", "selectableFields")
	if len(s.Versions) == 0 {
		if s.Validation != nil || s.Subresources != nil || len(s.AdditionalPrinterColumns) > 0 || len(s.SelectableFields) > 0 {
			errs = append(errs, field.Required(path.Child("versions"), "there is no version for what is said of all"))
		}
		return errs
	}
	if s.Versions[0].Name != s.Version {
		errs = append(errs, field.Invalid(path.Child("version"), s.Version, "must match the first version in spec.versions"))
	}
	return errs
}

// v1 returns the spec at v1. Versions get the fields that belong to all versions, in shared memory.
func (s *betaSpec) v1() apiextensionsv1.CustomResourceDefinitionSpec {
	spec := s.CustomResourceDefinitionSpec
	spec.Conversion, spec.PreserveUnknownFields = s.Conversion.v1(), *s.PreserveUnknownFields
	common := columnsOf(s.AdditionalPrinterColumns)
	for i := range s.Versions {
		v := s.Versions[i].CustomResourceDefinitionVersion
		v.AdditionalPrinterColumns = columnsOf(s.Versions[i].AdditionalPrinterColumns)
		if s.Validation != nil {
			v.Schema = s.Validation
		}
		if s.Subresources != nil {
			v.Subresources = s.Subresources
		}
		if common != nil { // even if empty, as on the server
			v.AdditionalPrinterColumns = common
		}
		if s.SelectableFields != nil {
			v.SelectableFields = s.SelectableFields
		}
		spec.Versions = append(spec.Versions, v)
	}
	return spec
}

func columnsOf(columns []betaColumn) []apiextensionsv1.CustomResourceColumnDefinition {
	if columns == nil {
		return nil
	}
	out := make([]apiextensionsv1.CustomResourceColumnDefinition, len(columns))
	for i, c := range columns {
		out[i] = apiextensionsv1.CustomResourceColumnDefinition(c)
	}
	return out
}

func (c *betaConversion) v1() *apiextensionsv1.CustomResourceConversion {
	if c == nil {
		return nil
	}
	out := &apiextensionsv1.CustomResourceConversion{Strategy: c.Strategy}
	if c.WebhookClientConfig != nil || c.ConversionReviewVersions != nil {
		out.Webhook = &apiextensionsv1.WebhookConversion{
			ClientConfig:             c.WebhookClientConfig,
			ConversionReviewVersions: c.ConversionReviewVersions,
		}
	}
	return out
}
