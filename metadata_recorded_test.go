package crdkit_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestRecordedMetadata creates objects with the metadata of
// testdata/metadata/cases.txt, one case on each line, and updates objects with
// valid metadata to them. It compares the results of both forms with
// recorded ones; with -update it records them again. internal/oracle compares
// metadata with the server.
func TestRecordedMetadata(t *testing.T) {
	text, err := os.ReadFile("testdata/metadata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	d := compileFile(t, "testdata/bounds/crd.yaml")
	v, _ := d.Version("v1")
	old := metadataObject(`"name":"a","namespace":"default","uid":"u","resourceVersion":"5","generation":2,"creationTimestamp":"2024-01-02T03:04:05Z"`)
	var b strings.Builder
	for metadata := range strings.Lines(string(text)) {
		metadata = strings.TrimSuffix(metadata, "\n")
		object := metadataObject(metadata)
		fmt.Fprintf(&b, "%.200s\n", metadata)
		fmt.Fprintf(&b, "  create: %s\n", metadataAnswer(v.CreateJSON(context.Background(), object)))
		fmt.Fprintf(&b, "  update: %s\n", metadataAnswer(v.UpdateJSON(context.Background(), object, old)))
		obj, err := testkit.Decode(object)
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{Object: obj}
		result, err := v.Create(context.Background(), u)
		fmt.Fprintf(&b, "  map: %s\n", metadataAnswer(testkit.Encode(obj), result, err))
	}
	testkit.Recorded(t, "testdata/metadata/recorded.txt", b.String())
}

func metadataObject(metadata string) []byte {
	return []byte(`{"apiVersion":"words.example.org/v1","kind":"Bound","metadata":{` + metadata + `},"spec":{"replicas":1,"numbers":{}}}`)
}

// metadataAnswer returns the metadata of an admitted object, or the errors of a
// refused one.
func metadataAnswer(object []byte, result *crdkit.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if result.Admitted() {
		_, metadata, _ := bytes.Cut(object, []byte(`"metadata":`))
		metadata, _, _ = bytes.Cut(metadata, []byte(`,"spec":`))
		fmt.Fprintf(&b, "%.300s", metadata)
	}
	if result.Refusal != nil {
		fmt.Fprintf(&b, "; %.200s", result.Refusal.Message)
	}
	for _, err := range result.Errors {
		fmt.Fprintf(&b, "; %.200s at %.100s", err.Error(), err.Pointer)
	}
	for _, warning := range result.Warnings {
		fmt.Fprintf(&b, "; warning: %.200s", warning)
	}
	return strings.ReplaceAll(b.String(), "\n", `\n`)
}
