// Package enginetest holds helpers that the tests and benchmarks of the engines
// share: compiled schemas, the versions of the definitions in testdata, and
// objects of a wanted size. It is separate from testkit because tests of
// package schema import testkit. Only tests import it.
package enginetest

import (
	"encoding/json"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

// Cases decodes a table of cases in JSON.
func Cases[T any](tb testing.TB, table []byte) []T {
	tb.Helper()
	var cases []T
	if err := json.Unmarshal(table, &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

// Compile compiles a schema in JSON.
func Compile(text []byte) (*schema.Node, error) {
	var props *apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &props); err != nil {
		return nil, err
	}
	n, errs := schema.Compile(props)
	return n, errs.ToAggregate()
}

// MustCompile compiles a schema in JSON or fails the test.
func MustCompile(tb testing.TB, text []byte) *schema.Node {
	tb.Helper()
	n, err := Compile(text)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// MustCompileYAML compiles a schema in YAML or fails the test. A field that
// schemas do not have fails the test too.
func MustCompileYAML(tb testing.TB, text string) *schema.Node {
	tb.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		tb.Fatal(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return n
}

// MustDecode decodes an object or fails the test.
func MustDecode(tb testing.TB, text []byte) map[string]any {
	tb.Helper()
	obj, err := testkit.Decode(text)
	if err != nil {
		tb.Fatal(err)
	}
	return obj
}

// Strings returns the strings of paths, nil if there are none.
func Strings(paths []schema.Path) []string {
	var out []string
	for _, p := range paths {
		out = append(out, p.String())
	}
	return out
}

// A Version is a version of a definition in testdata that has objects.
type Version struct {
	Name       string // of the definition and the version
	Definition *testkit.Definition
	Declared   *apiextensionsv1.CustomResourceDefinitionVersion
	Node       *schema.Node
	Samples    []map[string]any // at least one
}

// Versions returns the versions that have objects. There is at least one.
func Versions(tb testing.TB) []Version {
	tb.Helper()
	root, err := testkit.ModuleRoot()
	if err != nil {
		tb.Fatal(err)
	}
	corpus, err := testkit.LoadTestdata(filepath.Join(root, "testdata"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []Version
	for _, d := range corpus.Definitions {
		for i := range d.CRD.Spec.Versions {
			if v := newVersion(tb, d, &d.CRD.Spec.Versions[i]); len(v.Samples) > 0 {
				out = append(out, v)
			}
		}
	}
	if len(out) == 0 {
		tb.Fatal("no definition in testdata has objects")
	}
	return out
}

func newVersion(tb testing.TB, d *testkit.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion) Version {
	tb.Helper()
	if v.Schema == nil {
		return Version{}
	}
	node, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
	if len(errs) > 0 {
		tb.Fatalf("%s: %v", d.Path, errs.ToAggregate())
	}
	out := Version{Name: d.CRD.Name + "/" + v.Name, Definition: d, Declared: v, Node: node}
	for _, s := range d.Samples {
		if s.Version() == v.Name {
			out.Samples = append(out.Samples, s.Object)
		}
	}
	return out
}
