package apply_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/conversion"
)

// renamed returns Appliers of the definition of the examples whose version v2 calls
// replicas size. They convert with a function that fails if *failure is set.
func renamed(t *testing.T, failure *error) map[string]*apply.Applier {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(widgets), crd); err != nil {
		t.Fatal(err)
	}
	v2 := crd.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	v2["size"] = v2["replicas"]
	delete(v2, "replicas")
	crd.Spec.Versions[1].Subresources = nil
	local := conversion.Local(crd, func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		if *failure != nil {
			return nil, *failure
		}
		spec, _ := obj.Object["spec"].(map[string]any)
		from, name := "size", "replicas"
		if strings.HasSuffix(to, "v2") {
			from, name = name, from
		}
		if v, found := spec[from]; found {
			delete(spec, from)
			spec[name] = v
		}
		return obj, nil
	})
	d, err := crdkit.Compile(crd, crdkit.WithConverter(local))
	if err != nil {
		t.Fatal(err)
	}
	all, err := apply.NewAll(d, crd, apply.Clock(noon))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestConversion tests an apply over fields that another manager applied at another
// version: the field of the conflict has the name of that version.
func TestConversion(t *testing.T) {
	var failure error
	all, ctx := renamed(t, &failure), context.Background()
	res, err := all["v1"].Apply(ctx, apply.Request{Config: widget("spec: {replicas: 1}"), Manager: "deployer"})
	live := admitted(t, res, err)
	live.SetAPIVersion("example.com/v2")
	spec := live.Object["spec"].(map[string]any)
	spec["size"] = spec["replicas"]
	delete(spec, "replicas")
	config := widget("spec: {size: 2}")
	config.SetAPIVersion("example.com/v2")
	before := encode(t, live)

	if res, err = all["v2"].Apply(ctx, apply.Request{Live: live, Config: config, Manager: "other"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`[.spec.replicas: 1, wanted 2, owned by "deployer" (Apply)]`, fmt.Sprint(res.Conflicts)); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
	res, err = all["v2"].Apply(ctx, apply.Request{Live: live, Config: config, Manager: "other", Force: true})
	if diff := cmp.Diff([]string{"other example.com/v2"}, managersOf(admitted(t, res, err))); diff != "" {
		t.Errorf("managers after force (-want +got):\n%s", diff)
	}

	// The webhook fails: an apply is refused, and a patch keeps the managers.
	failure = errors.New("no conversion today")
	if res, err = all["v2"].Apply(ctx, apply.Request{Live: live, Config: config, Manager: "other", Force: true}); err != nil || code(t, res) != 500 || !strings.Contains(res.Err().Error(), "no conversion today") {
		t.Errorf("an apply that cannot convert: %v, %v", err, res.Err())
	}
	if encode(t, live) != before {
		t.Error("the live object changed")
	}
	live = admitted(t, resultOf(all["v1"].Apply(ctx, apply.Request{Config: widget("spec: {replicas: 1}"), Manager: "deployer"})), nil)
	live.Object["metadata"].(map[string]any)["managedFields"].([]any)[0].(map[string]any)["apiVersion"] = "example.com/v2"
	before = encode(t, live)
	res, err = all["v1"].Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(`{"spec":{"replicas":5}}`), Manager: "m"})
	obj := admitted(t, res, err)
	if diff := cmp.Diff([]string{"deployer example.com/v2"}, managersOf(obj)); diff != "" || encode(t, live) != before {
		t.Errorf("managers of a patch that cannot convert (-want +got):\n%s\nlive %s", diff, encode(t, live))
	}
}

func resultOf(res *apply.Result, _ error) *apply.Result { return res }

// managersOf returns the managers with their versions.
func managersOf(obj *unstructured.Unstructured) []string {
	var out []string
	for _, e := range obj.GetManagedFields() {
		out = append(out, e.Manager+" "+e.APIVersion)
	}
	return out
}
