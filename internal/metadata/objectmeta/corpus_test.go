package objectmeta

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// Real objects have the same metadata with both implementations, and few need
// the round trip.
func TestCorpus(t *testing.T) {
	corpus := testkit.FindCorpus(t)
	routes := map[string]int{}
	objects, embedded := 0, 0
	for _, d := range corpus.Definitions {
		namespaced := d.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped
		nodes := map[string]*schema.Node{} // by version
		for _, s := range d.Samples {
			objects++
			routes[route(s.Object)]++
			sameWithReference(t, s)
			if createdRight := len(createProblems(s.Object, namespaced, nil)) == 0; validCreate(s.Object, namespaced) && !createdRight {
				t.Errorf("%s: taken for right", s.Path)
			}
			version := s.Version()
			if _, done := nodes[version]; !done {
				nodes[version] = versionSchema(d.Version(version))
			}
			if n := nodes[version]; n != nil && n.Facts().Has(schema.HasEmbedded) {
				embedded++
				sameEmbedded(t, n, s)
			}
		}
	}
	t.Logf("metadata of %d objects by route: %v; %d objects may have embedded resources", objects, routes, embedded)
	if routes["same"] < 10*routes["round trip"] {
		t.Errorf("too many objects need the round trip: %v", routes)
	}
	if embedded == 0 && !testing.Short() {
		t.Error("no object with embedded resources")
	}
}

func sameWithReference(t *testing.T, s testkit.Sample) {
	t.Helper()
	fast, reference := jsonval.Clone(s.Object).(map[string]any), jsonval.Clone(s.Object).(map[string]any)
	fastUnknown, fastErr := Coerce(fast, Options{ReportUnknown: true})
	referenceUnknown, referenceErr := roundTrip(reference, Options{ReportUnknown: true})
	if diff := cmp.Diff(pathLines(referenceUnknown)+errorText(referenceErr), pathLines(fastUnknown)+errorText(fastErr)); diff != "" {
		t.Errorf("%s (-reference +fast):\n%s", s.Path, diff)
	}
	if diff := cmp.Diff(reference, fast); diff != "" {
		t.Errorf("%s (-reference +fast):\n%s", s.Path, diff)
	}
}

// versionSchema compiles the schema of a version. It returns nil if there is
// none or it is not structural.
func versionSchema(v *apiextensionsv1.CustomResourceDefinitionVersion) *schema.Node {
	if v == nil || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	n, errs := schema.Compile(v.Schema.OpenAPIV3Schema, schemaopt.WithoutAnnotations{})
	if len(errs) > 0 {
		return nil
	}
	return n
}

func sameEmbedded(t *testing.T, n *schema.Node, s testkit.Sample) {
	t.Helper()
	fast, reference := jsonval.Clone(s.Object), jsonval.Clone(s.Object)
	e := &Embedded{Schema: n}
	fastUnknown, fastErr := e.Coerce(fast, Options{ReportUnknown: true})
	referenceUnknown, referenceErr := e.walkAndCoerce(reference, Options{ReportUnknown: true})
	if diff := cmp.Diff(pathLines(referenceUnknown)+fieldErrorText(referenceErr), pathLines(fastUnknown)+fieldErrorText(fastErr)); diff != "" {
		t.Errorf("%s (-reference +fast):\n%s", s.Path, diff)
	}
	if diff := cmp.Diff(reference, fast); diff != "" {
		t.Errorf("%s (-reference +fast):\n%s", s.Path, diff)
	}
	if diff := cmp.Diff(problemLines(e.walkProblems(reference)), problemLines(e.Validate(fast))); diff != "" {
		t.Errorf("%s (-reference +fast):\n%s", s.Path, diff)
	}
}
