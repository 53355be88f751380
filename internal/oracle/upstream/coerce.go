package upstream

import (
	"fmt"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// coercer changes an object as decoding into a Go type would: metadata has the right
// types, and there are no unknown fields and no superfluous nulls.
type coercer struct {
	*Definition
	drop   bool // malformed metadata goes instead of failing
	repair bool // generation 0 becomes 1
	paths  bool // say which fields are unknown
}

func (c coercer) apply(u *unstructured.Unstructured) ([]string, error) {
	kind, hasKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return nil, err
	}
	apiVersion, hasVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return nil, err
	}
	meta, hasMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{
		DropMalformedFields: c.drop, ReturnUnknownFieldPaths: c.paths,
	})
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	if gv.Group == c.CRD.Spec.Group && kind == c.CRD.Spec.Names.Kind {
		more, err := c.body(u.Object, c.schemas[gv.Version])
		if err != nil {
			return nil, err
		}
		unknown = append(unknown, more...)
		c.repairGeneration(meta)
	}
	if hasKind {
		u.SetKind(kind)
	}
	if hasVersion {
		u.SetAPIVersion(apiVersion)
	}
	if hasMeta {
		err = objectmeta.SetObjectMeta(u.Object, meta)
	}
	return unknown, err
}

// body prunes, drops nulls and coerces embedded resources.
func (c coercer) body(obj map[string]any, s *structuralschema.Structural) ([]string, error) {
	var unknown []string
	if !c.CRD.Spec.PreserveUnknownFields {
		unknown = pruning.PruneWithOptions(obj, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: c.paths})
		structuraldefaulting.PruneNonNullableNullsWithoutDefaults(obj, s)
	}
	fault, more := objectmeta.CoerceWithOptions(nil, obj, s, false, objectmeta.CoerceOptions{
		DropInvalidFields: c.drop, ReturnUnknownFieldPaths: c.paths,
	})
	if fault != nil {
		return nil, fault
	}
	return append(unknown, more...), nil
}

// repairGeneration panics as upstream does if there is no metadata. The caller recovers
// the panic and reports it as an outcome.
func (c coercer) repairGeneration(meta *metav1.ObjectMeta) {
	if c.repair && meta.Generation == 0 {
		meta.Generation = 1
	}
}

type coercingDecoder struct {
	delegate runtime.Decoder
	coercer  coercer
}

func (d coercingDecoder) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, gvk, err := d.delegate.Decode(data, defaults, into)
	var complaints []error
	if err != nil {
		strict, ok := runtime.AsStrictDecodingError(err)
		if !ok || obj == nil {
			return nil, gvk, err
		}
		complaints = strict.Errors()
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return obj, gvk, err
	}
	unknown, err := d.coercer.apply(u)
	if err != nil {
		return nil, gvk, err
	}
	for _, path := range unknown {
		complaints = append(complaints, fmt.Errorf(`unknown field "%s"`, path))
	}
	if d.coercer.paths && len(complaints) > 0 {
		return obj, gvk, runtime.NewStrictDecodingError(complaints)
	}
	return obj, gvk, nil
}

// coercingConvertor coerces the objects that it converts.
type coercingConvertor struct {
	runtime.ObjectConvertor
	coercer coercer
}

func (c coercingConvertor) Convert(in, out, context any) error {
	if err := c.ObjectConvertor.Convert(in, out, context); err != nil {
		return err
	}
	if u, ok := out.(*unstructured.Unstructured); ok {
		_, err := c.coercer.apply(u)
		return err
	}
	return nil
}

func (c coercingConvertor) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	out, err := c.ObjectConvertor.ConvertToVersion(in, gv)
	if err != nil {
		return nil, err
	}
	if u, ok := out.(*unstructured.Unstructured); ok {
		if _, err := c.coercer.apply(u); err != nil {
			return nil, err
		}
	}
	return out, nil
}
