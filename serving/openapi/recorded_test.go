package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	crdefinition "github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/openapi"
)

// TestRecordedDocuments compares the documents for definitions in testdata with
// recorded ones; with -update it records them again. internal/oracle compares
// those of the corpus with the server.
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

// members returns a line for each path and each schema of a document. It omits
// the content of schemas that are the same for every definition.
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

// TestRecordedNodes publishes a field with each schema of
// ../testdata/nodes.txt, first in version 3, and compares the results with
// recorded ones; with -update it records them again.
func TestRecordedNodes(t *testing.T) {
	text, err := os.ReadFile("../testdata/nodes.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, crd := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n"), definition(cronTabs)
	fields := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
	for i, row := range rows {
		var p apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(row), &p); err != nil {
			t.Fatalf("%s%v", row, err)
		}
		fields[strconv.Itoa(i)] = p
	}
	three, err := openapi.VersionV3(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	two, err := openapi.VersionV2(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	var published [2]map[string]json.RawMessage
	for i, properties := range []json.RawMessage{member(t, three, "components", "schemas", cronTab, "properties"), member(t, two, "definitions", cronTab, "properties")} {
		if err := json.Unmarshal(properties, &published[i]); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "%s\n  %s\n  %s\n", strings.TrimSuffix(row, "\n"), published[0][strconv.Itoa(i)], published[1][strconv.Itoa(i)])
	}
	testkit.Recorded(t, "testdata/nodes.txt", b.String())
}

const cronTab = "com.example.stable.v1.CronTab"

// member returns the value at a path of a document, nil if there is no such
// value.
func member(t *testing.T, d *openapi.Document, path ...string) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	at := json.RawMessage(data)
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(at, &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at = object[name]
	}
	return at
}
