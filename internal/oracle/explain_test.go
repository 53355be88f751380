package oracle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	clientopenapi "k8s.io/client-go/openapi"
	kubectlexplain "k8s.io/kubectl/pkg/explain/v2"

	"github.com/crdkit/crdkit/internal/kube/kubectl"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/openapi"
)

// The tests of this file compare the output of kubectl explain. Upstream is kubectl's own
// code over our document, which TestOpenAPICorpus compares with the server's document.

var allPaths = flag.Bool("explain-all", false, "explain every version, not every other")

// An explainServer publishes one document.
type explainServer struct {
	path     string
	document []byte
}

func (s explainServer) Paths() (map[string]clientopenapi.GroupVersion, error) {
	return map[string]clientopenapi.GroupVersion{s.path: s}, nil
}

func (s explainServer) Schema(string) ([]byte, error) { return s.document, nil }
func (s explainServer) ServerRelativeURL() string     { return "/openapi/v3/" + s.path }

func newExplainServer(t *testing.T, crd *definitionV1, version string) explainServer {
	t.Helper()
	d, err := openapi.VersionV3(crd, version)
	if err != nil {
		t.Fatal(err)
	}
	data, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return explainServer{path: "apis/" + crd.Spec.Group + "/" + version, document: data}
}

// compareExplain returns our text, and its difference from upstream's text.
func compareExplain(t *testing.T, s explainServer, crd *definitionV1, r kubectl.ExplainRequest) (text, diff string) {
	t.Helper()
	var b strings.Builder
	gvr := runtimeschema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: crd.Spec.Names.Plural}
	want := ""
	if err := kubectlexplain.PrintModelDescription(r.Fields, &b, s, gvr, r.Recursive, r.MaxDepth, "plaintext"); err != nil {
		want = "error: " + strings.TrimPrefix(err.Error(), "error: ") // as the command prints it
	} else {
		want = b.String()
	}
	if err := json.Unmarshal(s.document, &r.Document); err != nil {
		t.Fatal(err)
	}
	text, err := kubectl.Explain(r)
	if err != nil {
		text = "error: " + err.Error()
	}
	return text, cmp.Diff(want, text)
}

func TestExplain(t *testing.T) {
	texts, missing, recursive, lines, differences, n := 0, 0, 0, 0, 0, 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if n++; !v.Served || n%4 != 0 && testing.Short() || n%2 != 0 && !*allPaths {
				continue
			}
			s := newExplainServer(t, d.CRD, v.Name)
			rng := rand.New(rand.NewPCG(uint64(n), 5))
			for i, fields := range explainPaths(rng, v) {
				r := kubectl.ExplainRequest{Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind, Fields: fields}
				if i == 1 || i == 0 && n%8 == 0 {
					r.Recursive, r.MaxDepth = true, n/8%4
					recursive++
				}
				text, diff := compareExplain(t, s, d.CRD, r)
				texts++
				lines += strings.Count(text, "\n")
				if strings.HasPrefix(text, "error: ") {
					missing++
				}
				if diff != "" {
					differences++
					t.Errorf("%s, version %s, %v (-upstream +ours):\n%s", d.Path, v.Name, fields, diff)
				}
			}
		}
	}
	if missing > texts/2 || recursive == 0 {
		t.Errorf("of %d texts %d are errors, %d are recursive: the paths show too little", texts, missing, recursive)
	}
	fmt.Fprintf(os.Stdout, "oracle: kubectl explain prints %d texts (%d recursive, %d errors), %d lines, %d differences\n", texts, recursive, missing, lines, differences)
}

// explainPaths returns the empty path of the kind and paths of fields. The field of the
// last path does not exist.
func explainPaths(rng *rand.Rand, v apiextensionsv1.CustomResourceDefinitionVersion) [][]string {
	out := [][]string{nil, {"metadata"}}
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return out
	}
	for range 3 {
		out = append(out, explainPath(rng, v.Schema.OpenAPIV3Schema))
	}
	return append(out, append(explainPath(rng, v.Schema.OpenAPIV3Schema), "nothing"))
}

// explainPath returns the path of a random field, through arrays and maps.
func explainPath(rng *rand.Rand, s *apiextensionsv1.JSONSchemaProps) []string {
	var path []string
	for rng.IntN(6) > 0 || len(path) == 0 {
		for s.Items != nil && s.Items.Schema != nil && len(s.Properties) == 0 {
			s = s.Items.Schema
		}
		if len(s.Properties) == 0 {
			break
		}
		names := slices.Sorted(maps.Keys(s.Properties))
		name := names[rng.IntN(len(names))]
		child := s.Properties[name]
		path, s = append(path, name), &child
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			s = s.AdditionalProperties.Schema
		}
	}
	return path
}
