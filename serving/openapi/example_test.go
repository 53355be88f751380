package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/serving/openapi"
)

const cronTabs = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    selectableFields: [{jsonPath: .spec.cronSpec}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec: {type: string, description: "when, as <minute> <hour>"}
              port: {x-kubernetes-int-or-string: true}
              replicas: {type: integer, default: 1, nullable: true}
            required: [cronSpec, replicas]
  - name: v1alpha1
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
`

// definition reads a definition of an example or test.
func definition(text string) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), crd); err != nil {
		panic(err)
	}
	return crd
}

// printSpec prints the schema of spec.
func printSpec(d *openapi.Document) {
	data, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	type schemas map[string]struct{ Properties map[string]any }
	var doc struct {
		Definitions schemas
		Components  struct{ Schemas schemas }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		panic(err)
	}
	all := doc.Definitions
	if all == nil {
		all = doc.Components.Schemas
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all["com.example.stable.v1.CronTab"].Properties["spec"]); err != nil {
		panic(err)
	}
}

func ExampleVersionV3() {
	d, err := openapi.VersionV3(definition(cronTabs), "v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	printSpec(d)
	// Output:
	// {
	//   "properties": {
	//     "cronSpec": {
	//       "description": "when, as <minute> <hour>",
	//       "type": "string"
	//     },
	//     "port": {
	//       "anyOf": [
	//         {
	//           "type": "integer"
	//         },
	//         {
	//           "type": "string"
	//         }
	//       ],
	//       "x-kubernetes-int-or-string": true
	//     },
	//     "replicas": {
	//       "default": 1,
	//       "nullable": true,
	//       "type": "integer"
	//     }
	//   },
	//   "required": [
	//     "cronSpec",
	//     "replicas"
	//   ],
	//   "type": "object"
	// }
}

func ExampleVersionV2() {
	d, err := openapi.VersionV2(definition(cronTabs), "v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	printSpec(d)
	// Output:
	// {
	//   "properties": {
	//     "cronSpec": {
	//       "description": "when, as <minute> <hour>",
	//       "type": "string"
	//     },
	//     "port": {
	//       "x-kubernetes-int-or-string": true
	//     },
	//     "replicas": {}
	//   },
	//   "required": [
	//     "cronSpec"
	//   ],
	//   "type": "object"
	// }
}

// V3 publishes only served versions, by group and version.
func ExampleV3() {
	docs, err := openapi.V3([]*apiextensionsv1.CustomResourceDefinition{definition(cronTabs)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		fmt.Println("/openapi/v3/"+path, docs[path].OpenAPI())
	}
	// Output:
	// /openapi/v3/apis/stable.example.com/v1 3.0.0
}

func ExampleV2() {
	d, err := openapi.V2([]*apiextensionsv1.CustomResourceDefinition{definition(cronTabs)})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := d.MarshalJSON()
	if err != nil {
		fmt.Println(err)
		return
	}
	var doc struct{ Paths map[string]any }
	if err := json.Unmarshal(data, &doc); err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		fmt.Println(path)
	}
	// Output:
	// /apis/stable.example.com/v1/crontabs
	// /apis/stable.example.com/v1/namespaces/{namespace}/crontabs
	// /apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}
	// /apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status
}

func ExampleMerge() {
	crd := definition(cronTabs)
	stable, err := openapi.VersionV3(crd, "v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, err := openapi.VersionV3(crd, "v1alpha1")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = openapi.Merge(stable, alpha)
	fmt.Println(err)
	_, err = openapi.Merge(stable, alpha, stable)
	fmt.Println(err)
	// Output:
	// <nil>
	// openapi: two documents have the schema com.example.stable.v1.CronTab
}
