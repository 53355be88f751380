package crdtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestCorpusGateway creates the samples of Gateway API and the objects of its suite of invalid
// objects. The samples are admitted, except one that is a template, and the invalid objects are
// refused. With -crdtest.cover it makes the page of its definitions.
func TestCorpusGateway(t *testing.T) {
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skip("there is no corpus")
	}
	s := crdtest.Load(t, filepath.Join(dir, "crds", "gateway-api"))
	admitted, refused := 0, 0
	for _, text := range texts(t, filepath.Join(dir, "samples", "gateway-api")) {
		if strings.Contains(text, "{GATEWAY_CONTROLLER_NAME}") {
			s.Create(t, text, crdtest.Refused("spec.controllerName", "should match"))
			continue
		}
		s.Create(t, text)
		admitted++
	}
	for name, text := range texts(t, filepath.Join(dir, "suites", "gateway-api-invalid", "standard")) {
		for _, doc := range strings.Split(text, "\n---") {
			if strings.TrimSpace(doc) != "" && !s.Create(t, doc, crdtest.Refused("", "")).Admitted() {
				refused++
				continue
			}
			t.Errorf("%s is admitted", name)
		}
	}
	t.Logf("%d admitted, %d refused", admitted, refused)
}

// texts returns the texts of the YAML files below a directory.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
