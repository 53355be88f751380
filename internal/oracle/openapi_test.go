package oracle_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/serving/openapi"
)

// The tests of this file compare the OpenAPI documents of serving/openapi, as JSON, with
// those of the server's builders with the options of its controllers.

func TestOpenAPICorpus(t *testing.T) {
	var c openAPIComparison
	for _, d := range testkit.FindCorpus(t).Definitions {
		c.compare(t, d.Path, d.CRD)
	}
	t.Logf("oracle: openapi v3 %d documents, v2 %d documents, %d differences", c.v3, c.v2, c.differences)
}

// TestOpenAPIMerged compares the documents of all definitions together.
func TestOpenAPIMerged(t *testing.T) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	three := map[string][]*spec3.OpenAPI{}
	two := &spec.Swagger{}
	for i, d := range testkit.FindCorpus(t).Definitions {
		if i%8 != 0 && !strings.Contains(d.Path, "argo") {
			continue
		}
		crds = append(crds, d.CRD)
		for _, v := range d.CRD.Spec.Versions {
			if !v.Served {
				continue
			}
			path := "apis/" + d.CRD.Spec.Group + "/" + v.Name
			three[path] = append(three[path], upstreamV3(t, d.CRD, v.Name))
			var err error
			if two, err = builder.MergeSpecs(two, upstreamV2(t, d.CRD, v.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours3, err := openapi.V3(crds)
	if err != nil {
		t.Fatal(err)
	}
	if len(ours3) != len(three) {
		t.Errorf("%d documents, upstream has %d", len(ours3), len(three))
	}
	for path, docs := range three {
		merged, err := builder.MergeSpecsV3(docs...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(openAPITree(t, merged), openAPITree(t, ours3[path])); diff != "" {
			t.Errorf("%s (-upstream +ours):\n%s", path, diff)
		}
	}
	ours2, err := openapi.V2(crds)
	if err != nil {
		t.Fatal(err)
	}
	// The server merges into the document of its own APIs, which names these.
	want, got := openAPITree(t, two), openAPITree(t, ours2)
	delete(got.(map[string]any), "info")
	delete(got.(map[string]any), "swagger")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("v2 (-upstream +ours):\n%.4000s", diff)
	}
	t.Logf("oracle: openapi of %d definitions merged into v3 %d documents, v2 1 document", len(crds), len(three))
}

// TestOpenAPIKeywords compares every structural value of every keyword in every kind of
// location. The schemas are properties of few definitions, because upstream takes
// milliseconds for every document.
func TestOpenAPIKeywords(t *testing.T) {
	var c openAPIComparison
	properties := map[string]any{}
	schemas := 0
	flush := func() {
		root := map[string]any{"type": "object", "properties": properties}
		props := decodeProps(t, encode(t, root))
		if _, errs := schema.Compile(props); len(errs) > 0 {
			t.Fatalf("not structural: %v", errs.ToAggregate())
		}
		c.compare(t, fmt.Sprintf("%d schemas", schemas), openAPIDefinition(props))
		properties = map[string]any{}
	}
	for _, location := range structuralLocations {
		for _, keyword := range structuralKeywords {
			for _, value := range keyword.values {
				if value == `"foo"` {
					continue // no type at all; the whole definition would be left out
				}
				tree := decodeTree(t, location.schema)
				member(t, tree, location.at)[keyword.name] = decodeAny(t, value)
				if _, errs := schema.Compile(decodeProps(t, encode(t, map[string]any{"type": "object", "properties": map[string]any{"p": tree}}))); len(errs) > 0 {
					continue
				}
				schemas++
				properties[fmt.Sprintf("p%d", schemas)] = tree
				if len(properties) == 50 {
					flush()
				}
			}
		}
	}
	flush()
	t.Logf("oracle: openapi of %d schemas, v3 %d documents, v2 %d documents, %d differences", schemas, c.v3, c.v2, c.differences)
}

// FuzzOpenAPI compares a document of arbitrary definitions, unless upstream has none. Upstream
// takes milliseconds for a document, so that each input has one, of version 2 or 3.
func FuzzOpenAPI(f *testing.F) {
	for _, tt := range openAPIDefinitions {
		f.Add([]byte(tt.schema))
	}
	for _, keyword := range structuralKeywords {
		f.Add(fmt.Appendf(nil, `{"type":"object","properties":{"a":{"type":"object",%q:%s,"not":{%q:%s}}}}`, keyword.name, keyword.values[0], keyword.name, keyword.values[0]))
	}
	fuzz.Run(f, func(t *testing.T, data []byte) {
		var props apiextensionsv1.JSONSchemaProps
		if json.Unmarshal(data, &props) != nil {
			return
		}
		crd := openAPIDefinition(&props)
		crd.Spec.Scope = apiextensionsv1.ClusterScoped // has fewer operations
		upstream, ours := any(nil), (*openapi.Document)(nil)
		var noDocument, err error
		if crc32.ChecksumIEEE(data)%2 == 0 {
			upstream, noDocument = buildV3(crd, "v1")
			ours, err = openapi.VersionV3(crd, "v1")
		} else {
			upstream, noDocument = buildV2(crd, "v1")
			ours, err = openapi.VersionV2(crd, "v1")
		}
		if noDocument == nil {
			var c openAPIComparison
			c.judge(t, string(data), upstream, ours, err)
		}
	})
}

// TestOpenAPIDefinitions compares schemas at the root, and unusual definitions.
func TestOpenAPIDefinitions(t *testing.T) {
	var c openAPIComparison
	for _, tt := range openAPIDefinitions {
		t.Run(tt.name, func(t *testing.T) {
			crd := openAPIDefinition(nil)
			if tt.schema != "" {
				crd = openAPIDefinition(decodeProps(t, []byte(tt.schema)))
			}
			if tt.edit != nil {
				tt.edit(crd)
			}
			c.compare(t, tt.name, crd)
		})
	}
	t.Logf("oracle: openapi of %d definitions, v3 %d documents, v2 %d documents, %d differences", len(openAPIDefinitions), c.v3, c.v2, c.differences)
}

type definitionV1 = apiextensionsv1.CustomResourceDefinition

func named(kind, plural string) func(*definitionV1) {
	return func(crd *definitionV1) {
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind}
	}
}

var openAPIDefinitions = []struct {
	name, schema string
	edit         func(*definitionV1)
}{
	{name: "no schema"},
	{name: "no properties", schema: `{"type":"object"}`},
	{name: "not structural", schema: `{"type":"object","properties":{"a":{}}}`},
	{name: "invalid type", schema: `{"type":"object","properties":{"a":{"type":"text"}}}`},
	{name: "preserving root", schema: `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}}`},
	{name: "preserving definition", schema: `{"type":"object","properties":{"a":{"type":"string"}}}`, edit: func(crd *definitionV1) { crd.Spec.PreserveUnknownFields = true }},
	{name: "nullable root", schema: `{"type":"object","nullable":true,"description":"d","properties":{"a":{"type":"string"}},"required":["a"]}`},
	{name: "embedded root", schema: `{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"a":{"type":"string"}},"required":["kind"]}`},
	{name: "own metadata", schema: `{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":5}}},"kind":{"type":"string","pattern":"a"}}}`},
	{name: "embedded", schema: `{"type":"object","properties":{
		"a":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"b":{"type":"string","default":"x"}},"required":["b","kind"]},
		"b":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}},
		"c":{"type":"object","additionalProperties":{"type":"object","nullable":true,"x-kubernetes-embedded-resource":true,"properties":{"d":{"type":"string"}},"required":["apiVersion","d"]}}}}`},
	{name: "nullable properties", schema: `{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"string","nullable":true},"b":{"type":"array","items":{"type":"string"},"nullable":true},
		"c":{"type":"object","additionalProperties":{"type":"string","nullable":true},"required":["x"]},
		"d":{"type":"object","properties":{"e":{"type":"string","nullable":true,"enum":["x",null]},"f":{"type":"string"}},"required":["f","e","g"]}}}`},
	{name: "int or string", schema: `{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true},
		"b":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
		"c":{"x-kubernetes-int-or-string":true,"anyOf":[{"pattern":"a"},{"minimum":1}],"allOf":[{"maximum":5}]},
		"d":{"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"pattern":"a"}]},
		"e":{"x-kubernetes-int-or-string":true,"allOf":[{"pattern":"a"}]}}}`},
	{name: "array with properties", schema: `{"type":"object","properties":{"a":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"string"}},
		"b":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}`},
	{name: "everything under a junctor", schema: `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"}}}},"m":{"type":"object","additionalProperties":{"type":"string"}}},
		"oneOf":[{"required":["b"]},{"properties":{"b":{"minItems":1,"items":{"properties":{"c":{"enum":["x"]}}}}}}],"not":{"required":["b"],"anyOf":[{"maxProperties":5}]},
		"allOf":[{"properties":{"m":{"additionalProperties":{"maxLength":5}}}}]}}}`},
	{name: "array and properties", schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"properties":{"b":{"type":"string","nullable":true}},"required":["c","b"]},
		"b":{"type":"array","properties":{"b":{"type":"string","nullable":true}}}}}`},
	{name: "examples", schema: `{"type":"object","properties":{"a":{"type":"string","example":"","title":"t","externalDocs":{"url":"u","description":"<&>"}},"b":{"type":"number","example":1.0,"default":1e3,"minimum":0.1,"maximum":1e21},
		"c":{"type":"array","items":{"type":"string"},"example":[]},"d":{"type":"object","example":{},"default":{},"properties":{"x":{"type":"integer","default":9007199254740993}}}}}`},
	{name: "cluster scope", schema: `{"type":"object"}`, edit: func(crd *definitionV1) { crd.Spec.Scope = apiextensionsv1.ClusterScoped }},
	{name: "vowel", edit: named("Apple", "apples")},
	{name: "plural", edit: named("Things", "things")},
	{name: "plural no more", edit: named("Ingress", "ingresses")},
	{name: "lower case", edit: named("usual", "usuals")},
	{name: "digits", edit: func(crd *definitionV1) {
		named("a-1b", "a1bs")(crd)
		crd.Spec.Group = "1a.b-2.k8s.io"
		crd.Spec.Versions[0].Name = "v1-2x"
	}},
	{name: "subresources", schema: `{"type":"object","properties":{"spec":{"type":"object","properties":{"r":{"type":"integer"}}}}}`, edit: func(crd *definitionV1) {
		crd.Spec.Scope = apiextensionsv1.ClusterScoped
		crd.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
			Scale:  &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.r", StatusReplicasPath: ".status.r"},
		}
	}},
	{name: "selectable fields", schema: `{"type":"object","properties":{"spec":{"type":"object","properties":{"r":{"type":"integer"}}}}}`, edit: func(crd *definitionV1) {
		crd.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.r"}, {JSONPath: "spec.s"}}
	}},
}

func openAPIDefinition(props *apiextensionsv1.JSONSchemaProps) *definitionV1 {
	crd := &definitionV1{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	named("Widget", "widgets")(crd)
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
	if props != nil {
		crd.Spec.Versions[0].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props}
	}
	return crd
}

// upstreamV3 returns the document that the server's controller builds.
func upstreamV3(t *testing.T, crd *definitionV1, version string) *spec3.OpenAPI {
	t.Helper()
	d, err := buildV3(crd, version)
	if err != nil {
		t.Fatalf("%s, version %s: upstream: %v", crd.Name, version, err)
	}
	return d
}

func buildV3(crd *definitionV1, version string) (*spec3.OpenAPI, error) {
	return builder.BuildOpenAPIV3(apiDefaulted(crd), version, builder.Options{IncludeSelectableFields: true})
}

func upstreamV2(t *testing.T, crd *definitionV1, version string) *spec.Swagger {
	t.Helper()
	d, err := buildV2(crd, version)
	if err != nil {
		t.Fatalf("%s, version %s: upstream: %v", crd.Name, version, err)
	}
	return d
}

func buildV2(crd *definitionV1, version string) (*spec.Swagger, error) {
	d, err := builder.BuildOpenAPIV2(apiDefaulted(crd), version, builder.Options{V2: true, IncludeSelectableFields: true})
	if err != nil {
		return nil, err
	}
	for name, s := range d.Definitions {
		d.Definitions[name] = *withoutDefaults(&s)
	}
	return d, nil
}

func apiDefaulted(crd *definitionV1) *definitionV1 {
	crd = crd.DeepCopy()
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	return crd
}

// An openAPIComparison counts documents.
type openAPIComparison struct{ v2, v3, differences int }

func (c *openAPIComparison) compare(t *testing.T, name string, crd *definitionV1) {
	t.Helper()
	for _, v := range crd.Spec.Versions {
		ours, err := openapi.VersionV3(crd, v.Name)
		c.v3++
		c.judge(t, name+", version "+v.Name+", v3", upstreamV3(t, crd, v.Name), ours, err)
		ours, err = openapi.VersionV2(crd, v.Name)
		c.v2++
		c.judge(t, name+", version "+v.Name+", v2", upstreamV2(t, crd, v.Name), ours, err)
	}
}

func (c *openAPIComparison) judge(t *testing.T, name string, upstream any, ours *openapi.Document, err error) {
	t.Helper()
	if err != nil {
		c.differences++
		t.Errorf("%s: %v", name, err)
		return
	}
	want, got := openAPITree(t, upstream), openAPITree(t, ours)
	if !reflect.DeepEqual(want, got) {
		c.differences++
		t.Errorf("%s (-upstream +ours):\n%.4000s", name, cmp.Diff(want, got))
	}
}

// openAPITree returns a document as JSON. Numbers keep their spelling.
func openAPITree(t *testing.T, document any) any {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// withoutDefaults removes defaults from a schema of version 2, as the server's controller
// does before it publishes the document.
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
