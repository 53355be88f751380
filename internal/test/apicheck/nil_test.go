package apicheck

import (
	"context"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/conversion/conversiontest"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/migration"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/serving/discovery"
	"github.com/crdkit/crdkit/serving/jsonschema"
	"github.com/crdkit/crdkit/serving/openapi"
	"github.com/crdkit/crdkit/serving/scale"
	"github.com/crdkit/crdkit/serving/selection"
	"github.com/crdkit/crdkit/serving/table"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// optionTests call each function that takes options with a nil option, as a
// program does that sets an option only under a condition.
var optionTests = map[string]func(){
	"crdkit.Compile":         func() { _, _ = crdkit.Compile(webhookDefinition(), nil) },
	"compat.Compare":         func() { _, _ = compat.Compare(context.Background(), webhookDefinition(), webhookDefinition(), nil) },
	"crdkit.NewCatalog":      func() { crdkit.NewCatalog(nil) },
	"definition.Check":       func() { definition.Check(webhookDefinition(), nil) },
	"definition.CheckUpdate": func() { definition.CheckUpdate(webhookDefinition(), webhookDefinition(), nil) },
	"schema.Compile":         func() { _, _ = schema.Compile(&apiextensionsv1.JSONSchemaProps{}, nil) },
	"pruning.New":            func() { pruning.New(nil, nil) },
	"defaulting.New":         func() { defaulting.New(nil) },
	"validation.New":         func() { validation.New(nil, nil) },
	"cel.Compile":            func() { _, _ = cel.Compile(objectSchema(), nil) },
	"cel.Check":              func() { cel.Check(objectSchema(), nil) },
	"cel.Estimate":           func() { cel.Estimate(objectSchema(), nil) },
	"cel.Program.Eval":       func() { compiledRule().Eval(context.Background(), map[string]any{}, nil) },
	"conversion.New":         func() { _, _ = conversion.New(webhookDefinition(), nil) },
	"conversion.Handler":     func() { conversion.Handler(nil, nil) },
	"conversiontest.New":     func() { _, _ = conversiontest.New(webhookDefinition(), nil) },
	"table.Printer.Object":   func() { emptyTable().Object(&unstructured.Unstructured{}, time.Time{}, nil) },
	"openapi.V3":             func() { _, _ = openapi.V3([]*apiextensionsv1.CustomResourceDefinition{webhookDefinition()}) },
	"explanation.New":        func() { explanation.New(nil, nil) },
	"jsonschema.Export":      func() { _, _ = jsonschema.Export(webhookDefinition(), "v1", nil) },
}

// definitionTests call each function that takes a definition or an object with
// nil.
var definitionTests = map[string]func(){
	"crdkit.Compile":              func() { _, _ = crdkit.Compile(nil) },
	"crdkit.Catalog.Add":          func() { _ = crdkit.NewCatalog().Add(nil) },
	"crdkit.Catalog.VersionFor":   func() { _, _ = crdkit.NewCatalog().VersionFor(nil) },
	"crdkit.ToUnstructured":       func() { _, _ = crdkit.ToUnstructured(nil, nil) },
	"crdkit.RefusalOf":            func() { crdkit.RefusalOf(nil); crdkit.RefusalOf((*apierrors.StatusError)(nil)) },
	"apply.New":                   func() { _, _ = apply.New(nil, webhookDefinition()); _, _ = apply.NewAll(nil, nil) },
	"definition.Check":            func() { definition.Check(nil) },
	"definition.CheckUpdate":      func() { definition.CheckUpdate(nil, webhookDefinition()) },
	"definition.SetDefaults":      func() { definition.SetDefaults(nil) },
	"definition.ReconciledStatus": func() { definition.ReconciledStatus(nil, nil) },
	"definition.StoredDefinition": func() { _, _ = definition.StoredDefinition(nil, nil) },
	"definition.StoredStatus":     func() { _, _ = definition.StoredStatus(webhookDefinition(), nil) },
	"definition.StoredVersions":   func() { definition.StoredVersions(nil, nil) },
	"compat.Compare":              func() { _, _ = compat.Compare(context.Background(), nil, nil) },
	"migration.NewPlan":           func() { migration.NewPlan(webhookDefinition(), nil) },
	"schema.Compile":              func() { _, _ = schema.Compile(nil) },
	"pruning.New":                 func() { pruning.New(nil).PruneAndReport(nil) },
	"defaulting.New":              func() { defaulting.New(nil).DefaultAndReport(nil) },
	"validation.New":              func() { validation.New(nil).ValidateUpdate(nil, nil) },
	"cel.Compile":                 func() { _, _ = cel.Compile(nil) },
	"cel.Program.Eval":            func() { (*cel.Program)(nil).Eval(context.Background(), nil) },
	"conversion.New":              func() { _, _ = conversion.New(nil) },
	"conversion.None":             func() { _, _ = conversion.None(nil).Convert(context.Background(), nil, "v1") },
	"conversion.Local":            func() { _, _ = conversion.Local(nil, nil).Convert(context.Background(), nil, "v1") },
	"conversion.ConvertList": func() {
		_, _ = conversion.ConvertList(context.Background(), conversion.None(nil), nil, "v1")
		_, _ = conversion.ConvertList(context.Background(), nil, &unstructured.UnstructuredList{}, "v1")
	},
	"conversiontest.New":            func() { _, _ = conversiontest.New(nil) },
	"discovery.Groups":              func() { discovery.Groups(nil) },
	"discovery.Resources":           func() { _, _ = discovery.Resources("a", "v1", nil) },
	"explanation.Definition":        func() { explanation.Definition(nil, nil) },
	"explanation.Explainer.Error":   func() { _, _ = explanation.New(nil).Error(context.Background(), nil, nil, nil) },
	"jsonschema.Export":             func() { _, _ = jsonschema.Export(nil, "v1") },
	"openapi.V2":                    func() { _, _ = openapi.V2([]*apiextensionsv1.CustomResourceDefinition{nil}) },
	"openapi.V3":                    func() { _, _ = openapi.V3([]*apiextensionsv1.CustomResourceDefinition{nil}) },
	"openapi.VersionV3":             func() { _, _ = openapi.VersionV3(nil, "v1") },
	"openapi.Merge":                 func() { _, _ = openapi.Merge(nil, nil) },
	"scale.New":                     func() { _, _ = scale.New(nil) },
	"selection.Fields.Matches":      func() { _, _ = clusterFields().Matches(nil, nil, nil) },
	"selection.Fields.Set":          func() { _, _ = clusterFields().Set(nil) },
	"table.Printer.Object and List": func() { emptyTable().Object(nil, time.Time{}); emptyTable().List(nil, time.Time{}) },
	"table.ScaleColumns":            func() { table.ScaleColumns(nil) },
}

// TestNilOptions checks that a nil option does not panic.
func TestNilOptions(t *testing.T) { callAll(t, optionTests) }

// TestNilDefinitions checks that a nil definition or object does not panic.
func TestNilDefinitions(t *testing.T) { callAll(t, definitionTests) }

// TestNilEngines checks that a nil engine panics at the first call, as its manual
// says, instead of admitting every object.
func TestNilEngines(t *testing.T) {
	for name, call := range map[string]func(){
		"pruning":    func() { (*pruning.Pruner)(nil).Prune(map[string]any{}) },
		"defaulting": func() { (*defaulting.Defaulter)(nil).Default(map[string]any{}) },
		"validation": func() { (*validation.Validator)(nil).Valid(map[string]any{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a nil engine does not panic")
				}
			}()
			call()
		})
	}
}

func callAll(t *testing.T, tests map[string]func()) {
	t.Helper()
	for name, call := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("panics: %v", p)
				}
			}()
			call()
		})
	}
}

func webhookDefinition() *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "crates.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Names.Plural, crd.Spec.Names.Kind = "crates", "Crate"
	url := "https://127.0.0.1/"
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url},
			ConversionReviewVersions: []string{"v1"},
		},
	}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
	}}
	return crd
}

func objectSchema() *schema.Node {
	n, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type:         "object",
		XValidations: apiextensionsv1.ValidationRules{{Rule: "true"}},
	})
	return n
}

func compiledRule() *cel.Program {
	p, _ := cel.Compile(objectSchema())
	return p
}

func clusterFields() *selection.Fields {
	f, _ := selection.New(nil, "")
	return f
}

func emptyTable() *table.Printer {
	p, _ := table.New(nil)
	return p
}
