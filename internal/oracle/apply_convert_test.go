package oracle

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A convertStep is one request of TestApplyConversions.
type convertStep struct {
	version, manager string
	apply            string // a spec
	merge            string // a merge patch, if apply is empty
	force, fails     bool   // fails: the webhook fails
	want             string // a part of the answer of the server
}

// convertSteps follow one another. Version v1 is the storage version; v2 calls replicas
// size. The server names the field of a conflict as the version of its owner does.
var convertSteps = []convertStep{
	{version: "v1", manager: "a", apply: `{"replicas":1,"mode":"fast"}`},
	{version: "v2", manager: "b", apply: `{"size":2}`, want: `conflict with \"a\": .spec.replicas`},
	{version: "v2", manager: "b", apply: `{"size":1}`},
	{version: "v2", manager: "b", apply: `{"size":2}`, force: true},
	{version: "v1", manager: "a", apply: `{"replicas":3,"mode":"fast"}`, want: `conflict with \"b\": .spec.size`},
	{version: "v1", manager: "a", apply: `{"mode":"fast"}`},
	{version: "v2", manager: "u", merge: `{"spec":{"size":4}}`},
	{version: "v2", manager: "b", apply: `{"size":4}`},
	{version: "v1", manager: "b", apply: `{"replicas":5}`, want: `conflict with \"u\" using rows.example.com/v2: .spec.size`},
	{version: "v1", manager: "b", apply: `{"replicas":5}`, force: true},
	{version: "v2", manager: "c", apply: `{"mode":"slow","size":5}`, force: true},
	{version: "v1", manager: "b", apply: `{}`},
	{version: "v1", manager: "a", apply: `{"mode":"fast"}`, force: true, fails: true, want: `conversion webhook for rows.example.com/v`},
	{version: "v1", manager: "u", merge: `{"spec":{"replicas":6}}`, fails: true},
	{version: "v1", manager: "u", merge: `{"metadata":{"labels":{"a":"b"}}}`, fails: true},
	{version: "v1", manager: "u", merge: `{"spec":{"replicas":7}}`},
	{version: "v2", manager: "c", apply: `{"mode":"slow"}`, force: true},
}

// TestApplyConversions compares merges of managers at several versions, between which a
// webhook converts that sometimes fails.
func TestApplyConversions(t *testing.T) {
	var fails atomic.Bool
	hook := httptest.NewTLSServer(conversion.Handler(func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		if fails.Load() {
			return nil, errors.New("no conversion today")
		}
		spec, _ := obj.Object["spec"].(map[string]any)
		names := [2]string{"size", "replicas"}
		if strings.HasSuffix(to, "v2") {
			names = [2]string{"replicas", "size"}
		}
		if v, found := spec[names[0]]; found {
			delete(spec, names[0])
			spec[names[1]] = v
		}
		return obj, nil
	}))
	defer hook.Close()
	s := serveConverting(t, hook)
	appliers, err := apply.NewAll(s.ours, s.crd)
	if err != nil {
		t.Fatal(err)
	}
	side, total := &applySide{servedDefinition: s, appliers: appliers}, &applyTally{features: map[string]int{}}
	history := ""
	for _, row := range convertSteps {
		step := side.convertStep(t, row)
		if fails.Store(row.fails); row.want != "" {
			if answer := s.server.Do(step.request); answer.Code < 300 || !strings.Contains(string(answer.Body), row.want) {
				t.Errorf("%s: the server answers %v, want %s", step.text, answer, row.want)
			}
		}
		history += step.text + "\n"
		ok := total.step(t, side, s.version(row.version), step, history)
		if fails.Store(false); !ok {
			break
		}
	}
	if total.steps != len(convertSteps) || total.differences > 0 {
		t.Errorf("%v of %d", total, len(convertSteps))
	}
}

// serveConverting makes both sides of rowsDefinition, with a webhook and with another name
// of the replicas at v2.
func serveConverting(t *testing.T, hook *httptest.Server) *servedDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(rowsDefinition), crd); err != nil {
		t.Fatal(err)
	}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		v.Subresources.Scale = nil
		if spec := v.Schema.OpenAPIV3Schema.Properties["spec"]; v.Name == "v2" {
			spec.Properties["size"] = spec.Properties["replicas"]
			delete(spec.Properties, "replicas")
		}
	}
	s, err := serveBoth(&testkit.Definition{Path: "converting", CRD: crd})
	if err != nil {
		t.Fatal(err)
	}
	s.crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: pointer(hook.URL), CABundle: certificatePEM(hook.Certificate().Raw)},
		},
	}
	if s.ours, err = crdkit.Compile(s.crd); err != nil {
		t.Fatal(err)
	}
	if s.server, err = server.NewConverting(s.crd); err != nil {
		t.Fatal(err)
	}
	s.versions = s.ours.Versions()
	return s
}

// convertStep returns a row as a request on both sides.
func (s *applySide) convertStep(t *testing.T, row convertStep) applyStep {
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
	if row.apply != "" {
		r.Type, r.Body = types.ApplyYAMLPatchType, fmt.Appendf(nil, `{"apiVersion":"rows.example.com/%s","kind":"Row","metadata":{"name":"a","namespace":"ns"},"spec":%s}`, row.version, row.apply)
		step.ours = func() (*apply.Result, error) {
			return a.Apply(ctx, apply.Request{Live: live, Body: r.Body, Manager: row.manager, Force: row.force}, inNamespace(v, "ns"))
		}
	} else {
		r.Type, r.Body = types.MergePatchType, []byte(row.merge)
		step.ours = func() (*apply.Result, error) {
			return a.Patch(ctx, apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: row.manager}, inNamespace(v, "ns"))
		}
	}
	step.text = fmt.Sprintf("%s %s %s force=%v fails=%v", row.version, row.manager, r.Body, row.force, row.fails)
	return step
}
