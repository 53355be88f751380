package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestFullDevice checks that output that cannot be written is no success.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	dir := t.TempDir()
	writeFile(t, dir, "a.yaml", strings.ReplaceAll(widgets, "ENUM", "a")+widget)
	for _, args := range []string{
		"admit a.yaml", "admit -o yaml a.yaml", "admit -o jsonl a.yaml", "admit -o sarif a.yaml", "check a.yaml", "check -o json a.yaml",
		"convert -c a.yaml --to v1 a.yaml", "get a.yaml", "cost -c a.yaml", "rules -c a.yaml", "versions -c a.yaml", "explain -c a.yaml widgets",
		"openapi -c a.yaml", "jsonschema -c a.yaml", "migrate -c a.yaml --old a.yaml a.yaml", "--help",
	} {
		cmd := command(t, dir, strings.Fields(args)...)
		var errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errOut
		_ = cmd.Run() // the exit code is checked
		if code := cmd.ProcessState.ExitCode(); code != exitUndecided || !strings.Contains(errOut.String(), "no space left on device") {
			t.Errorf("crdkit %s to a full device: exit code %d, want %d, standard error:\n%s", args, code, exitUndecided, errOut.String())
		}
	}
}
