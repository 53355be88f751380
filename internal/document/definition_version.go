package document

import (
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// version reads a version of a definition into out, which must be zero.
func (r *definitionReader) version(i int, out *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "name":
			return r.readString(v, &out.Name)
		case "served":
			return r.boolean(v, &out.Served)
		case "storage":
			return r.boolean(v, &out.Storage)
		case "deprecated":
			return r.boolean(v, &out.Deprecated)
		case "deprecationWarning":
			out.DeprecationWarning = new(string)
			return r.readString(v, out.DeprecationWarning)
		case "schema":
			return r.validation(v, out)
		case "subresources":
			return r.subresources(v, out)
		case "additionalPrinterColumns":
			return readList(r, v, &out.AdditionalPrinterColumns, r.column)
		case "selectableFields":
			return readList(r, v, &out.SelectableFields, r.selectableField)
		}
		return r.unknownField(v)
	})
}

func (r *definitionReader) validation(i int, out *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	out.Schema = &apiextensionsv1.CustomResourceValidation{}
	return r.members(i, func(name string, v int) bool {
		switch {
		case name != "openAPIV3Schema":
			return r.unknownField(v)
		case r.tokens.Kind(v) == Null:
			return true
		}
		out.Schema.OpenAPIV3Schema = &props{}
		return r.schema(v, out.Schema.OpenAPIV3Schema)
	})
}

func (r *definitionReader) subresources(i int, out *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	out.Subresources = &apiextensionsv1.CustomResourceSubresources{}
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "status":
			out.Subresources.Status = &apiextensionsv1.CustomResourceSubresourceStatus{}
			return r.tokens.Kind(v) == Object && r.tokens.Len(v) == 0
		case "scale":
			out.Subresources.Scale = &apiextensionsv1.CustomResourceSubresourceScale{}
			return r.scale(v, out.Subresources.Scale)
		}
		return r.unknownField(v)
	})
}

func (r *definitionReader) scale(i int, out *apiextensionsv1.CustomResourceSubresourceScale) bool {
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "specReplicasPath":
			return r.readString(v, &out.SpecReplicasPath)
		case "statusReplicasPath":
			return r.readString(v, &out.StatusReplicasPath)
		case "labelSelectorPath":
			out.LabelSelectorPath = new(string)
			return r.readString(v, out.LabelSelectorPath)
		}
		return r.unknownField(v)
	})
}

func (r *definitionReader) column(i int, out *apiextensionsv1.CustomResourceColumnDefinition) bool {
	return r.members(i, func(name string, v int) bool {
		switch name {
		case "name":
			return r.readString(v, &out.Name)
		case "type":
			return r.readString(v, &out.Type)
		case "format":
			return r.readString(v, &out.Format)
		case "description":
			return r.readString(v, &out.Description)
		case "jsonPath":
			return r.readString(v, &out.JSONPath)
		case "priority":
			n, err := strconv.ParseInt(r.tokens.Text(v), 10, 32)
			out.Priority = int32(n)
			return r.tokens.Kind(v) == Number && err == nil
		}
		return r.unknownField(v)
	})
}

func (r *definitionReader) selectableField(i int, out *apiextensionsv1.SelectableField) bool {
	return r.members(i, func(name string, v int) bool {
		if name != "jsonPath" {
			return r.unknownField(v)
		}
		return r.readString(v, &out.JSONPath)
	})
}
