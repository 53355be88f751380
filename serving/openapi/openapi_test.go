package openapi_test

import (
	"bytes"
	"encoding/json"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/openapi"
)

// internal/oracle compares documents with those of the server, over the corpus
// and over every keyword. These tests cover the behaviour that the server does
// not have.

type crdEdit func(*apiextensionsv1.CustomResourceDefinition)

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version string
		edit    crdEdit
		want    string
	}{
		{"an unknown version", "v7", func(*apiextensionsv1.CustomResourceDefinition) {}, `openapi: definition crontabs.stable.example.com has no version "v7"`},
		{"no group", "v1", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Group = "" }, "openapi: definition crontabs.stable.example.com has no group"},
		{"no kind", "v1", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Names.Kind = "" }, "openapi: definition crontabs.stable.example.com has no kind"},
		{"no plural", "v1", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Names.Plural = "" }, "openapi: definition crontabs.stable.example.com has no plural name"},
		{"one name", "v1", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Names.ListKind = "CronTab" }, "openapi: definition crontabs.stable.example.com has one name, CronTab, for kind and list"},
		{"not a number", "v1", func(c *apiextensionsv1.CustomResourceDefinition) {
			nan := math.NaN()
			c.Spec.Versions[0].Schema.OpenAPIV3Schema.Minimum = &nan
		}, "openapi: definition crontabs.stable.example.com, version v1: json: unsupported value: NaN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crd := definition(cronTabs)
			tt.edit(crd)
			for _, build := range []func(*apiextensionsv1.CustomResourceDefinition, string) (*openapi.Document, error){openapi.VersionV2, openapi.VersionV3} {
				d, err := build(crd, tt.version)
				if err == nil || d != nil || err.Error() != tt.want {
					t.Errorf("got %v, %v; want %s", d, err, tt.want)
				}
			}
		})
	}
}

func TestNil(t *testing.T) {
	if _, err := openapi.VersionV3(nil, "v1"); err == nil {
		t.Error("VersionV3(nil) = nil error")
	}
	if _, err := openapi.V2([]*apiextensionsv1.CustomResourceDefinition{nil}); err == nil {
		t.Error("V2 of a nil definition = nil error")
	}
	if _, err := openapi.Merge(); err == nil {
		t.Error("Merge() = nil error")
	}
	if _, err := new(openapi.Document).MarshalJSON(); err == nil {
		t.Error("MarshalJSON of the zero Document = nil error")
	}
	docs, err := openapi.V3(nil)
	if err != nil || len(docs) != 0 {
		t.Errorf("V3(nil) = %v, %v", docs, err)
	}
}

// TestUnpublished checks that a schema is not published if it is not structural
// or has a type that OpenAPI lacks. Version 2 also omits schemas that preserve
// unknown fields.
func TestUnpublished(t *testing.T) {
	set := func(p apiextensionsv1.JSONSchemaProps) crdEdit {
		return func(c *apiextensionsv1.CustomResourceDefinition) {
			c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = p
		}
	}
	strange, preserves := &apiextensionsv1.JSONSchemaProps{Type: "strange"}, true
	for _, tt := range []struct {
		name       string
		edit       crdEdit
		three, two bool
	}{
		{"as it is", func(*apiextensionsv1.CustomResourceDefinition) {}, true, true},
		{"not structural", set(apiextensionsv1.JSONSchemaProps{}), false, false},
		{"field", set(*strange), false, false},
		{"items", set(apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: strange}}), false, false},
		{"values", set(apiextensionsv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: strange}}), false, false},
		{"preserving field", set(apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &preserves}), true, true},
		{"preserving root", func(c *apiextensionsv1.CustomResourceDefinition) {
			c.Spec.Versions[0].Schema.OpenAPIV3Schema.XPreserveUnknownFields = &preserves
		}, true, false},
		{"preserving definition", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.PreserveUnknownFields = true }, true, false},
		{"no schema", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[0].Schema = nil }, false, false},
		{"empty schema", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[0].Schema.OpenAPIV3Schema = nil }, false, false},
	} {
		crd := definition(cronTabs)
		tt.edit(crd)
		three, err := openapi.VersionV3(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		two, err := openapi.VersionV2(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		if got := member(t, three, "components", "schemas", cronTab, "properties") != nil; got != tt.three {
			t.Errorf("%s: version 3 has properties: %v, want %v", tt.name, got, tt.three)
		}
		if got := member(t, two, "definitions", cronTab, "properties") != nil; got != tt.two {
			t.Errorf("%s: version 2 has properties: %v, want %v", tt.name, got, tt.two)
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	crd := definition(cronTabs)
	three, err := openapi.VersionV3(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	two, err := openapi.VersionV2(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = openapi.Merge(three, two)
	if diff := cmp.Diff("openapi: documents of OpenAPI 3.0.0 and 2.0 cannot be merged", err.Error()); diff != "" {
		t.Errorf("Merge (-want +got):\n%s", diff)
	}
	other := definition(cronTabs)
	other.Spec.Names.Kind, other.Spec.Names.ListKind = "Job", "JobList"
	again, err := openapi.VersionV3(other, "v1")
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // the error does not depend on the order of maps
		_, err = openapi.Merge(three, again)
		if diff := cmp.Diff("openapi: two documents have the path /apis/stable.example.com/v1/crontabs", err.Error()); diff != "" {
			t.Fatalf("Merge (-want +got):\n%s", diff)
		}
	}
}

// TestStable checks that documents have the same bytes each time, also when
// goroutines share a definition, and that the definition does not change.
func TestStable(t *testing.T) {
	crd := definition(cronTabs)
	before := crd.DeepCopy()
	build := func() []byte {
		d, err := openapi.V2([]*apiextensionsv1.CustomResourceDefinition{crd})
		if err != nil {
			t.Error(err)
			return nil
		}
		docs, err := openapi.V3([]*apiextensionsv1.CustomResourceDefinition{crd})
		if err != nil {
			t.Error(err)
			return nil
		}
		data, err := json.Marshal([]any{d, docs})
		if err != nil {
			t.Error(err)
		}
		return data
	}
	want := build()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if !bytes.Equal(build(), want) {
				t.Error("two documents of one definition differ")
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(before, crd); diff != "" {
		t.Errorf("the definition has changed (-before +after):\n%s", diff)
	}
}

func BenchmarkVersionV3(b *testing.B) {
	corpus := testkit.FindCorpus(b)
	for _, name := range []string{"certificates.cert-manager.io", "applications.argoproj.io"} {
		d := corpus.Find(name)
		if d == nil {
			b.Fatalf("the corpus lacks %s", name)
		}
		b.Run("crd="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := openapi.VersionV3(d.CRD, d.CRD.Spec.Versions[0].Name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
