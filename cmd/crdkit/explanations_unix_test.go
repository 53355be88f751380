//go:build unix

package main

import (
	"bytes"
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
		t.Fatal(err)
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
