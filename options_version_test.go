package crdkit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// TestKubernetesVersionRules checks that rules may use the functions of the
// chosen version. Version 1.30 introduced isIP.
func TestKubernetesVersionRules(t *testing.T) {
	text := strings.Replace(cronTab, "self.replicas >= oldSelf.replicas", "isIP(self.cronSpec)", 1)
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		version  string
		compiles bool
	}{
		{"1.29", false}, {"1.30", true}, {"v1.31.4", true}, {"1.37", true}, {"", true},
	} {
		_, err := crdkit.Compile(crd, crdkit.KubernetesVersion(tt.version))
		if (err == nil) != tt.compiles {
			t.Errorf("%q: Compile: %v, want success %t", tt.version, err, tt.compiles)
		}
		if err != nil && !strings.Contains(err.Error(), "undeclared reference to 'isIP'") {
			t.Errorf("%q: Compile: %v", tt.version, err)
		}
	}
}

// TestKubernetesVersionUnknown checks that an unknown version is an error. The
// rules of another version could give a wrong verdict.
func TestKubernetesVersionUnknown(t *testing.T) {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"latest", "1.28", "1.38", "2.0"} {
		opt := crdkit.KubernetesVersion(version)
		_, err := crdkit.Compile(crd, opt)
		want := fmt.Sprintf("crdkit: %q is not a version of Kubernetes from 1.29 to 1.37", version)
		if err == nil || err.Error() != want {
			t.Errorf("Compile: %v, want %s", err, want)
		}
	}
}

// TestKubernetesVersionFormats checks that the fast path and the engines
// support the same formats.
func TestKubernetesVersionFormats(t *testing.T) {
	text := strings.Replace(cronTab, "cronSpec: {type: string}", "cronSpec: {type: string, format: k8s-short-name}", 1)
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for version, refuses := range map[string]bool{"1.29": false, "1.34": false, "1.35": true, "1.37": true, "": true} {
		for _, opts := range [][]crdkit.Option{{crdkit.KubernetesVersion(version)}, {testopt.Reference{}, crdkit.KubernetesVersion(version)}} {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			v := testkit.Must(def.Version("v1"))
			obj := func() *unstructured.Unstructured {
				return cronTabObject("v1", map[string]any{"cronSpec": "Not A Name", "replicas": int64(1)})
			}
			raw, err := obj().MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]error{}
			judge := func(name string, res *crdkit.Result, err error) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got[name] = res.Err()
			}
			res, err := v.Create(ctx, obj())
			judge("Create", res, err)
			_, res, err = v.CreateJSON(ctx, raw)
			judge("CreateJSON", res, err)
			got["ValidJSON"] = nil
			if !v.ValidJSON(raw) {
				got["ValidJSON"] = fmt.Errorf("refused")
			}
			for name, err := range got {
				if (err != nil) != refuses {
					t.Errorf("%s at %q with %d options: %v, want refused %t", name, version, len(opts), err, refuses)
				}
			}
		}
	}
}
