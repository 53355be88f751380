package upstream

import (
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
)

func (t typer) ObjectKinds(obj runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	if _, ok := obj.(runtime.Unstructured); ok {
		return crdserverscheme.NewUnstructuredObjectTyper().ObjectKinds(obj)
	}
	return t.options.ObjectKinds(obj)
}

func (t typer) Recognizes(gvk schema.GroupVersionKind) bool { return t.options.Recognizes(gvk) }

type creator struct{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// defaulter sets the defaults of the version that the apiVersion of an object names.
type defaulter struct{ *Definition }

func (d defaulter) Default(in runtime.Object) {
	u, ok := in.(runtime.Unstructured)
	if !ok {
		return
	}
	gvk := u.GetObjectKind().GroupVersionKind()
	if gvk.Group == d.CRD.Spec.Group && gvk.Kind == d.CRD.Spec.Names.Kind {
		structuraldefaulting.Default(u.UnstructuredContent(), d.schemas[gvk.Version])
	}
}

// requestDecoder returns the decoder of request bodies.
func (v *Version) requestDecoder(strict, yaml bool) runtime.Decoder {
	s := json.NewSerializerWithOptions(json.DefaultMetaFactory, creator{}, v.typer, json.SerializerOptions{Yaml: yaml, Strict: strict})
	d := coercingDecoder{delegate: s, coercer: coercer{Definition: v.Definition, paths: strict}}
	scheme := runtime.NewScheme()
	return versioning.NewCodec(nil, d, runtime.UnsafeObjectConvertor(scheme), scheme, scheme, defaulter{v.Definition}, nil,
		v.Kind.GroupVersion(), "unstructuredNegotiatedSerializer")
}

// storageDecoder returns the decoder of stored objects, which converts them to v.
func (v *Version) storageDecoder() runtime.Decoder {
	d := coercingDecoder{
		delegate: unstructured.UnstructuredJSONScheme,
		coercer:  coercer{Definition: v.Definition, drop: true, repair: true},
	}
	c := coercingConvertor{ObjectConvertor: v.convertor, coercer: coercer{Definition: v.Definition}}
	return versioning.NewCodec(unstructured.UnstructuredJSONScheme, d, c, creator{}, crdserverscheme.NewUnstructuredObjectTyper(),
		defaulter{v.Definition}, schema.GroupVersion{Group: v.Kind.Group, Version: v.Definition.storage}, v.Kind.GroupVersion(), "crdRESTOptions")
}
