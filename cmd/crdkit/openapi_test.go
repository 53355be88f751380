package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/serving/openapi"
)

// openapiDefinition is the format of a definition with a group and a version.
const openapiDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.GROUP}
spec:
  group: GROUP
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  scope: Cluster
  versions:
  - name: VERSION
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A table of <jobs>.
        properties:
          spec: {type: object, properties: {replicas: {type: integer, default: 1}}}
`

// TestOpenAPI compares the output of the command with the documents of package
// openapi. They are too long for testdata, because they have Kubernetes' own
// types.
func TestOpenAPI(t *testing.T) {
	dir := t.TempDir()
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, name := range [][2]string{{"a.example.com", "v1"}, {"b.example.com", "v2"}} {
		text := strings.NewReplacer("GROUP", name[0], "VERSION", name[1]).Replace(openapiDefinition)
		if err := os.WriteFile(filepath.Join(dir, name[0]+".yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		crd, err := definition.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		crds = append(crds, crd)
	}
	two, err := openapi.V2(crds)
	if err != nil {
		t.Fatal(err)
	}
	three, err := openapi.V3(crds)
	if err != nil {
		t.Fatal(err)
	}
	both, err := openapi.Merge(three["apis/a.example.com/v1"], three["apis/b.example.com/v2"])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want *openapi.Document
	}{
		{args: []string{"--v2"}, want: two},
		{args: nil, want: both},
		{args: []string{"--group-version", "b.example.com/v2"}, want: three["apis/b.example.com/v2"]},
	} {
		var out, errOut bytes.Buffer
		code := run(context.Background(), append([]string{"openapi", "-c", dir}, tt.args...), strings.NewReader(""), &out, &errOut)
		if code != exitOK || errOut.Len() > 0 {
			t.Errorf("openapi %v: exit code %d, %s", tt.args, code, errOut.String())
		}
		if diff := cmp.Diff(indented(t, tt.want), out.String()); diff != "" {
			t.Errorf("openapi %v (-want +got):\n%s", tt.args, diff)
		}
		if !strings.Contains(out.String(), `"description": "A table of <jobs>."`) {
			t.Errorf("openapi %v lacks the description of the schema", tt.args)
		}
	}
}

func indented(t *testing.T, d *openapi.Document) string {
	t.Helper()
	data, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}
