package oracle

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
)

const ownersOfScale = `[{"op":"add","path":"/metadata/ownerReferences","value":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]}]`

// scalePatches are bodies of patches of the scale.
var scalePatches = map[types.PatchType][]string{
	types.MergePatchType: {
		`{"spec":{"replicas":5}}`, `{"spec":{"replicas":3}}`, `{"spec":{"replicas":5,"x":1},"y":2}`, `{"spec":{"replicas":4,"replicas":5}}`, `{"x":{"a":1,"a":2},"spec":{"y":1}}`, `{"spec":null}`, `{"spec":{"replicas":null}}`, `{}`,
		`{"spec":{"replicas":"x"}}`, `{"spec":{"replicas":1.5}}`, `{"spec":{"replicas":99999999999}}`, `{"spec":{"replicas":99}}`, `{"spec":{"replicas":-1}}`, `{"spec":{"replicas":-2147483648}}`, `{"Spec":{"Replicas":5}}`,
		`{"kind":"Other"}`, `{"kind":"HorizontalPodAutoscaler"}`, `{"apiVersion":null,"kind":null}`, `{"apiVersion":"a/b/c"}`, `{"apiVersion":5}`, `{"apiVersion":"rows.example.com/v1"}`, `{"apiVersion":"autoscaling/v2"}`,
		`{"metadata":{"name":"b"}}`, `{"metadata":{"name":null}}`, `{"metadata":{"namespace":"b"}}`, `{"metadata":{"namespace":null},"spec":{"replicas":2}}`, `{"metadata":{"name":5}}`, `{"metadata":null}`,
		`{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"resourceVersion":"x"}}`, `{"metadata":{"resourceVersion":"0"},"spec":{"replicas":1}}`, `{"metadata":{"resourceVersion":null},"spec":{"replicas":1}}`, `{"metadata":{"uid":"x"}}`,
		`{"metadata":{"labels":{"a":"b"}},"status":{"replicas":7,"selector":"x"}}`, `{"metadata":{"managedFields":null},"spec":{"replicas":6}}`, `{"metadata":{"managedFields":[{}]},"spec":{"replicas":6}}`,
		`{"metadata":{"managedFields":[{"manager":"z","operation":"Update","apiVersion":"autoscaling/v1","time":"2001-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]}}`,
		``, `{`, `null`, `[]`, `1`, `{"metadata":{"creationTimestamp":"x"}}`,
	},
	types.JSONPatchType: {
		`[{"op":"replace","path":"/spec/replicas","value":7}]`, `[{"op":"remove","path":"/spec/replicas"}]`, `[{"op":"test","path":"/spec/replicas","value":6}]`, `[{"op":"replace","path":"","value":[]}]`, `[{"op":"replace","path":"","value":{}}]`,
		`[{"op":"add","path":"/spec/x","value":1,"y":2}]`, `[{"op":"add"}]`, `[]`, `{}`, `[{"op":"copy","from":"/status/replicas","path":"/spec/replicas"}]`, ownersOfScale,
	},
	types.StrategicMergePatchType:           {`{"spec":{"replicas":5}}`},
	"application/json":                      {`{}`},
	types.JSONPatchType + "; charset=utf-8": {`[{"op":"replace","path":"/spec/replicas","value":8}]`},
}

// scaleConfigs are configurations of the scale.
var scaleConfigs = []string{
	`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"ns"},"spec":{"replicas":4}}`, `{"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":3}}`,
	`{"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"x":3}}`, `{"apiVersion":"rows.example.com/v1","kind":"Row","metadata":{"name":"a"},"spec":{"replicas":4}}`,
	`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"managedFields":[]},"spec":{"replicas":4}}`, `{"spec":{"replicas":4}}`,
}

// scaleManagers are managers of a Row, as text of managedFields.
var scaleManagers = []string{
	`null`,
	`[{"manager":"m","operation":"Apply","apiVersion":"rows.example.com/v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:mode":{},"f:replicas":{}}}},
	  {"manager":"m","operation":"Update","apiVersion":"rows.example.com/v2","time":"2020-01-02T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"},
	  {"manager":"o","operation":"Update","apiVersion":"rows.example.com/unknown","time":"2020-01-02T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]`,
	`[{"manager":"o","operation":"Update","apiVersion":"rows.example.com/v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:mode":{}}}}]`,
	`[{"manager":"o","operation":"Update","apiVersion":"rows.example.com/v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"x:mode":{}}}}]`,
}

// scaleSpecs are specs of a Row.
var scaleSpecs = []string{`{replicas: 3, mode: fast}`, `{mode: fast}`, `{replicas: x}`}

// TestScalePatches compares patches and applies of the scale.
func TestScalePatches(t *testing.T) {
	s := serveRows(t)
	appliers, err := apply.NewAll(s.ours, s.crd)
	if err != nil {
		t.Fatal(err)
	}
	side, total := &applySide{servedDefinition: s, appliers: appliers}, &applyTally{features: map[string]int{}}
	for _, version := range []string{"v1", "v2"} {
		for _, spec := range scaleSpecs {
			for _, managers := range scaleManagers {
				for _, config := range scaleConfigs {
					for _, force := range []bool{false, true} {
						side.scaleStep(t, total, spec, managers, server.Request{Version: version, Type: types.ApplyYAMLPatchType, Manager: "m", Force: force, Body: []byte(config)})
					}
				}
				for kind, bodies := range scalePatches {
					for i, body := range bodies {
						side.scaleStep(t, total, spec, managers, server.Request{Version: version, Type: kind, Manager: "m", Fields: []string{"", "Strict", "Ignore", "Strict"}[(i+len(spec))%4], Body: []byte(body)})
					}
				}
			}
		}
	}
	if total.admitted < 100 || total.unchanged < 10 || total.refused < 300 || total.differences > 0 {
		t.Errorf("the patches show too little: %v", total)
	}
}

// scaleStep makes one request on the scale of a new object on both sides.
func (s *applySide) scaleStep(t *testing.T, total *applyTally, spec, managers string, r server.Request) {
	t.Helper()
	obj := map[string]any{}
	text := fmt.Sprintf(`
apiVersion: rows.example.com/v1
kind: Row
metadata: {name: a, namespace: ns, uid: u-1, creationTimestamp: "2023-11-14T22:13:20Z", managedFields: %s}
spec: %s
status: {replicas: 2, selector: "a=b"}`, managers, spec)
	if err := yaml.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatal(err)
	}
	if err := s.server.Put(obj); err != nil {
		t.Fatal(err)
	}
	stored, err := s.server.Stored("ns", "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, v, a := context.Background(), s.version(r.Version), s.appliers[r.Version]
	r.Method, r.Namespace, r.Name, r.Subresource = "PATCH", "ns", "a", "scale"
	step := applyStep{request: r}
	if step.live, _, err = v.Read(ctx, stored); err != nil {
		t.Fatal(err)
	}
	step.ours = func() (*apply.Result, error) {
		if r.Type != types.ApplyYAMLPatchType {
			return a.Patch(ctx, apply.Request{Live: step.live, PatchType: r.Type, Body: r.Body, Manager: r.Manager, Subresource: "scale"}, crdkit.FieldValidation(r.Fields), inNamespace(v, "ns"))
		}
		config := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(r.Body, &config.Object); err != nil {
			return nil, err
		}
		return a.Apply(ctx, apply.Request{Live: step.live, Config: config, Manager: r.Manager, Force: r.Force, Subresource: "scale"}, inNamespace(v, "ns"))
	}
	total.step(t, s, v, step, fmt.Sprintf("%s %s %s %s %s %q %s", r.Version, spec, managers, r.Type, r.Manager, r.Fields, r.Body))
}
