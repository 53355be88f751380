package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	crdefinition "github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/jsonschema"
)

// TestRecordedSchemas compares the schemas of definitions in testdata with
// recorded ones; with -update it records them again. internal/oracle tests that
// they accept every object that the server accepts.
func TestRecordedSchemas(t *testing.T) {
	for _, name := range []string{"bounds", "crontab", "keywords", "workload"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name, "crd.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		crd, err := crdefinition.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for kind, opts := range map[string][]jsonschema.Option{"": nil, "_draft07": {jsonschema.Draft07()}, "_strict": {jsonschema.Strict()}} {
			t.Run(name+kind, func(t *testing.T) {
				exported, err := jsonschema.Export(crd, crd.Spec.Versions[0].Name, opts...)
				if err != nil {
					t.Fatal(err)
				}
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, exported, "", " "); err != nil {
					t.Fatal(err)
				}
				testkit.Recorded(t, filepath.Join("testdata", name+kind+".json"), pretty.String())
			})
		}
	}
}

// TestRecordedNodes exports a field with each schema of ../testdata/nodes.txt
// and compares the results with recorded ones; with -update it records them
// again.
func TestRecordedNodes(t *testing.T) {
	text, err := os.ReadFile("../testdata/nodes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for row := range strings.Lines(string(text)) {
		var spec apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(row), &spec); err != nil {
			t.Fatalf("%s%v", row, err)
		}
		b.WriteString(row)
		for _, opts := range [][]jsonschema.Option{nil, {jsonschema.Strict()}} {
			data, err := jsonschema.Export(definition(spec), "v1", opts...)
			if err != nil {
				t.Fatalf("%s%v", row, err)
			}
			line, err := json.Marshal(decode(t, string(data))["properties"].(map[string]any)["spec"])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	testkit.Recorded(t, "testdata/nodes.txt", b.String())
}
