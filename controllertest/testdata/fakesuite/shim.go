// Package fake runs the tests of controller-runtime's fake client with controllertest. The
// script run copies this file beside them.
package fake

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	real "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crdkit/crdkit/controllertest"
)

const (
	trackerAddResourceVersion = "999"
	maxNameLength             = 63
	subResourceScale          = "scale"
)

type ClientBuilder struct {
	scheme  *runtime.Scheme
	objs    []client.Object
	runtime []runtime.Object
	status  []client.Object
	funcs   []func(*real.ClientBuilder)
	wrap    *interceptor.Funcs
	built   bool
}

func NewClientBuilder() *ClientBuilder { return &ClientBuilder{} }
func NewFakeClient(objs ...runtime.Object) client.WithWatch {
	return NewClientBuilder().WithRuntimeObjects(objs...).Build()
}

func (b *ClientBuilder) with(f func(*real.ClientBuilder)) *ClientBuilder {
	b.funcs = append(b.funcs, f)
	return b
}
func (b *ClientBuilder) WithScheme(s *runtime.Scheme) *ClientBuilder { b.scheme = s; return b }
func (b *ClientBuilder) WithRESTMapper(m meta.RESTMapper) *ClientBuilder {
	return b.with(func(r *real.ClientBuilder) { r.WithRESTMapper(m) })
}
func (b *ClientBuilder) WithObjects(o ...client.Object) *ClientBuilder {
	b.objs = append(b.objs, o...)
	return b
}
func (b *ClientBuilder) WithLists(l ...client.ObjectList) *ClientBuilder {
	return b.with(func(r *real.ClientBuilder) { r.WithLists(l...) })
}
func (b *ClientBuilder) WithRuntimeObjects(o ...runtime.Object) *ClientBuilder {
	for _, obj := range o {
		if c, ok := obj.(client.Object); ok {
			b.objs = append(b.objs, c)
		} else {
			b.with(func(r *real.ClientBuilder) { r.WithRuntimeObjects(obj) })
		}
	}
	return b
}
func (b *ClientBuilder) WithObjectTracker(t testing.ObjectTracker) *ClientBuilder {
	return b.with(func(r *real.ClientBuilder) { r.WithObjectTracker(t) })
}
func (b *ClientBuilder) WithGlobalResourceVersionCounter() *ClientBuilder {
	return b.with(func(r *real.ClientBuilder) { r.WithGlobalResourceVersionCounter() })
}
func (b *ClientBuilder) WithIndex(o runtime.Object, field string, f client.IndexerFunc) *ClientBuilder {
	s := b.scheme
	probe := real.NewClientBuilder()
	if s != nil {
		probe.WithScheme(s)
	}
	for _, g := range b.funcs {
		g(probe)
	}
	probe.WithIndex(o, field, f) // panics as the builder does
	return b.with(func(r *real.ClientBuilder) { r.WithIndex(o, field, f) })
}
func (b *ClientBuilder) WithStatusSubresource(o ...client.Object) *ClientBuilder {
	b.status = append(b.status, o...)
	return b.with(func(r *real.ClientBuilder) { r.WithStatusSubresource(o...) })
}
func (b *ClientBuilder) WithInterceptorFuncs(f interceptor.Funcs) *ClientBuilder {
	b.wrap = &f
	return b
}
func (b *ClientBuilder) WithTypeConverters(c ...managedfields.TypeConverter) *ClientBuilder {
	return b.with(func(r *real.ClientBuilder) { r.WithTypeConverters(c...) })
}
func (b *ClientBuilder) WithReturnManagedFields() *ClientBuilder {
	return b.with(func(r *real.ClientBuilder) { r.WithReturnManagedFields() })
}

func (b *ClientBuilder) Build() client.WithWatch {
	if b.built {
		panic("Build() must not be called multiple times when creating a ClientBuilder")
	}
	b.built = true
	s := b.scheme
	if s == nil {
		s = clientgoscheme.Scheme
	}
	hasStatus := map[schema.GroupKind]bool{}
	for _, o := range b.status {
		if gvk, err := apiutil.GVKForObject(o, s); err == nil {
			hasStatus[gvk.GroupKind()] = true
		}
	}
	defs, err := controllertest.FromCRDs([]*apiextensionsv1.CustomResourceDefinition{
		crd("custom", "Image", "images", hasStatus, "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"),
		crd("custom", "FakeResource", "fakeresources", hasStatus, "v1"),
		crd("foo", "Foo", "foos", hasStatus, "v1"),
	})
	if err != nil {
		panic(err)
	}
	env, err := controllertest.Start(defs, controllertest.Scheme(s), controllertest.Objects(b.objs...),
		controllertest.Fake(func(r *real.ClientBuilder) *real.ClientBuilder {
			for _, f := range b.funcs {
				f(r)
			}
			return r
		}))
	if err != nil {
		panic(err)
	}
	c := env.Client()
	if b.wrap != nil {
		c = interceptor.NewClient(c, *b.wrap)
	}
	return c
}

func crd(group, kind, plural string, hasStatus map[schema.GroupKind]bool, versions ...string) *apiextensionsv1.CustomResourceDefinition {
	keep := true
	c := &apiextensionsv1.CustomResourceDefinition{}
	c.Name = plural + "." + group
	c.Spec.Group, c.Spec.Scope = group, apiextensionsv1.ClusterScoped
	c.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind, Singular: plural[:len(plural)-1]}
	for i, v := range versions {
		version := apiextensionsv1.CustomResourceDefinitionVersion{Name: v, Served: true, Storage: i == 0,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}}}
		if hasStatus[schema.GroupKind{Group: group, Kind: kind}] {
			version.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		}
		c.Spec.Versions = append(c.Spec.Versions, version)
	}
	return c
}

func AddIndex(c client.Client, o runtime.Object, field string, f client.IndexerFunc) error {
	return real.AddIndex(c, o, field, f)
}
