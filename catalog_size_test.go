package crdkit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
)

// heapInUse returns the bytes of the heap that are in use.
func heapInUse() int {
	for range 3 { // the first collection empties pools, the next frees their contents
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// definitionFiles returns the files of a directory with a definition that can
// be served.
func definitionFiles(t testing.TB, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		if crd := readDefinition(t, path, ""); crd != nil && (crd.Spec.Conversion == nil || crd.Spec.Conversion.Webhook == nil) {
			if _, err := crdkit.Compile(crd); err == nil {
				files = append(files, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readDefinition reads a definition and appends suffix to its group. It returns
// nil for any other document.
func readDefinition(t testing.TB, path, suffix string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	crd, err := definition.Parse(text)
	if err != nil {
		return nil
	}
	crd.Spec.Group += suffix
	crd.Name = crd.Spec.Names.Plural + "." + crd.Spec.Group
	return crd
}

// fill adds the definitions of files to a catalog, once for each suffix of
// their groups. It returns the kinds that the catalog serves.
func fill(t testing.TB, c *crdkit.Catalog, files []string, suffixes ...string) (kinds []runtimeschema.GroupVersionKind) {
	t.Helper()
	for _, suffix := range suffixes {
		for _, path := range files {
			crd := readDefinition(t, path, suffix)
			if err := c.Add(crd); err != nil {
				continue // two files of testdata have the same kind
			}
			for _, v := range crd.Spec.Versions {
				if v.Served {
					kinds = append(kinds, runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind})
				}
			}
		}
	}
	return kinds
}

// sizeStages are operations on a catalog, each of which takes memory.
var sizeStages = []struct {
	name string
	use  func(t testing.TB, c *crdkit.Catalog, kind runtimeschema.GroupVersionKind)
}{
	{"added", func(testing.TB, *crdkit.Catalog, runtimeschema.GroupVersionKind) {}},
	{"compiled", func(t testing.TB, c *crdkit.Catalog, kind runtimeschema.GroupVersionKind) {
		if _, err := c.Version(kind); err != nil {
			t.Error(err)
		}
	}},
	{"requests on bytes", func(t testing.TB, c *crdkit.Catalog, kind runtimeschema.GroupVersionKind) {
		v, _ := c.Version(kind)
		if _, _, err := v.CreateJSON(t.Context(), []byte(fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "x"}, "spec": {}}`, kind.GroupVersion(), kind.Kind))); err != nil {
			t.Error(err)
		}
	}},
	{"requests on maps", func(t testing.TB, c *crdkit.Catalog, kind runtimeschema.GroupVersionKind) {
		v, _ := c.Version(kind)
		obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": map[string]any{"name": "x"}, "spec": map[string]any{}}}
		if _, err := v.Update(t.Context(), obj, obj.DeepCopy(), crdkit.ReportChanges()); err != nil {
			t.Error(err)
		}
	}},
}

// TestCatalogSize compares Size with the heap, over the definitions of testdata and
// of the corpus.
func TestCatalogSize(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage many times; skipped with -short")
	}
	var suffixes []string
	for i := range 40 {
		suffixes = append(suffixes, fmt.Sprintf(".x%d", i))
	}
	checkSize(t, "testdata", suffixes...)
	if dir, ok := testkit.CorpusDir(); ok {
		checkSize(t, filepath.Join(dir, "crds"), "")
	}
}

func checkSize(t *testing.T, dir string, suffixes ...string) {
	files := definitionFiles(t, dir)
	warm := crdkit.NewCatalog() // makes the values that a process has once, before the measurement
	kinds := fill(t, warm, files, suffixes...)
	for _, kind := range kinds {
		for _, stage := range sizeStages {
			stage.use(t, warm, kind)
		}
	}
	warm = nil
	before := heapInUse()
	c := crdkit.NewCatalog()
	fill(t, c, files, suffixes...)
	for _, stage := range sizeStages {
		for _, kind := range kinds {
			stage.use(t, c, kind)
		}
		heap := heapInUse() - before
		got := c.Size()
		t.Logf("%s, %s: Size() = %d, heap %d, ratio %.3f", dir, stage.name, got, heap, float64(got)/float64(heap))
		if got < heap*95/100 || got > heap*105/100 {
			t.Errorf("%s, %s: Size() = %d, want %d within 5 %%", dir, stage.name, got, heap)
		}
	}
	runtime.KeepAlive(kinds)
	runtime.KeepAlive(c)
}
