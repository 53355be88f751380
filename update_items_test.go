package crdkit_test

import (
	"context"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// TestUpdateOfListLikeObject updates an object whose kind declares a field
// items. Such an object looks like a list but is not one.
func TestUpdateOfListLikeObject(t *testing.T) {
	crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"carts.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"carts","kind":"Cart"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"string","maxLength":5}}}}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const (
		head = `{"apiVersion":"example.com/v1","kind":"Cart","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"1","creationTimestamp":"2024-02-29T12:00:00Z","generation":1},"items":`
		old  = head + `["pear"]}`
	)
	for name, opts := range map[string][]crdkit.Option{"fast": nil, "reference": {testopt.Reference{}}} {
		t.Run(name, func(t *testing.T) {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			v := testkit.Must(def.Version("v1"))
			for raw, accepted := range map[string]bool{head + `["pear","plum"]}`: true, head + `["pear","pineapple"]}`: false} {
				_, res, err := v.UpdateJSON(context.Background(), []byte(raw), []byte(old))
				if err != nil || res.Admitted() != accepted {
					t.Errorf("UpdateJSON of %s: %v, %v, want accepted %v", raw, res, err, accepted)
				}
			}
		})
	}
}
