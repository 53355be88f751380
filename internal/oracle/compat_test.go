package oracle

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/testkit"
)

// A compatCase is a change of package compat's tests.
type compatCase struct {
	Name     string
	Root     bool
	Old, New apiextensionsv1.JSONSchemaProps
}

// TestCompat gives the witnesses of package compat to kube-apiserver's handler, for
// the old and the new definition, and generated objects to both for each change that
// is compatible for writers.
func TestCompat(t *testing.T) {
	witnesses, attacks := 0, 0
	for _, file := range []string{"changes", "rules"} {
		text, err := os.ReadFile("../../compat/testdata/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var cases []compatCase
		if err := yaml.UnmarshalStrict(text, &cases); err != nil {
			t.Fatal(err)
		}
		for i := range cases {
			c := &cases[i]
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				p := newCompatPair(t, c)
				w, a := p.replay()
				witnesses += w
				attacks += a
			})
		}
	}
	t.Logf("%d witnesses replayed, %d objects for compatible changes", witnesses, attacks)
	if witnesses < 80 || attacks < 1000 {
		t.Errorf("too little was compared")
	}
}

type compatPair struct {
	*testing.T
	old, crd             *apiextensionsv1.CustomResourceDefinition
	oldServer, newServer *server.Server
	report               *compat.Report
}

func newCompatPair(t *testing.T, c *compatCase) *compatPair {
	t.Helper()
	p := &compatPair{T: t, old: compatDefinition(t, c.Old, c.Root), crd: compatDefinition(t, c.New, c.Root)}
	var err error
	if p.oldServer, err = server.New(p.old); err != nil {
		t.Fatal(err)
	}
	if p.newServer, err = server.New(p.crd); err != nil {
		t.Fatal(err)
	}
	if p.report, err = compat.Compare(context.Background(), p.old, p.crd); err != nil {
		t.Fatal(err)
	}
	return p
}

// compatDefinition returns a definition whose objects have the property x.
func compatDefinition(t *testing.T, props apiextensionsv1.JSONSchemaProps, root bool) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  conversion: {strategy: None}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
status:
  storedVersions: [v1]
  acceptedNames: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  conditions: [{type: Established, status: "True", lastTransitionTime: "2024-01-01T00:00:00Z", reason: r, message: m}]
`), crd); err != nil {
		t.Fatal(err)
	}
	if !root {
		props = apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": props}}
	}
	props.Type = "object"
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &props
	return crd
}

// replay replays all witnesses, or attacks a change without one for writers.
func (p *compatPair) replay() (witnesses, attacks int) {
	compatible := true
	for i := range p.report.Findings {
		f := &p.report.Findings[i]
		switch {
		case f.Role == compat.Writers && f.Verdict != compat.Compatible:
			compatible = false
		case f.Role != compat.Readers:
			continue
		}
		if f.Witness != nil {
			witnesses++
			p.witness(f)
		}
	}
	if compatible {
		return witnesses, p.attack()
	}
	return witnesses, 0
}

// witness checks that the old server admits the witness of a finding and that the
// new one refuses it or stores something else. For readers it is the other way.
func (p *compatPair) witness(f *compat.Finding) {
	before, after := p.oldServer, p.newServer
	if f.Role == compat.Readers {
		before, after = after, before
	}
	first, second := p.write(before, f.Witness.Object, f.Witness.Old), p.write(after, f.Witness.Object, f.Witness.Old)
	if first == nil {
		p.Errorf("%s: the first server refuses %s", f.Text, testkit.Encode(f.Witness.Object))
	} else if second != nil && cmp.Equal(first, second) {
		p.Errorf("%s: both servers admit %s", f.Text, testkit.Encode(f.Witness.Object))
	}
}

// attack gives generated objects to both servers.
func (p *compatPair) attack() int {
	g := testkit.NewGenerator(testkit.Target{Group: "example.com", Version: "v1", Kind: "CronTab", Namespaced: true, Schema: p.old.Spec.Versions[0].Schema.OpenAPIV3Schema})
	rng := rand.New(rand.NewPCG(1, 2))
	count := 0
	for i := range 24 {
		obj := g.Object(rng, []testkit.Class{testkit.Valid, testkit.Boundary}[i%2])
		obj["metadata"] = map[string]any{"name": "a", "namespace": "default"}
		before := p.write(p.oldServer, obj, nil)
		if before == nil {
			continue
		}
		count++
		if after := p.write(p.newServer, obj, nil); after == nil {
			p.Errorf("compatible, but the new server refuses %s", testkit.Encode(obj))
		}
	}
	return count
}

// write creates an object, or replaces old, and returns what the server stores. It
// returns nil for an object that the server refuses.
func (p *compatPair) write(s *server.Server, obj, old map[string]any) map[string]any {
	r := server.Request{Method: "POST", Version: "v1", Namespace: "default"}
	u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
	if old != nil {
		stored := &unstructured.Unstructured{Object: testkit.Clone(old)}
		stored.SetUID("u-1")
		if err := s.Put(stored.Object); err != nil {
			p.Fatal(err)
		}
		current, err := s.Stored("default", u.GetName())
		if err != nil {
			p.Fatal(err)
		}
		u.SetResourceVersion(current.GetResourceVersion())
		r.Method, r.Name = "PUT", u.GetName()
	}
	body, err := json.Marshal(u.Object)
	if err != nil {
		p.Fatal(err)
	}
	r.Body = body
	answer := s.Do(r)
	defer s.Delete("default", u.GetName())
	if answer.Panic != "" || answer.Code >= 300 {
		return nil
	}
	if strings.Contains(strings.Join(answer.Warnings, " "), "unknown field") && old == nil && s == p.oldServer {
		return nil
	}
	stored, err := answer.Object()
	if err != nil {
		p.Fatal(err)
	}
	delete(stored.Object, "metadata")
	return stored.Object
}
