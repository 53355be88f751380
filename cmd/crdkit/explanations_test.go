package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestExplainFlag checks that errors are explained on a terminal, unless the flag says
// otherwise. /dev/zero stands for a terminal: it is a character device.
func TestExplainFlag(t *testing.T) {
	device, err := os.OpenFile("/dev/zero", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no character device: %v", err)
	}
	defer device.Close()
	for _, tt := range []struct {
		args           string
		terminal, want bool
	}{
		{"", false, false}, {"", true, true},
		{"--explain", false, true}, {"--explain", true, true},
		{"--explain=false", false, false}, {"--explain=false", true, false},
	} {
		var e explainFlag
		cmd := &cobra.Command{}
		e.addTo(cmd)
		if err := cmd.ParseFlags(strings.Fields(tt.args)); err != nil {
			t.Fatal(err)
		}
		if tt.terminal {
			e.settle(cmd, textWriter{&outputWriter{out: device}})
		} else {
			e.settle(cmd, &bytes.Buffer{})
		}
		if bool(e) != tt.want {
			t.Errorf("flags %q, terminal %t: explain is %t, want %t", tt.args, tt.terminal, e, tt.want)
		}
	}
}

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
