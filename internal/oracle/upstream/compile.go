package upstream

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/registry/rest"
)

// A Definition is the state of the server for a definition that it serves.
type Definition struct {
	CRD      *apiextensionsv1.CustomResourceDefinition // with API defaults set
	Versions []*Version                                // in the order of the definition
	schemas  map[string]*structuralschema.Structural
	storage  string
}

// A Version is the state of the server for one version. Its methods are safe for
// concurrent use.
type Version struct {
	Definition *Definition
	Name       string
	Kind       schema.GroupVersionKind
	HasStatus  bool

	structural *structuralschema.Structural
	values     validation.SchemaValidator
	status     validation.SchemaValidator
	rules      *cel.Validator
	strategy   strategy
	onStatus   rest.RESTUpdateStrategy
	typer      runtime.ObjectTyper
	convertor  runtime.ObjectConvertor
	namespaced bool
	warning    string // on every request, "" for none
}

// strategy has the methods of upstream's unexported strategy type.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// Compile builds the state that the server needs to serve a definition, and the state
// of the single steps. It uses the conversion strategy None, because no webhook runs.
func Compile(crd *apiextensionsv1.CustomResourceDefinition) (*Definition, error) {
	d, err := Serve(crd)
	if err != nil {
		return nil, err
	}
	for _, v := range d.Versions {
		v.rules = v.CompileRules()
	}
	return d, nil
}

// CompileRules compiles the rules of the version. The strategies have their own
// unexported copy.
func (v *Version) CompileRules() *cel.Validator {
	return cel.NewValidator(v.structural, true, celconfig.PerCallLimit)
}

// Serve builds only the state that the server needs to serve a definition.
func Serve(crd *apiextensionsv1.CustomResourceDefinition) (*Definition, error) {
	crd = crd.DeepCopy()
	crd.Spec.Conversion = nil
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	d := &Definition{CRD: crd, schemas: map[string]*structuralschema.Structural{}}
	for i := range crd.Spec.Versions {
		if err := d.structural(&crd.Spec.Versions[i]); err != nil {
			return nil, err
		}
	}
	storage, err := apihelpers.GetCRDStorageVersion(crd)
	if err != nil {
		return nil, err
	}
	d.storage = storage
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		return nil, err
	}
	safe, _, err := factory.NewConverter(crd)
	if err != nil {
		return nil, err
	}
	for i := range crd.Spec.Versions {
		v, err := d.version(&crd.Spec.Versions[i])
		if err != nil {
			return nil, fmt.Errorf("version %s: %w", crd.Spec.Versions[i].Name, err)
		}
		v.convertor = safe
		d.Versions = append(d.Versions, v)
	}
	return d, nil
}

// Version returns the version of that name, or nil.
func (d *Definition) Version(name string) *Version {
	for _, v := range d.Versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}

func (d *Definition) structural(declared *apiextensionsv1.CustomResourceDefinitionVersion) error {
	if declared.Schema == nil {
		return nil
	}
	props, err := internalProps(declared.Schema.OpenAPIV3Schema)
	if err != nil {
		return err
	}
	s, err := structuralschema.NewStructural(props)
	if err != nil && !d.CRD.Spec.PreserveUnknownFields {
		return err
	}
	if !d.CRD.Spec.PreserveUnknownFields {
		s = s.DeepCopy()
		if err := structuraldefaulting.PruneDefaults(s); err != nil {
			return err
		}
	}
	d.schemas[declared.Name] = s
	return nil
}

// internalProps converts a schema to the internal type, as the server does
// with the whole validation block.
func internalProps(props *apiextensionsv1.JSONSchemaProps) (*apiextensions.JSONSchemaProps, error) {
	in := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props}
	out := &apiextensions.CustomResourceValidation{}
	err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(in, out, nil)
	return out.OpenAPIV3Schema, err
}

func (d *Definition) version(declared *apiextensionsv1.CustomResourceDefinitionVersion) (*Version, error) {
	v := &Version{
		Definition: d,
		Name:       declared.Name,
		Kind:       schema.GroupVersionKind{Group: d.CRD.Spec.Group, Version: declared.Name, Kind: d.CRD.Spec.Names.Kind},
		structural: d.schemas[declared.Name],
		namespaced: d.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped,
		warning:    deprecation(d.CRD, declared),
		typer:      newTyper(schema.GroupVersion{Group: d.CRD.Spec.Group, Version: declared.Name}),
	}
	var props *apiextensions.JSONSchemaProps
	if declared.Schema != nil {
		var err error
		if props, err = internalProps(declared.Schema.OpenAPIV3Schema); err != nil {
			return nil, err
		}
	}
	var err error
	if v.values, _, err = validation.NewSchemaValidator(props); err != nil {
		return nil, err
	}
	return v, v.strategies(declared, props)
}

func (v *Version) strategies(declared *apiextensionsv1.CustomResourceDefinitionVersion, props *apiextensions.JSONSchemaProps) error {
	var (
		status *apiextensions.CustomResourceSubresourceStatus
		scale  *apiextensions.CustomResourceSubresourceScale
	)
	if sub := declared.Subresources; sub != nil && sub.Status != nil {
		v.HasStatus = true
		status = &apiextensions.CustomResourceSubresourceStatus{}
		if props != nil {
			if statusProps, ok := props.Properties["status"]; ok {
				var err error
				if v.status, _, err = validation.NewSchemaValidator(&statusProps); err != nil {
					return err
				}
			}
		}
	}
	if sub := declared.Subresources; sub != nil && sub.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{}
		if err := apiextensionsv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(sub.Scale, scale, nil); err != nil {
			return err
		}
	}
	s := customresource.NewStrategy(v.typer, v.namespaced, v.Kind, v.values, v.status, v.structural, status, scale, declared.SelectableFields)
	v.strategy = s
	v.onStatus = customresource.NewStatusStrategy(s)
	return nil
}

// StructuralErrors returns the structural errors of the server for a schema at path.
func StructuralErrors(props *apiextensionsv1.JSONSchemaProps, path *field.Path) field.ErrorList {
	internal, err := internalProps(props)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	s, err := structuralschema.NewStructural(internal)
	if err != nil {
		return field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	return structuralschema.ValidateStructural(path, s)
}

// typer returns the kinds of unstructured objects and of request options.
type typer struct {
	options runtime.ObjectTyper
}

func newTyper(gv schema.GroupVersion) runtime.ObjectTyper {
	scheme := runtime.NewScheme()
	scheme.AddUnversionedTypes(gv, &metav1.ListOptions{}, &metav1.GetOptions{}, &metav1.DeleteOptions{})
	return typer{options: scheme}
}
