package crdtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

const withoutM = "CRDTEST_MAIN_WITHOUT_M"

func TestMain(m *testing.M) {
	if os.Getenv(withoutM) != "" {
		m = nil
	}
	crdtest.Main(m)
}

// TestMainOfNil runs this program with a Main that gets nil.
func TestMainOfNil(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), withoutM+"=1")
	text, err := cmd.CombinedOutput()
	if err == nil || strings.TrimSpace(string(text)) != "crdtest: Main got no testing.M" {
		t.Errorf("got %q and %v", text, err)
	}
}
