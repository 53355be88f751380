// Command builtins prints the common parts of the OpenAPI documents of all
// definitions: the schemas of Kubernetes' own types, the parameters of requests
// and the descriptions of apiVersion, kind and metadata. Package serving/openapi
// embeds the output:
//
//	go run -C internal/oracle ./builtins > serving/openapi/builtin.json
//
// It extracts them from the documents that kube-apiserver's builders return for one
// small definition.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	group      = "example.com"
	prefix     = "com.example."
	v2Prefix   = "#/definitions/"
	params     = "#/parameters/"
	collection = "/apis/example.com/v1/namespaces/{namespace}/widgets"
	item       = collection + "/{name}"
)

func main() {
	out, err := extract()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func sample() *apiextensionsv1.CustomResourceDefinition {
	preserve := true
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets." + group
	crd.Spec.Group = group
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget", ListKind: "WidgetList"}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true,
		Subresources: &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
			Scale:  &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
		},
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"embedded": {Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: &preserve},
			},
		}},
	}}
	return crd
}

// A parameter is a parameter of a request in OpenAPI v2. Shared is the name under
// which documents share it, "" if they do not.
type parameter struct {
	Shared    string `json:"shared,omitempty"`
	Parameter any    `json:"parameter"`
}

func extract() (map[string]any, error) {
	crd := sample()
	v2, err := builder.BuildOpenAPIV2(crd, "v1", builder.Options{V2: true})
	if err != nil {
		return nil, err
	}
	for name, s := range v2.Definitions {
		v2.Definitions[name] = *withoutDefaults(&s)
	}
	v3, err := builder.BuildOpenAPIV3(crd, "v1", builder.Options{})
	if err != nil {
		return nil, err
	}
	two, err := generic(v2)
	if err != nil {
		return nil, err
	}
	three, err := generic(v3)
	if err != nil {
		return nil, err
	}
	schemas := at(three, "components", "schemas")
	kind := at(schemas, prefix+"v1.Widget", "properties")
	embedded := at(kind, "embedded", "properties")
	list := at(schemas, prefix+"v1.WidgetList", "properties")
	text := func(m map[string]any, name string) any { return at(m, name)["description"] }
	return map[string]any{
		"descriptions": map[string]any{
			"apiVersion": text(kind, "apiVersion"), "kind": text(kind, "kind"), "metadata": text(kind, "metadata"),
			"embeddedAPIVersion": text(embedded, "apiVersion"), "embeddedKind": text(embedded, "kind"),
			"listMetadata": text(list, "metadata"),
		},
		"parameters": parameters(two),
		"v2":         others(at(two, "definitions")),
		"v3":         others(schemas),
	}, nil
}

// withoutDefaults returns s without defaults. The OpenAPI v2 documents of the server
// have no defaults.
func withoutDefaults(s *spec.Schema) *spec.Schema {
	walker := schemamutation.Walker{
		SchemaCallback: func(s *spec.Schema) *spec.Schema {
			if s.Default == nil {
				return s
			}
			out := *s
			out.Default = nil
			return &out
		},
		RefCallback: schemamutation.RefCallbackNoop,
	}
	return walker.WalkSchema(s)
}

func generic(doc any) (map[string]any, error) {
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(data, &out)
}

func at(m map[string]any, steps ...string) map[string]any {
	for _, step := range steps {
		m = m[step].(map[string]any)
	}
	return m
}

// others returns the schemas that do not belong to the definition.
func others(schemas map[string]any) map[string]any {
	out := map[string]any{}
	for name, s := range schemas {
		if !strings.HasPrefix(name, prefix) {
			out[name] = s
		}
	}
	return out
}

// parameters returns the parameters of each action, the parameters of paths, and the
// bodies that do not depend on the definition.
func parameters(doc map[string]any) map[string][]parameter {
	shared := at(doc, "parameters")
	paths := at(doc, "paths")
	out := map[string][]parameter{}
	add := func(as string, list any) {
		for _, p := range list.([]any) {
			entry := parameter{Parameter: p}
			if ref, ok := p.(map[string]any)["$ref"].(string); ok {
				entry.Shared = strings.TrimPrefix(ref, params)
				entry.Parameter = shared[entry.Shared]
			}
			key := as
			decoded := entry.Parameter.(map[string]any)
			switch {
			case decoded["in"] == "body":
				key = "body " + as
			case decoded["in"] == "path":
				key = "path"
			}
			if decoded["name"] == "name" || key == "body "+as && entry.Shared == "" {
				continue // these name the definition
			}
			out[key] = append(out[key], entry)
		}
	}
	add("every", at(paths, item)["parameters"])
	for action, at2 := range map[string][]string{
		"list": {collection, "get"}, "deletecollection": {collection, "delete"}, "post": {collection, "post"},
		"get": {item, "get"}, "put": {item, "put"}, "delete": {item, "delete"}, "patch": {item, "patch"},
	} {
		if list, ok := at(paths, at2...)["parameters"]; ok {
			add(action, list)
		}
	}
	return out
}
