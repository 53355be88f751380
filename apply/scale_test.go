package apply_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
)

// TestPatchScale tests patches of the scale. internal/oracle compares many more.
func TestPatchScale(t *testing.T) {
	const (
		head  = `patch: Invalid value: "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"metadata\":{\"name\":\"w\",\"namespace\":\"default\",\"managedFields\":[{\"manager\":\"deployer\",\"operation\":\"Apply\",\"apiVersion\":\"autoscaling/v1\",\"time\":\"2024-01-02T12:00:00Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}}}]},`
		tail  = `,\"status\":{\"replicas\":0}}": `
		owner = "the name of the object (x) does not match the name on the URL (w)"
	)
	merge, operations := types.MergePatchType, types.JSONPatchType
	tests := []struct {
		kind     types.PatchType
		body     string
		fields   crdkit.FieldValidation
		code     int
		message  string
		warnings []string
		owners   []string // of .spec.replicas
	}{
		{kind: merge, body: `{"spec":{"replicas":4}}`, owners: []string{"m (Update of scale)"}},
		{kind: operations, body: `[{"op":"replace","path":"/spec/replicas","value":4}]`, owners: []string{"m (Update of scale)"}},
		{kind: merge, body: `{"metadata":{"labels":{"a":"b"}}}`, owners: []string{"deployer (Apply, 2024-01-02T12:00:00Z)"}},
		{kind: merge, body: `{"x":1}`, warnings: []string{`unknown field "x"`}, owners: []string{"deployer (Apply, 2024-01-02T12:00:00Z)"}},
		{kind: merge, body: `{"x":1}`, fields: crdkit.Ignore, owners: []string{"deployer (Apply, 2024-01-02T12:00:00Z)"}},
		{kind: merge, body: `{"spec":{"x":1}}`, fields: crdkit.Strict, code: 422, message: ` "" is invalid: ` + head + `\"spec\":{\"replicas\":1,\"x\":1}` + tail + `strict decoding error: unknown field "spec.x"`},
		{kind: merge, body: `{"spec":{"replicas":"x"}}`, code: 422, message: ` "" is invalid: ` + head + `\"spec\":{\"replicas\":\"x\"}` + tail + `json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32`},
		{kind: merge, body: `{"spec":{"replicas":-1}}`, code: 422, message: `Widget.example.com "w" is invalid: [.spec.replicas: Invalid value: -1: should be a non-negative integer, spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0]`},
		{kind: merge, body: `{"spec":{"replicas":-2147483648}}`, code: 400, message: `the spec replicas field ".spec.replicas" cannot be empty`},
		{kind: merge, body: `{"metadata":{"name":"x"},"spec":{"replicas":-2147483648}}`, code: 400, message: owner},
		{kind: merge, body: `{"metadata":{"name":"x"}}`, code: 400, message: owner},
		{kind: merge, body: `{"metadata":{"namespace":"x"}}`, code: 400, message: "the namespace of the provided object does not match the namespace sent on the request"},
		{kind: merge, body: `{"metadata":{"ownerReferences":[{"uid":"1"},{"uid":"1"}]}}`, owners: []string{"deployer (Apply, 2024-01-02T12:00:00Z)"},
			warnings: []string{`.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1`}},
		{kind: merge, body: `{"metadata":{"resourceVersion":"7"}}`, code: 409, message: `Operation cannot be fulfilled on widgets.example.com "w": the object has been modified; please apply your changes to the latest version and try again`},
		{kind: operations, body: `[{"op":"test","path":"/spec/replicas","value":9}]`, code: 422, message: "the server rejected our request due to an error in our request"},
		{kind: merge, body: `{`, code: 400, message: "invalid JSON patch"},
		{kind: types.ApplyYAMLPatchType, body: `{}`, code: 415, message: "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"},
	}
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	live.SetResourceVersion("5")
	for _, tt := range tests {
		before := encode(t, live)
		res, err := appliers()["v1"].Patch(context.Background(), apply.Request{Live: live, PatchType: tt.kind, Body: []byte(tt.body), Manager: "m", Subresource: "scale"}, tt.fields)
		if err != nil {
			t.Fatal(err)
		}
		if got := code(t, res); got != tt.code || tt.code != 0 && withoutVersion(res.Err().Error()) != tt.message {
			t.Errorf("%s: %d %v, want %d %s", tt.body, got, res.Err(), tt.code, tt.message)
		}
		if diff := cmp.Diff(tt.warnings, res.Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", tt.body, diff)
		}
		if diff := cmp.Diff(tt.owners, replicasOwners(t, res)); diff != "" {
			t.Errorf("%s: owners (-want +got):\n%s", tt.body, diff)
		}
		if encode(t, live) != before {
			t.Errorf("%s: the live object changed", tt.body)
		}
	}
}

func withoutVersion(text string) string {
	return strings.Replace(text, `\"resourceVersion\":\"5\",`, "", 1)
}

// replicasOwners returns the owners of the replicas, nil for a refused request.
func replicasOwners(t *testing.T, res *apply.Result) []string {
	t.Helper()
	if res.Object == nil {
		return nil
	}
	fields, err := apply.Owners(res.Object)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range fields {
		if f.Path == ".spec.replicas" {
			for _, o := range f.Owners {
				out = append(out, o.String())
			}
		}
	}
	return out
}

// TestScaleDetails tests that a refusal has the single complaints.
func TestScaleDetails(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	for body, want := range map[string][]string{
		`{"x":1,"y":2}`:            {`unknown field "x"`, `unknown field "y"`},
		`{"spec":{"replicas":[]}}`: nil,
	} {
		res, err := appliers()["v1"].Patch(context.Background(), apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(body), Manager: "m", Subresource: "scale"}, crdkit.Strict)
		if err != nil || res.Refusal == nil {
			t.Fatal(err, res)
		}
		if diff := cmp.Diff(want, res.Refusal.Details); diff != "" {
			t.Errorf("%s: details (-want +got):\n%s", body, diff)
		}
	}
}

// TestScaleWarnings tests the order of warnings: that about the version comes first.
func TestScaleWarnings(t *testing.T) {
	a := appliersOf(t, strings.Replace(widgets, "served: true", "served: true\n    deprecated: true", 1))["v1"]
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	want := []string{"example.com/v1 Widget is deprecated; use example.com/v2 Widget", `unknown field "x"`}
	for _, body := range []string{`{"x":1}`, `{"x":1,"metadata":{"name":"y"}}`, `{"x":1,"spec":{"replicas":-2147483648}}`, `{"x":1,"metadata":{"name":"y"},"spec":{"replicas":-2147483648}}`} {
		res, err := a.Patch(context.Background(), apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(body), Manager: "m", Subresource: "scale"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, res.Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", body, diff)
		}
	}
}

// TestScaleConfigurations tests applies of a Scale, which the server cannot merge.
func TestScaleConfigurations(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	unowned := live.DeepCopy()
	unowned.SetManagedFields(nil)
	const scale = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":4}}`
	tests := []struct {
		live      *unstructured.Unstructured
		config    string
		force     bool
		code      int
		message   string
		conflicts string
	}{
		{live: live, config: scale, code: 409, message: `Apply failed with 1 conflict: conflict with "deployer": .spec.replicas`, conflicts: `[.spec.replicas: 1, wanted 4, owned by "deployer" (Apply)]`},
		{live: live, config: scale, force: true, code: 500, message: "failed to convert new object (/w; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1"},
		{live: unowned, config: scale, code: 500, message: "request to convert CR to an invalid group/version: autoscaling/v1"},
		{live: live, config: `{"apiVersion":"example.com/v1","kind":"Widget"}`, code: 400, message: "invalid object type: example.com/v1, Kind=Widget"},
	}
	for _, tt := range tests {
		config := &unstructured.Unstructured{}
		if err := config.UnmarshalJSON([]byte(tt.config)); err != nil {
			t.Fatal(err)
		}
		before, configured := encode(t, tt.live), encode(t, config)
		res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: tt.live, Config: config, Manager: "m", Force: tt.force, Subresource: "scale"})
		if err != nil {
			t.Fatal(err)
		}
		if got := code(t, res); got != tt.code || !strings.HasSuffix(res.Err().Error(), tt.message) {
			t.Errorf("%s: %d %v, want %d %s", tt.config, got, res.Err(), tt.code, tt.message)
		}
		if got := fmt.Sprint(res.Conflicts); tt.conflicts != "" && got != tt.conflicts {
			t.Errorf("conflicts %s, want %s", got, tt.conflicts)
		}
		if encode(t, tt.live) != before || encode(t, config) != configured {
			t.Errorf("%s: an object changed", tt.config)
		}
	}
}

// TestScaleNoVerdict tests requests on the scale that have no verdict.
func TestScaleNoVerdict(t *testing.T) {
	a, ctx, live := appliers()["v1"], context.Background(), applied(nil, "spec: {replicas: 1}", "deployer")
	other := live.DeepCopy()
	other.SetAPIVersion("example.com/v2")
	ended, end := context.WithCancel(ctx)
	end()
	unscaled := appliersOf(t, strings.ReplaceAll(widgets, "scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}", ""))["v1"]
	patch := []byte(`{"spec":{"replicas":4}}`)
	for name, err := range map[string]error{
		"no object":          second(a.Patch(ctx, apply.Request{PatchType: types.MergePatchType, Body: patch, Manager: "m", Subresource: "scale"})),
		"other version":      second(a.Patch(ctx, apply.Request{Live: other, PatchType: types.MergePatchType, Body: patch, Manager: "m", Subresource: "scale"})),
		"unknown strictness": second(a.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: patch, Manager: "m", Subresource: "scale"}, crdkit.FieldValidation("x"))),
		"ended":              second(a.Patch(ended, apply.Request{Live: live, PatchType: types.MergePatchType, Body: patch, Manager: "m", Subresource: "scale"})),
		"no configuration":   second(a.Apply(ctx, apply.Request{Live: live, Manager: "m", Subresource: "scale"})),
		"no scale":           second(unscaled.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: patch, Manager: "m", Subresource: "scale"})),
		"no scale to apply":  second(unscaled.Apply(ctx, apply.Request{Live: live, Config: live, Manager: "m", Subresource: "scale"})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestUpdateScaleSeesManagers tests that a write of the scale sees the managers and their
// times, and that an error of the caller leaves no trace.
func TestUpdateScaleSeesManagers(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	before, seen := encode(t, live), ""
	res, err := appliers()["v1"].UpdateScale(context.Background(), live, func(s *autoscalingv1.Scale) error {
		s.Spec.Replicas = 9
		seen = fmt.Sprint(s.ManagedFields[0].Manager, " ", s.ManagedFields[0].Time.UTC().Format("15:04"))
		return errors.New("mine")
	}, "m")
	if err != nil || code(t, res) != 500 || seen != "deployer 12:00" || encode(t, live) != before {
		t.Errorf("%v, %v, saw %s, live %s", err, res.Err(), seen, encode(t, live))
	}
}

// TestScaleKinds tests patches that make another kind of a Scale.
func TestScaleKinds(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	for body, want := range map[string]string{
		`{"kind":"HorizontalPodAutoscaler"}`: "converting (v1.HorizontalPodAutoscaler) to (v1.Scale): unknown conversion",
		`{"kind":"Other"}`:                   `no kind "Other" is registered for version "autoscaling/v1" in scheme `,
		`{"apiVersion":"apps/v1beta1"}`:      `no kind "Scale" is registered for version "apps/v1beta1" in scheme `,
	} {
		res, err := appliers()["v1"].Patch(context.Background(), apply.Request{Live: live, PatchType: types.MergePatchType, Body: []byte(body), Manager: "m", Subresource: "scale"})
		if err != nil || code(t, res) != 422 || !strings.Contains(res.Err().Error(), want) {
			t.Errorf("%s: %v, %v, want 422 with %s", body, err, res.Err(), want)
		}
	}
}

// TestLiveWithoutUID tests that a live object without uid counts as stored, and gets none.
func TestLiveWithoutUID(t *testing.T) {
	a, ctx, live := appliers()["v1"], context.Background(), applied(nil, "spec: {replicas: 1}", "deployer")
	live.SetManagedFields(nil)
	if live.GetUID() != "" {
		t.Fatal("the live object has a uid")
	}
	body := []byte(`{"spec":{"replicas":2}}`)
	requests := map[string]func() (*apply.Result, error){
		"apply": func() (*apply.Result, error) {
			return a.Apply(ctx, apply.Request{Live: live, Config: widget("spec: {replicas: 2}"), Manager: "m", Force: true})
		},
		"patch": func() (*apply.Result, error) {
			return a.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: body, Manager: "m"})
		},
		"patch scale": func() (*apply.Result, error) {
			return a.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: body, Manager: "m", Subresource: "scale"})
		},
		"update": func() (*apply.Result, error) {
			return a.Update(ctx, widget("spec: {replicas: 2, mode: slow}"), apply.Request{Live: live, Manager: "m"})
		},
	}
	for name, do := range requests {
		res, err := do()
		if err != nil || res.Err() != nil {
			t.Fatalf("%s: %v, %v", name, err, res)
		}
		if res.Created || res.Object.GetUID() != "" {
			t.Errorf("%s: created %v, uid %q", name, res.Created, res.Object.GetUID())
		}
		// Managers of an object without any are first recorded by an apply.
		if got := len(res.Object.GetManagedFields()); (got > 0) != (name == "apply") {
			t.Errorf("%s: %d managers", name, got)
		}
	}
}
