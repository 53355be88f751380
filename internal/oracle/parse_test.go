package oracle

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestParse compares definition.Parse with sigs.k8s.io/yaml on each definition
// of the corpus.
func TestParse(t *testing.T) {
	corpus := testkit.FindCorpus(t)
	for _, d := range corpus.Definitions {
		data, err := os.ReadFile(filepath.Join(corpus.Dir, filepath.FromSlash(d.Path)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := definition.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", d.Path, err)
			continue
		}
		if !reflect.DeepEqual(got, d.CRD) {
			t.Errorf("%s (-want +got):\n%s", d.Path, cmp.Diff(d.CRD, got))
		}
	}
}
