package jsonschema_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/jsonschema"
)

func definition(spec apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Names.Kind = "Widget"
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Required: []string{"spec"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec},
		},
	}}}
	return crd
}

func ExampleExport() {
	crd := definition(apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"size": {Type: "integer", Nullable: true},
	}})
	data, err := jsonschema.Export(crd, "v1", jsonschema.Draft07(), jsonschema.Strict())
	fmt.Print(string(data), err)
	// Output:
	// {
	//   "$schema": "http://json-schema.org/draft-07/schema#",
	//   "additionalProperties": false,
	//   "properties": {
	//     "apiVersion": {
	//       "const": "example.com/v1"
	//     },
	//     "kind": {
	//       "const": "Widget"
	//     },
	//     "metadata": {
	//       "anyOf": [
	//         {
	//           "required": [
	//             "name"
	//           ]
	//         },
	//         {
	//           "required": [
	//             "generateName"
	//           ]
	//         }
	//       ],
	//       "properties": {
	//         "annotations": {
	//           "additionalProperties": {
	//             "type": [
	//               "string",
	//               "null"
	//             ]
	//           },
	//           "type": [
	//             "object",
	//             "null"
	//           ]
	//         },
	//         "finalizers": {
	//           "items": {
	//             "type": [
	//               "string",
	//               "null"
	//             ]
	//           },
	//           "type": [
	//             "array",
	//             "null"
	//           ]
	//         },
	//         "generateName": {
	//           "type": [
	//             "string",
	//             "null"
	//           ]
	//         },
	//         "labels": {
	//           "additionalProperties": {
	//             "type": [
	//               "string",
	//               "null"
	//             ]
	//           },
	//           "type": [
	//             "object",
	//             "null"
	//           ]
	//         },
	//         "name": {
	//           "type": [
	//             "string",
	//             "null"
	//           ]
	//         },
	//         "namespace": {
	//           "type": [
	//             "string",
	//             "null"
	//           ]
	//         }
	//       },
	//       "type": "object"
	//     },
	//     "spec": {
	//       "additionalProperties": false,
	//       "properties": {
	//         "size": {
	//           "type": [
	//             "integer",
	//             "null"
	//           ]
	//         }
	//       },
	//       "type": "object"
	//     }
	//   },
	//   "required": [
	//     "apiVersion",
	//     "kind",
	//     "metadata",
	//     "spec"
	//   ],
	//   "title": "Widget of example.com/v1",
	//   "type": "object"
	// }
	// <nil>
}
