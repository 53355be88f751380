package coverage_test

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// BenchmarkShortRun does what a package of tests does that creates an object of each of four
// definitions: it reads, checks and compiles the definitions, creates the objects, and writes the
// record. The goal is at most three times the time without coverage.
func BenchmarkShortRun(b *testing.B) {
	var objects []string
	for _, name := range []string{"certificate", "crontab", "route", "workload"} {
		files, err := filepath.Glob("../../testdata/" + name + "/objects/*/*.yaml")
		if err != nil || len(files) == 0 {
			b.Fatalf("no objects of %s: %v", name, err)
		}
		objects = append(objects, files[0])
	}
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			for _, object := range objects {
				create(b, object, nil)
			}
		}
	})
	b.Run("with", func(b *testing.B) {
		file := filepath.Join(b.TempDir(), "cover")
		for b.Loop() {
			recorder := coverage.NewRecorder()
			for _, object := range objects {
				create(b, object, recorder)
			}
			if err := recorder.Save(file); err != nil {
				b.Fatal(err)
			}
			if err := os.Remove(file + ".json"); err != nil { // each run begins anew
				b.Fatal(err)
			}
		}
	})
}

// create creates an object of the definition in its directory of testdata.
func create(b *testing.B, object string, recorder *coverage.Recorder) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(object), "..", "..", "crd.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	crd, err := definition.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	if report := definition.Check(crd); len(report.Errors) > 0 {
		b.Fatal(report.Errors)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		b.Fatal(err)
	}
	content, err := os.ReadFile(object)
	if err != nil {
		b.Fatal(err)
	}
	obj, err := testkit.Decode(content)
	if err != nil {
		b.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: obj}
	v, err := d.VersionFor(u)
	if err != nil {
		b.Fatal(err)
	}
	result, err := v.Create(b.Context(), u)
	if err != nil {
		b.Fatal(err)
	}
	if recorder == nil {
		return
	}
	request := coverage.Request{Object: obj, Rules: !result.Errors.BlocksRules()}
	if err := recorder.Observe(b.Context(), coverage.Source{CRD: crd, Text: text}, v.Name(), request); err != nil {
		b.Fatal(err)
	}
}
