package oracle

import (
	"context"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// rowsDefinition has two versions with both subresources.
const rowsDefinition = `
metadata: {name: rows.rows.example.com}
spec:
  group: rows.example.com
  scope: Namespaced
  names: {plural: rows, singular: row, kind: Row, listKind: RowList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: &subresources
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    schema: &schema
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, format: int32, minimum: 0, maximum: 9}
              mode: {type: string, default: slow}
              env:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, value: {type: string}}}
          status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}}}
  - name: v2
    served: true
    storage: false
    subresources: *subresources
    schema: *schema
`

// serveRows makes both sides of rowsDefinition.
func serveRows(t *testing.T) *servedDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(rowsDefinition), crd); err != nil {
		t.Fatal(err)
	}
	s, err := serveBoth(&testkit.Definition{Path: "rows", CRD: crd})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPatchRows compares every fixed patch, of the object and of its status.
func TestPatchRows(t *testing.T) {
	s, total := serveRows(t), &patchTally{}
	for _, v := range s.versions {
		for _, subresource := range []string{"", "status"} {
			for kind, bodies := range map[types.PatchType][]string{types.MergePatchType: fixedMerges, types.JSONPatchType: fixedPatches} {
				for _, body := range bodies {
					for _, fields := range []string{"", "Ignore", "Strict"} {
						stored := s.putRow(t)
						live, _, err := v.Read(context.Background(), stored)
						if err != nil {
							t.Fatal(err)
						}
						total.compare(t, s, v, server.Request{
							Method: "PATCH", Version: v.Name(), Namespace: "ns", Name: "a", Subresource: subresource, Type: kind, Fields: fields, Body: []byte(body),
						}, stored, live)
					}
				}
			}
		}
	}
	if total.admitted < 100 || total.refused < 100 {
		t.Errorf("the rows show too little: %v", total)
	}
}

// putRow stores an object and returns it.
func (s *servedDefinition) putRow(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	obj := map[string]any{}
	if err := yaml.Unmarshal([]byte(`
apiVersion: rows.example.com/v1
kind: Row
metadata: {name: a, namespace: ns, uid: u-1, creationTimestamp: "2023-11-14T22:13:20Z"}
spec: {replicas: 3, mode: fast, env: [{name: A, value: x}, {name: B}]}
status: {replicas: 2, selector: "a=b"}`), &obj); err != nil {
		t.Fatal(err)
	}
	if err := s.server.Put(testkit.Clone(obj)); err != nil {
		t.Fatal(err)
	}
	stored, err := s.server.Stored("ns", "a")
	if err != nil || stored == nil {
		t.Fatalf("the object is not stored: %v", err)
	}
	return stored
}
