package upstream

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// A DefinitionServer is upstream's strategy for definitions.
type DefinitionServer struct {
	Scheme   *runtime.Scheme
	Strategy interface {
		rest.RESTCreateStrategy
		rest.RESTUpdateStrategy
	}
}

// NewDefinitionServer returns the strategy with a scheme of its own.
func NewDefinitionServer() *DefinitionServer {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return &DefinitionServer{Scheme: scheme, Strategy: customresourcedefinition.NewStrategy(scheme)}
}

// Decoded sets the API defaults in crd and converts it to the internal type, as the
// server does with a decoded definition. The result may share memory with crd.
func (s *DefinitionServer) Decoded(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	s.Scheme.Default(crd)
	out := &apiextensions.CustomResourceDefinition{}
	return out, s.Scheme.Convert(crd, out, nil)
}

// Create returns the errors of the creation of a decoded definition, and the warnings
// that the server sends if there are no errors.
func (s *DefinitionServer) Create(obj *apiextensions.CustomResourceDefinition) (field.ErrorList, []string) {
	// As the create handler does, except for names and identifiers.
	obj.DeletionTimestamp, obj.DeletionGracePeriodSeconds, obj.SelfLink = nil, nil, ""
	obj.UID, obj.CreationTimestamp = "", metav1.Time{}
	ctx := context.Background()
	warnings := UniqueOwners(obj)
	s.Strategy.PrepareForCreate(ctx, obj)
	errs := rest.ValidateCreate(ctx, obj, s.Strategy)
	return errs, append(warnings, s.Strategy.WarningsOnCreate(ctx, obj)...)
}

// Widgets returns a definition of widgets with a schema, as the server holds it. props is
// not changed.
func Widgets(props *apiextensionsv1.JSONSchemaProps) (*apiextensions.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com",
		Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props.DeepCopy()},
		}},
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	out := &apiextensions.CustomResourceDefinition{}
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out, nil)
	out.Status.StoredVersions = []string{"v1"}
	return out, err
}
