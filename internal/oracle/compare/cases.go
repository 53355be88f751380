package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

//go:embed objects/*.yaml
var objects embed.FS

// A testCase is an object and the version it is of, on both sides.
type testCase struct {
	name    string
	crd     *apiextensionsv1.CustomResourceDefinition
	up      *upstream.Version
	ours    *crdkit.Version
	object  map[string]any          // valid, as a client writes it
	text    []byte                  // of such an object, by another encoder; nil for most
	stored  map[string]any          // the same after Create
	unknown bool                    // has fields that the schema does not know
	rules   bool                    // was chosen for its rules only
	hand    verdict                 // its rules in Go; nil for most
	all     func() ([]ruled, error) // many objects in the place of one; nil for most
}

// loadCases returns the cases: the small objects, large objects that repeat their
// list elements, both with added unknown fields, and samples of the corpus, which are
// only for rules.
func loadCases(dir string) ([]*testCase, error) {
	c, err := testkit.LoadCorpus(dir)
	if err != nil {
		return nil, err
	}
	cronTab, cron, err := loadCronTab()
	if err != nil {
		return nil, err
	}
	cert, err := embedded("certificate")
	if err != nil {
		return nil, err
	}
	route, err := embedded("httproute")
	if err != nil {
		return nil, err
	}
	prom, err := embedded("prometheus")
	if err != nil {
		return nil, err
	}
	certs, routes, proms := c.Find("certificates.cert-manager.io"), c.Find("httproutes.gateway.networking.k8s.io"), c.Find("prometheuses.monitoring.coreos.com")
	if certs == nil || routes == nil || proms == nil {
		return nil, fmt.Errorf("the corpus in %s lacks the definitions of Certificate, HTTPRoute or Prometheus", dir)
	}
	largeRoute, largeProm := growRoute(route), growPrometheus(prom)
	known := []struct {
		name    string
		def     *testkit.Definition
		object  map[string]any
		unknown int
	}{
		{"CronTab", cronTab, cron, 0},
		{"Certificate", certs, cert, 0},
		{"HTTPRoute", routes, route, 0},
		{"Prometheus", proms, prom, 0},
		{"HTTPRoute large", routes, largeRoute, 0},
		{"Prometheus large", proms, largeProm, 0},
		{"HTTPRoute, few unknown", routes, route, 3},
		{"Prometheus, many unknown", proms, prom, 40},
		{"HTTPRoute large, few unknown", routes, largeRoute, 30},
		{"Prometheus large, few unknown", proms, largeProm, 30},
		{"HTTPRoute large, many unknown", routes, largeRoute, 900},
		{"Prometheus large, many unknown", proms, largeProm, 900},
	}
	compiled := map[*testkit.Definition]*sides{}
	var cases []*testCase
	for _, s := range known {
		if compiled[s.def] == nil {
			if compiled[s.def], err = compileBoth(s.def.CRD); err != nil {
				return nil, err
			}
		}
		k, err := compiled[s.def].newCase(s.name, s.object)
		if err != nil {
			return nil, err
		}
		if s.unknown > 0 {
			k.unknown = true
			declared := s.def.Version(k.up.Name).Schema.OpenAPIV3Schema
			k.object = addUnknown(k.object, declared, s.unknown)
		}
		cases = append(cases, k)
	}
	more, err := ruleCases(c)
	return append(cases, more...), err
}

// ruleCases returns the first valid sample of each definition that has rules, for a
// limited number of definitions.
func ruleCases(c *testkit.Corpus) ([]*testCase, error) {
	const most = 16
	var out []*testCase
	for _, d := range c.Definitions {
		if len(out) == most {
			break
		}
		if len(d.Samples) < 4 || d.CRD.Spec.Group == "apiextensions.crossplane.io" {
			continue
		}
		s, err := compileBoth(d.CRD)
		if err != nil {
			return nil, err
		}
		for _, sample := range d.Samples {
			k, err := s.newCase(d.CRD.Spec.Names.Kind+" sample", sample.Object)
			if err != nil || !k.up.HasRules() || k.up.Rules(k.stored, nil).Cost == 0 {
				continue
			}
			k.rules = true
			out = append(out, k)
			break
		}
	}
	return out, nil
}

type sides struct {
	crd  *apiextensionsv1.CustomResourceDefinition
	up   *upstream.Definition
	ours *crdkit.Definition
}

func compileBoth(crd *apiextensionsv1.CustomResourceDefinition) (*sides, error) {
	up, err := upstream.Compile(crd)
	if err != nil {
		return nil, err
	}
	ours, err := crdkit.Compile(up.CRD)
	if err != nil {
		return nil, err
	}
	return &sides{crd: up.CRD, up: up, ours: ours}, nil
}

// newCase returns a case of a valid object.
func (s *sides) newCase(name string, object map[string]any) (*testCase, error) {
	version := testkit.Sample{Object: object}.Version()
	ours, ok := s.ours.Version(version)
	k := &testCase{name: name, crd: s.crd, up: s.up.Version(version), ours: ours, object: object}
	if k.up == nil || !ok {
		return nil, fmt.Errorf("%s: no version %q", name, version)
	}
	out := k.up.Create(upstream.Body{Data: testkit.Encode(object), Fields: "Strict"})
	if out.Refusal != "" || len(out.Errors) > 0 {
		return nil, fmt.Errorf("%s is not valid: %s %v", name, out.Refusal, out.Errors)
	}
	k.stored = out.Object
	return k, nil
}

func embedded(name string) (map[string]any, error) {
	data, err := objects.ReadFile("objects/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	return testkit.Decode(data)
}

// loadCronTab reads the definition and object of the README.
func loadCronTab() (*testkit.Definition, map[string]any, error) {
	root, err := testkit.ModuleRoot()
	if err != nil {
		return nil, nil, err
	}
	c, err := testkit.LoadTestdata(filepath.Join(root, "testdata"))
	if err != nil {
		return nil, nil, err
	}
	d := c.Find("crontabs.jobs.example.org")
	if d == nil {
		return nil, nil, fmt.Errorf("no CronTab in %s", c.Dir)
	}
	data, err := os.ReadFile(filepath.Join(root, "testdata", "crontab", "object.yaml"))
	if err != nil {
		return nil, nil, err
	}
	object, err := testkit.Decode(data)
	return d, object, err
}
