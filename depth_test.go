package crdkit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
)

var errNested = errors.New("values are nested more than 10000 levels deep")

// TestDepth gives cyclic maps, and maps that are nested 20,000 levels deep, to
// requests. Each must end with an error or a verdict.
func TestDepth(t *testing.T) {
	yes := true
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Scope = "ks.a.b", "a.b", apiextensionsv1.ClusterScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "ks", Kind: "K"}
	for i, name := range []string{"v1", "v2"} {
		free := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &yes}
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: i == 0,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"free": free, "spec": {Type: "object"}},
			}},
		})
	}
	identity := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		return obj, nil
	}
	d, err := crdkit.Compile(crd, crdkit.WithConverter(conversion.Local(crd, identity)))
	if err != nil {
		t.Fatal(err)
	}
	v, _ := d.Version("v1")
	cyclic := func() map[string]any {
		cycle := map[string]any{}
		cycle["a"], cycle["b"] = cycle, cycle
		return cycle
	}
	deep := func() map[string]any {
		value := map[string]any{}
		for range 20_000 {
			value = map[string]any{"a": value}
		}
		return value
	}
	ctx := context.Background()
	for shape, value := range map[string]func() map[string]any{"cyclic": cyclic, "deep": deep} {
		for _, where := range []string{"free", "spec", "unknown", "metadata"} {
			object := func(apiVersion string) *unstructured.Unstructured {
				obj := map[string]any{"apiVersion": apiVersion, "kind": "K", "metadata": map[string]any{"name": "x", "resourceVersion": "1"}}
				if obj[where] = value(); where == "metadata" {
					obj[where] = map[string]any{"name": "x", "labels": value()}
				}
				return &unstructured.Unstructured{Object: obj}
			}
			for name, request := range map[string]func() error{
				"Read":  func() error { _, _, err := v.Read(ctx, object("a.b/v2")); return err },
				"Store": func() error { _, err := v.Store(ctx, object("a.b/v1")); return err },
				"Convert": func() error {
					_, err := d.Convert(ctx, []*unstructured.Unstructured{object("a.b/v2")}, "v1")
					return err
				},
				"Update": func() error {
					res, err := v.Update(ctx, object("a.b/v1"), object("a.b/v1"))
					if err == nil && (where == "unknown" || where == "spec") {
						return errNested // pruned in the new object: they differ
					}
					_ = res
					return err
				},
				"Create": func() error {
					_, err := v.Create(ctx, object("a.b/v1"))
					if err == nil && where != "metadata" {
						return errNested // admitted: no step enters the value
					}
					return err
				},
			} {
				if err := request(); err == nil || !strings.Contains(err.Error(), errNested.Error()) {
					t.Errorf("%s of a %s value in %s = %v, want %q", name, shape, where, err, errNested)
				}
			}
		}
	}
}
