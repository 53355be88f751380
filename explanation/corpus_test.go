package explanation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// pinned are explanations of real objects, by path in the corpus and field.
var pinned = map[[2]string]string{
	{"samples/argo-cd/experiment_example-experiment.yaml", "spec.duration"}:                         "the value is not a string: put the value into quotes",
	{"samples/crossplane/composition_nop.sqlinstances.example.org.yaml", "spec"}:                    "has(self.pipeline) is false",
	{"samples/istio/xbackendtrafficpolicy_lb-policy.yaml", "spec.sessionPersistence"}:               `self.type ("Cookie") != "Cookie" is false, and has(self.cookie) is false`,
	{"samples/traefik/serverstransport_test-3.yaml", "spec.rootCAs[2]"}:                             "!has(self.secret) is false, and !has(self.configMap) is false",
	{"samples/istio/backendtlspolicy_tls-upstream-echo-https-merged-rules.yaml", "spec.targetRefs"}: `(!has(p1.sectionName) || p1.sectionName == "") (true) == (!has(p2.sectionName) || p2.sectionName == "") (false) is false, where p2.sectionName is "https", since p1.group ("") == p2.group ("") is true, and p1.kind ("Service") == p2.kind ("Service") is true, and p1.name ("echo-https") == p2.name ("echo-https") is true for p2 = self[1] for p1 = self[0]`,
}

// TestCorpus explains every error of the objects of the corpus that the server refuses:
// no explanation fails, is empty, or has several lines, and those in pinned are exact.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all definitions; skipped with -short")
	}
	refused, errors, explained, found := 0, 0, 0, 0
	steps := map[string]int{}
	for _, d := range testkit.FindCorpus(t).Definitions {
		if len(d.Samples) == 0 {
			continue
		}
		def, err := crdkit.Compile(d.CRD)
		if err != nil {
			continue
		}
		for _, s := range d.Samples {
			v, ok := def.Version(s.Version())
			if !ok {
				continue
			}
			obj := &unstructured.Unstructured{Object: jsonval.Clone(s.Object).(map[string]any)}
			res, err := v.Create(context.Background(), obj)
			if err != nil || res.Admitted() {
				continue
			}
			refused++
			x := explanation.New(v)
			for _, e := range res.Errors {
				errors++
				why, err := x.Error(context.Background(), e, obj, nil)
				if err != nil {
					t.Errorf("%s: %v: %v", s.Path, e, err)
				}
				if why == nil {
					continue
				}
				explained++
				steps[string(e.Step)]++
				if why.Text == "" || strings.Contains(why.Text, "\n") {
					t.Errorf("%s: %v: %q", s.Path, e, why.Text)
				}
				t.Logf("%s\n\t%v\n\t%s", s.Path, e, why.Text)
				if want, ok := pinned[[2]string{s.Path, e.Field}]; ok {
					found++
					if why.Text != want {
						t.Errorf("%s, %s:\n got %s\nwant %s", s.Path, e.Field, why.Text, want)
					}
				}
			}
		}
	}
	t.Logf("%d objects are refused with %d errors, of which %d have an explanation: %s", refused, errors, explained, fmt.Sprint(steps))
	if found == 0 {
		t.Log("this corpus has none of the pinned objects")
	} else if found != len(pinned) {
		t.Errorf("%d of %d pinned objects were refused", found, len(pinned))
	}
}
