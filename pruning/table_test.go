package pruning

import (
	_ "embed"
	"encoding/json"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/schema"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The table feeds the tests and the fuzz test.
//
//go:embed testdata/cases.json
var casesJSON []byte

type tableCase struct {
	Name     string
	Schema   json.RawMessage
	Fragment bool
	Object   json.RawMessage
	Want     json.RawMessage
	Removed  []string
}

func table(tb testing.TB) []tableCase {
	tb.Helper()
	var cases []tableCase
	if err := json.Unmarshal(casesJSON, &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

func mustCompile(tb testing.TB, text []byte) *schema.Node {
	tb.Helper()
	n, err := compileText(text)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func compileText(text []byte) (*schema.Node, error) {
	var props *apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &props); err != nil {
		return nil, err
	}
	n, errs := schema.Compile(props)
	return n, errs.ToAggregate()
}

func mustDecode(tb testing.TB, text []byte) map[string]any {
	tb.Helper()
	obj, err := testkit.Decode(text)
	if err != nil {
		tb.Fatal(err)
	}
	return obj
}

func pathStrings(paths []schema.Path) []string {
	var out []string
	for _, p := range paths {
		out = append(out, p.String())
	}
	return out
}

// implementations are the options to run every test with.
var implementations = []struct {
	name string
	opts []Option
}{
	{"compiled", nil},
	{"plain", []Option{testopt.Reference{}}},
}
