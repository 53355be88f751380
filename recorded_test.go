package crdkit_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestRecorded compares results with those of kube-apiserver, which are
// recorded at the top of each object file in testdata. See testdata/README.md.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*/crd.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d definitions in testdata: %v", len(files), err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			d := compileFile(t, file)
			for _, object := range objects(t, dir) {
				t.Run(strings.TrimPrefix(filepath.ToSlash(object), filepath.ToSlash(dir)+"/"), func(t *testing.T) {
					testRecorded(t, d, object)
				})
			}
		})
	}
}

func compileFile(t *testing.T, file string) *crdkit.Definition {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd, err := definition.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// objects returns the files with the objects that requests send.
func objects(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"object*.yaml", "objects/*valid/*.yaml", "objects/*/*.new.yaml"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("found no objects in %s", dir)
	}
	return files
}

func testRecorded(t *testing.T, d *crdkit.Definition, file string) {
	obj, recorded := readRecorded(t, file)
	version, ok := d.Version(obj.GroupVersionKind().Version)
	if !ok {
		t.Fatalf("%s names a version that the definition does not have", file)
	}
	result := request(t, version, obj, file)
	if diff := cmp.Diff(recorded, answer(result)); diff != "" {
		t.Errorf("%s: answer mismatch (-recorded +got):\n%s", file, diff)
	}
}

// request makes the request that the name of the file says.
func request(t *testing.T, version *crdkit.Version, obj *unstructured.Unstructured, file string) *crdkit.Result {
	t.Helper()
	ctx := context.Background()
	var result *crdkit.Result
	var err error
	old, isUpdate := storedFor(file)
	switch {
	case !isUpdate:
		result, err = version.Create(ctx, obj)
	case filepath.Base(filepath.Dir(file)) == "status":
		result, err = version.UpdateStatus(ctx, obj, readStored(t, version, old))
	default:
		result, err = version.Update(ctx, obj, readStored(t, version, old))
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// storedFor returns the file with the object that an update replaces, and
// reports whether the request is an update.
func storedFor(file string) (string, bool) {
	if name, ok := strings.CutSuffix(file, ".new.yaml"); ok {
		return name + ".old.yaml", true
	}
	dir, name := filepath.Split(file)
	return dir + "object.yaml", strings.HasPrefix(name, "object-update")
}

func readStored(t *testing.T, version *crdkit.Version, file string) *unstructured.Unstructured {
	t.Helper()
	stored, _ := readRecorded(t, file)
	obj, _, err := version.Read(context.Background(), stored)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// readRecorded reads an object and the answer at the top of its file.
func readRecorded(t *testing.T, file string) (*unstructured.Unstructured, []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	object, err := testkit.Decode(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var recorded []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "# error: ") || strings.HasPrefix(line, "# unknown: ") {
			recorded = append(recorded, strings.TrimSuffix(line, "\n"))
		}
	}
	return &unstructured.Unstructured{Object: object}, recorded
}

// answer returns a result in the form of the files.
func answer(result *crdkit.Result) []string {
	var lines []string
	if result.Refusal != nil {
		lines = append(lines, "# error: "+result.Refusal.Message)
	}
	for _, err := range result.Errors {
		lines = append(lines, "# error: "+err.Error())
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for _, warning := range result.Warnings {
		if path, ok := strings.CutPrefix(warning, `unknown field "`); ok {
			lines = append(lines, "# unknown: "+strings.TrimSuffix(path, `"`))
		}
	}
	return lines
}

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
