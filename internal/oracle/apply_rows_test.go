package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
)

// A rowStep is one request of TestApplyRows.
type rowStep struct {
	version, manager string
	apply            string // a spec, "" for none
	label            string // of a merge patch
	replicas         int32  // of a write of the scale
	force            bool
}

// TestApplyRows compares sequences of requests that random ones seldom make: more
// managers than the server keeps, at two versions, with writes of the scale between them.
func TestApplyRows(t *testing.T) {
	s := serveRows(t)
	appliers, err := apply.NewAll(s.ours, s.crd)
	if err != nil {
		t.Fatal(err)
	}
	side, total := &applySide{servedDefinition: s, appliers: appliers}, &applyTally{features: map[string]int{}}
	many := []rowStep{{version: "v1", manager: "a", apply: `{"replicas":1,"env":[{"name":"A"}]}`}}
	for i := range 14 {
		many = append(many, rowStep{version: []string{"v1", "v1", "v2"}[i%3], manager: fmt.Sprint("m", i), label: fmt.Sprint("l", i)})
		if i%5 == 4 {
			many = append(many, rowStep{version: "v2", manager: "scaler", replicas: int32(i % 9)})
		}
	}
	many = append(many,
		rowStep{version: "v1", manager: "a", apply: `{"replicas":1,"env":[{"name":"A"}]}`},
		rowStep{version: "v2", manager: "a", apply: `{"replicas":2,"env":[{"name":"B","value":"x"}]}`, force: true},
		rowStep{version: "v1", manager: "b", apply: `{"replicas":3,"mode":"fast"}`, force: true},
		rowStep{version: "v1", manager: "a", apply: `{"replicas":2}`},
		rowStep{version: "v1", manager: "a", apply: `{}`},
	)
	history := ""
	for _, row := range many {
		step := side.rowStep(t, row)
		history += step.text + "\n"
		if !total.step(t, side, s.version(row.version), step, history) {
			break
		}
	}
	if total.steps != len(many) || total.admitted < 18 || total.conflicts == 0 || total.differences > 0 {
		t.Errorf("the rows show too little: %v of %d", total, len(many))
	}
}

// rowStep returns a row as a request on both sides.
func (s *applySide) rowStep(t *testing.T, row rowStep) applyStep {
	t.Helper()
	ctx, v, a := context.Background(), s.version(row.version), s.appliers[row.version]
	step := applyStep{request: server.Request{Method: "PATCH", Version: row.version, Namespace: "ns", Name: "a", Manager: row.manager, Force: row.force}}
	stored, err := s.server.Stored("ns", "a")
	if err != nil {
		t.Fatal(err)
	}
	if stored != nil {
		if step.live, _, err = v.Read(ctx, stored); err != nil {
			t.Fatal(err)
		}
	}
	live, r := step.live, &step.request
	switch {
	case row.apply != "":
		r.Type, r.Body = types.ApplyYAMLPatchType, fmt.Appendf(nil, `{"apiVersion":"rows.example.com/%s","kind":"Row","metadata":{"name":"a","namespace":"ns"},"spec":%s}`, row.version, row.apply)
		step.ours = func() (*apply.Result, error) {
			return a.Apply(ctx, apply.Request{Live: live, Body: r.Body, Manager: row.manager, Force: row.force}, inNamespace(v, "ns"))
		}
	case row.label != "":
		r.Type, r.Body = types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{%q:"x"}}}`, row.label)
		step.ours = func() (*apply.Result, error) {
			return a.Patch(ctx, apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: row.manager}, inNamespace(v, "ns"))
		}
	default:
		target := &autoscalingv1.Scale{}
		target.Kind, target.APIVersion, target.Name, target.Namespace, target.Spec.Replicas = "Scale", "autoscaling/v1", "a", "ns", row.replicas
		if r.Body, err = json.Marshal(target); err != nil {
			t.Fatal(err)
		}
		r.Method, r.Subresource = "PUT", "scale"
		step.ours = func() (*apply.Result, error) {
			return a.UpdateScale(ctx, live, func(current *autoscalingv1.Scale) error { *current = *target; return nil }, row.manager, inNamespace(v, "ns"))
		}
	}
	step.text = fmt.Sprintf("%s %s %s %s %s", r.Method, r.Version, r.Subresource, r.Manager, r.Body)
	return step
}

// version returns a version that is served.
func (s *servedDefinition) version(name string) *crdkit.Version {
	for _, v := range s.versions {
		if v.Name() == name {
			return v
		}
	}
	return nil
}
