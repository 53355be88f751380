package crdkit_test

import (
	"context"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// TestRequiredStatus creates objects of kinds that require status. The server
// removes the status of new objects, so the creation fails, whether status has
// a default or not.
func TestRequiredStatus(t *testing.T) {
	for name, status := range map[string]string{
		"with a default": `{"type":"object","default":{}}`,
		"without":        `{"type":"object"}`,
		"with a null":    `{"type":"object","nullable":true,"default":null}`,
	} {
		crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
			"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
			"schema":{"openAPIV3Schema":{"type":"object","required":["status"],"properties":{"status":` + status + `}}}}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		for path, opts := range map[string][]crdkit.Option{"fast": nil, "reference": {testopt.Reference{}}} {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range []string{
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}`,
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"status":{}}`,
			} {
				_, res, err := testkit.Must(def.Version("v1")).CreateJSON(context.Background(), []byte(raw))
				if err != nil || len(res.Errors) != 1 || res.Errors[0].Field != "status" {
					t.Errorf("%s, %s: CreateJSON of %s: %v, %v, want an error about status", name, path, raw, res, err)
				}
				if testkit.Must(def.Version("v1")).ValidJSON([]byte(raw)) {
					t.Errorf("%s, %s: ValidJSON of %s", name, path, raw)
				}
			}
		}
	}
}
