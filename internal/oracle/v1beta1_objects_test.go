package oracle

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestV1beta1Objects compares requests on objects of definitions that keep unknown fields:
// the existing definitions of v1beta1, and definitions of v1 whose schemas are changed to
// nonstructural ones.
func TestV1beta1Objects(t *testing.T) {
	server := newDefinitionServer()
	var list []*testkit.Definition
	for _, form := range betaFiles(t) {
		internal, err := server.fromBeta(form.crd)
		if err != nil {
			t.Fatal(err)
		}
		crd, err := server.v1(internal)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &testkit.Definition{Path: form.path, CRD: crd})
	}
	files := len(list)
	whole, _ := definitions(t)
	rounds := 2
	if testing.Short() {
		whole, rounds = whole[:min(len(whole), 20)], 1
	}
	for _, d := range whole {
		if d.CRD.Size() > 8_000 {
			continue
		}
		for i := range rounds {
			if crd := destructured(d.CRD, i); crd != nil {
				list = append(list, &testkit.Definition{Path: fmt.Sprintf("%s without structure %d", d.Path, i), CRD: crd, Samples: d.Samples})
			}
		}
	}
	list = matching(list, *only)
	tally := Run(list, Config{Objects: min(*objects, 8), Known: Differences, Ours: Crdkit})
	if text := tally.Unknown(); text != "" {
		t.Errorf("differences that are not in the list:\n%s", text)
	}
	fmt.Printf("%v, of definitions that keep unknown fields or are of v1beta1 (%d files, %d without structure)\n", tally, files, len(list)-files)
}

// destructured returns a copy of a definition that keeps unknown fields and has
// nonstructural schemas, which v1beta1 accepts. It returns nil if there is no
// such copy.
func destructured(whole *apiextensionsv1.CustomResourceDefinition, i int) *apiextensionsv1.CustomResourceDefinition {
	crd := whole.DeepCopy()
	crd.Spec.PreserveUnknownFields = true
	crd.Spec.Conversion = nil
	rng := source(crd.Name, "destructured", fmt.Sprint(i))
	for k := range crd.Spec.Versions {
		v := &crd.Spec.Versions[k]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		v.SelectableFields = nil
		simplify(v.Schema.OpenAPIV3Schema)
		for range 6 * (i + 1) {
			broken := v.Schema.DeepCopy()
			breakSchema(rng, broken.OpenAPIV3Schema)
			simplify(broken.OpenAPIV3Schema)
			before := v.Schema
			v.Schema = broken
			// Undo a change that v1beta1 refuses. $schema has its own test, because the server
			// then has no structural schema for any step.
			if broken.OpenAPIV3Schema.Schema != "" || !definition.Check(crd, definition.V1beta1Rules()).Accepted() {
				v.Schema = before
			}
		}
	}
	if !definition.Check(crd, definition.V1beta1Rules()).Accepted() {
		return nil
	}
	return crd
}

// simplify removes the keywords that only structural schemas may have.
func simplify(root *apiextensionsv1.JSONSchemaProps) {
	locations := []func(func(*apiextensionsv1.JSONSchemaProps)){func(f func(*apiextensionsv1.JSONSchemaProps)) { f(root) }}
	collect(root, &locations, 0)
	for i := len(locations) - 1; i >= 0; i-- {
		locations[i](func(s *apiextensionsv1.JSONSchemaProps) {
			s.Default, s.XPreserveUnknownFields, s.XListType, s.XMapType = nil, nil, nil, nil
			s.XEmbeddedResource, s.XIntOrString, s.XListMapKeys, s.XValidations = false, false, nil, nil
			s.Schema = ""
		})
	}
}
