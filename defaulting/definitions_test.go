package defaulting

import (
	"path/filepath"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
)

// A definition is one version of a definition of this repository.
type definition struct {
	name      string
	node      *schema.Node
	samples   []map[string]any
	generator *testkit.Generator
}

// loadDefinitions returns the versions that have objects.
func loadDefinitions(tb testing.TB) []definition {
	tb.Helper()
	root, err := testkit.ModuleRoot()
	if err != nil {
		tb.Fatal(err)
	}
	corpus, err := testkit.LoadTestdata(filepath.Join(root, "testdata"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []definition
	for _, d := range corpus.Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			node, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
			if len(errs) > 0 {
				tb.Fatalf("%s: %v", d.Path, errs.ToAggregate())
			}
			def := definition{name: d.CRD.Name + "/" + v.Name, node: node}
			for _, s := range d.Samples {
				if s.Version() == v.Name {
					def.samples = append(def.samples, s.Object)
				}
			}
			def.generator = testkit.NewGenerator(testkit.Target{
				Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind, Schema: v.Schema.OpenAPIV3Schema,
			}, def.samples...)
			if len(def.samples) > 0 {
				out = append(out, def)
			}
		}
	}
	if len(out) == 0 {
		tb.Fatal("no definition in testdata has objects")
	}
	return out
}
