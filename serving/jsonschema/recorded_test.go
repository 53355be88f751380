package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	crdefinition "github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/serving/jsonschema"
)

// TestRecordedSchemas compares the schemas of definitions in testdata with
// recorded ones; with -update it records them anew. internal/oracle tests that
// they accept what the server does.
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
