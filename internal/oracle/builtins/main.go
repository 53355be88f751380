// Command builtins prints the common parts of the OpenAPI documents of all
// definitions: the schemas of Kubernetes' own types, the descriptions of apiVersion,
// kind and metadata, and the paths, with ‹kind› and the like in the place of the names
// of a definition. Package serving/openapi embeds the output:
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
	group  = "qgroup.qq"
	prefix = "qq.qgroup.qversion."
)

// names replaces the names of the sample.
var names = strings.NewReplacer(
	"QgroupQqQversionNamespacedQkind", "‹Group›‹Version›‹NamespacedKind›",
	"QgroupQqQversionCollectionNamespacedQkind", "‹Group›‹Version›Collection‹Namespaced›‹innerKind›",
	"QgroupQqQversionQkind", "‹Group›‹Version›‹Kind›",
	"qgroupQq_qversion", "‹tag›",
	prefix, "‹model›",
	" a Qkind", "‹article›‹kind›",
	"Qkind", "‹kind›", "Qlist", "‹list›", "qplurals", "‹plural›", group, "‹group›", "qversion", "‹version›",
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
	crd.Name = "qplurals." + group
	crd.Spec.Group = group
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "qplurals", Kind: "Qkind", ListKind: "Qlist"}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "qversion", Served: true, Storage: true,
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

func extract() (map[string]any, error) {
	crd := sample()
	v2, err := builder.BuildOpenAPIV2(crd, "qversion", builder.Options{V2: true})
	if err != nil {
		return nil, err
	}
	for name, s := range v2.Definitions {
		v2.Definitions[name] = *withoutDefaults(&s)
	}
	v3, err := builder.BuildOpenAPIV3(crd, "qversion", builder.Options{})
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
	kind := at(schemas, prefix+"Qkind", "properties")
	embedded := at(kind, "embedded", "properties")
	list := at(schemas, prefix+"Qlist", "properties")
	paths := map[string]any{}
	for format, doc := range map[string]map[string]any{"2.0": two, "3.0.0": three} {
		if paths[format], err = templates(at(doc, "paths")); err != nil {
			return nil, err
		}
	}
	text := func(m map[string]any, name string) any { return at(m, name)["description"] }
	return map[string]any{
		"descriptions": map[string]any{
			"apiVersion": text(kind, "apiVersion"), "kind": text(kind, "kind"), "metadata": text(kind, "metadata"),
			"embeddedAPIVersion": text(embedded, "apiVersion"), "embeddedKind": text(embedded, "kind"),
			"listMetadata": text(list, "metadata"),
		},
		"parameters": two["parameters"],
		"paths":      paths,
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

// templates returns the paths with the names of the sample replaced.
func templates(paths map[string]any) (map[string]string, error) {
	out := map[string]string{}
	for path, value := range paths {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return nil, err
		}
		out[names.Replace(path)] = names.Replace(strings.TrimSpace(b.String()))
	}
	return out, nil
}
