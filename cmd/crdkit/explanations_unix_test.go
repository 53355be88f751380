//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
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
		s := &session{}
		s.command("x", nil, nil)
		s.addJudging()
		if err := s.cmd.ParseFlags(strings.Fields(tt.args)); err != nil {
			t.Fatal(err)
		}
		var out io.Writer = &bytes.Buffer{}
		if tt.terminal {
			out = textWriter{&outputWriter{out: device}}
		}
		if err := s.startJudging(out); err != nil {
			t.Fatal(err)
		}
		if s.explains != tt.want {
			t.Errorf("flags %q, terminal %t: explain is %t, want %t", tt.args, tt.terminal, s.explains, tt.want)
		}
	}
}
