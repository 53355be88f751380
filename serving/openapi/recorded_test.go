package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	crdefinition "github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/serving/openapi"
)

// TestRecordedDocuments compares the documents for definitions in testdata with
// recorded ones. internal/oracle compares those of the corpus with the server's.
// With -update it records them anew.
func TestRecordedDocuments(t *testing.T) {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, name := range []string{"crontab", "keywords"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name, "crd.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		crd, err := crdefinition.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, crd)
	}
	v3, err := openapi.V3(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(v3)) {
		t.Run(path, func(t *testing.T) {
			testkit.Recorded(t, filepath.Join("testdata", strings.ReplaceAll(path, "/", "_")+".txt"), members(t, v3[path]))
		})
	}
	v2, err := openapi.V2(all)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Recorded(t, "testdata/v2.txt", members(t, v2))
}

// members has a line for each path and each schema of a document; those that
// come with every definition are named only.
func members(t *testing.T, d *openapi.Document) string {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var write func(pointer string, data json.RawMessage, levels int)
	write = func(pointer string, data json.RawMessage, levels int) {
		var object map[string]json.RawMessage
		if levels == 0 || json.Unmarshal(data, &object) != nil {
			fmt.Fprintf(&b, "%s %s\n", pointer, data)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if strings.HasPrefix(name, "io.k8s.") {
				fmt.Fprintf(&b, "%s/%s\n", pointer, name)
				continue
			}
			write(pointer+"/"+name, object[name], levels-1)
		}
	}
	write("", data, 4)
	return b.String()
}
