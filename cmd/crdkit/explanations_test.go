package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestMaxExplained checks that only the first errors of an object are explained, and that
// a note says so.
func TestMaxExplained(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	values := strings.Repeat("- Enum\n", maxExplained+20)
	writeFile(t, dir, "a.yaml", strings.ReplaceAll(widgets, "ENUM", "enum")+widget+"list:\n"+values)
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"admit", "--explain", "a.yaml"}, nil, &out, &errOut); code != exitRefused {
		t.Fatalf("exit code %d\n%s", code, errOut.String())
	}
	if n := strings.Count(out.String(), "    did you mean \"enum\"?\n"); n != maxExplained {
		t.Errorf("%d explanations, want %d", n, maxExplained)
	}
	if want := fmt.Sprintf("note: only the first %d errors are explained\n", maxExplained); !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
