package document

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// definition reads a definition into crd, which must be empty.
func (r *definitionReader) definition(i int, crd *apiextensionsv1.CustomResourceDefinition) bool {
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "apiVersion":
			return r.readString(v, &crd.APIVersion)
		case "kind":
			return r.readString(v, &crd.Kind)
		case "metadata":
			return r.metadata(v, &crd.ObjectMeta)
		case "spec":
			return r.spec(v, &crd.Spec)
		case "status":
			return r.decode(v, &crd.Status)
		}
		return r.unknownField(v)
	}) && crd.Spec.Versions != nil
}

// decode decodes a value with the library.
func (r *definitionReader) decode(v int, into any) bool {
	text, ok := r.tokens.AppendJSON(nil, v)
	if !ok {
		return false
	}
	strict, err := kjson.UnmarshalStrict(text, into)
	return err == nil && (len(strict) == 0 || r.strictErrors(v, strict))
}

// metadata reads the fields that authors write. Metadata with other fields is decoded with
// the library.
func (r *definitionReader) metadata(i int, out *metav1.ObjectMeta) bool {
	if r.members(i, func(name string, v int) bool {
		switch name {
		case "name":
			return r.readString(v, &out.Name)
		case "annotations":
			return r.texts(v, &out.Annotations)
		case "labels":
			return r.texts(v, &out.Labels)
		case "creationTimestamp":
			return r.tokens.Kind(v) == Null
		}
		return false
	}) {
		return true
	}
	*out = metav1.ObjectMeta{}
	return r.decode(i, out)
}

// texts reads strings by name.
func (r *definitionReader) texts(v int, out *map[string]string) bool {
	if r.tokens.Kind(v) != Object {
		return false
	}
	n := r.tokens.Len(v)
	all := make(map[string]string, n)
	name := v + 1
	for range n {
		if r.tokens.Kind(name+1) != String {
			return false
		}
		all[r.string(name)] = r.string(name + 1)
		name = r.tokens.Next(name + 1)
	}
	*out = all
	return len(all) == n
}

func (r *definitionReader) spec(i int, out *apiextensionsv1.CustomResourceDefinitionSpec) bool {
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "group":
			return r.readString(v, &out.Group)
		case "names":
			return r.names(v, &out.Names)
		case "scope":
			return r.readString(v, (*string)(&out.Scope))
		case "versions":
			return readList(r, v, &out.Versions, r.version)
		case "conversion":
			return r.decode(v, &out.Conversion)
		case "preserveUnknownFields":
			return r.boolean(v, &out.PreserveUnknownFields)
		}
		return r.unknownField(v)
	})
}

func (r *definitionReader) names(i int, out *apiextensionsv1.CustomResourceDefinitionNames) bool {
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "plural":
			return r.readString(v, &out.Plural)
		case "singular":
			return r.readString(v, &out.Singular)
		case "shortNames":
			return r.stringList(v, &out.ShortNames)
		case "kind":
			return r.readString(v, &out.Kind)
		case "listKind":
			return r.readString(v, &out.ListKind)
		case "categories":
			return r.stringList(v, &out.Categories)
		}
		return r.unknownField(v)
	})
}
