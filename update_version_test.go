package crdkit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// TestRulesSeeNoStandInVersion updates objects that come from files and have no
// resourceVersion. The kind has a rule that compares the whole object with the
// old one.
func TestRulesSeeNoStandInVersion(t *testing.T) {
	crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","maxLength":3}},"x-kubernetes-validations":[{"rule":"self == oldSelf","message":"never changes"}]}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const object = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generation":1,"name":"w"%s},"a":%q}`
	for name, opts := range map[string][]crdkit.Option{"fast": nil, "reference": {testopt.Reference{}}} {
		def, err := crdkit.Compile(crd, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{``, `,"resourceVersion":"7"`} {
			old := fmt.Sprintf(object, version, "x")
			for a, admitted := range map[string]bool{"x": true, "y": false} {
				raw := fmt.Sprintf(object, version, a)
				_, res, err := testkit.Must(def.Version("v1")).UpdateJSON(context.Background(), []byte(raw), []byte(old))
				if err != nil || res.Admitted() != admitted {
					t.Errorf("%s: UpdateJSON of %s: %v, %v, want admitted %v", name, raw, res, err, admitted)
				}
			}
		}
	}
}
