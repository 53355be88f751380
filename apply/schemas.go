package apply

import (
	"encoding/json"
	"fmt"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/serving/openapi"
)

// Schemas caches the typed schemas of Appliers. Equal schemas share one entry, see [Share]. The
// zero value is empty and ready to use. Schemas is safe for concurrent use, and must not be copied
// after its first use. It never drops an entry.
type Schemas struct {
	mu    sync.Mutex
	kinds map[schemaKey]*kindType
}

type schemaKey struct {
	node            *schema.Node // schema of the version; a catalog has one node for equal schemas
	preserveUnknown bool
	scale           bool // true for the type of the Scale; node is nil then
}

// Share makes Appliers take their typed schemas from s, and add missing ones to s. Versions of one
// [crdkit.Catalog] with equal schemas share one typed schema, also if they belong to different
// definitions. Without Share, only the versions of one definition share typed schemas. If s is nil,
// a new cache is used.
func Share(s *Schemas) Option {
	return option(func(a *Applier) { a.schemas = s })
}

type kindType struct {
	typed.ParseableType
	// defaults returns the defaulter of the schema. It is compiled at the first call.
	defaults func() *defaulting.Defaulter
}

// typeFor returns the type for a key. If there is none, it calls compile and keeps the result.
func (s *Schemas) typeFor(key schemaKey, compile func() (*kindType, error)) (*kindType, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kinds[key]; k != nil {
		return k, nil
	}
	k, err := compile()
	if err != nil {
		return nil, err
	}
	if s.kinds == nil {
		s.kinds = map[schemaKey]*kindType{}
	}
	s.kinds[key] = k
	return k, nil
}

// kindTypes converts Scales, and objects of all versions, to typed values for a field manager.
type kindTypes struct {
	managedfields.TypeConverter // knows no types; returns the errors for other kinds
	kinds                       map[runtimeschema.GroupVersionKind]*kindType
}

func (t *kindTypes) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	k := t.kinds[obj.GetObjectKind().GroupVersionKind()]
	if k == nil {
		return t.TypeConverter.ObjectToTyped(obj, opts...)
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		value, err := k.FromUnstructured(u.UnstructuredContent(), opts...)
		if err != nil {
			return nil, k.typeErrors(u.UnstructuredContent(), opts)
		}
		return value, nil
	}
	return k.FromStructured(obj, opts...)
}

var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

func (s *Schemas) newTypes(d *crdkit.Definition, crd *apiextensionsv1.CustomResourceDefinition) (*kindTypes, error) {
	none, err := managedfields.NewTypeConverter(nil, false)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	out := &kindTypes{TypeConverter: none, kinds: map[runtimeschema.GroupVersionKind]*kindType{}}
	for i := range crd.Spec.Versions {
		declared := &crd.Spec.Versions[i]
		v, ok := d.Version(declared.Name)
		if !ok {
			return nil, fmt.Errorf("apply: the compiled definition has no version %s", declared.Name)
		}
		doc := &document{crd: crd, version: declared.Name}
		gvk := v.GroupVersionKind()
		if out.kinds[gvk], err = s.typeFor(schemaKey{node: v.Schema(), preserveUnknown: crd.Spec.PreserveUnknownFields}, func() (*kindType, error) { return doc.compile(gvk, v.Schema()) }); err != nil {
			return nil, err
		}
		if declared.Subresources == nil || declared.Subresources.Scale == nil {
			continue
		}
		if out.kinds[scaleKind], err = s.typeFor(schemaKey{scale: true}, func() (*kindType, error) { return doc.compile(scaleKind, nil) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A document is the OpenAPI document of a version. It is made when it is first needed.
type document struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	version string
	schemas map[string]*spec.Schema
}

// compile compiles the type of a kind. node is the schema with the defaults.
func (d *document) compile(gvk runtimeschema.GroupVersionKind, node *schema.Node) (*kindType, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	all, err := managedfields.NewTypeConverter(d.schemas, d.crd.Spec.PreserveUnknownFields && gvk != scaleKind)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(gvk)
	value, err := all.ObjectToTyped(empty)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	k := &kindType{ParseableType: typed.ParseableType{Schema: value.Schema(), TypeRef: value.TypeRef()}}
	k.defaults = sync.OnceValue(func() *defaulting.Defaulter { return defaulting.New(node) })
	return k, nil
}

func (d *document) read() error {
	if d.schemas != nil {
		return nil
	}
	doc, err := openapi.VersionV3(d.crd, d.version)
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	text, err := doc.MarshalJSON()
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	var decoded struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		return fmt.Errorf("apply: reading the OpenAPI document of %s: %w", d.version, err)
	}
	d.schemas = decoded.Components.Schemas
	return nil
}
