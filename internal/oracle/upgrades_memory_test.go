package oracle

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// peakOfCompat runs the command compat on two definitions, and returns the peak of its
// memory in bytes.
func peakOfCompat(t *testing.T, command string, old, crd *apiextensionsv1.CustomResourceDefinition) int64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command, "compat", "--old", written(t, old), "--new", written(t, crd))
	peak, err := testkit.RunPeak(cmd)
	if exit, exited := errors.AsType[*exec.ExitError](err); err != nil && (!exited || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	return peak
}

// written writes a definition into a file, which it returns.
func written(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) string {
	t.Helper()
	text, err := yaml.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
