package controllertest_test

import (
	"path/filepath"
	"testing"

	"github.com/crdkit/crdkit/internal/test/pages"
)

// TestPages compiles and runs the code on pages of crdkit that needs this module.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the code of the pages; skipped with -short")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	pages.Check(t, root, "controllertest", "controllertest")
}
