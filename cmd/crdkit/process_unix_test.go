//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFIFO checks that a FIFO in a directory is passed over, that one that is named is
// read, and that an interrupt ends the wait for its writer.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "x.yaml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("no FIFO: %v", err)
	}
	writeFile(t, dir, "a.yaml", strings.ReplaceAll(widgets, "ENUM", "a")+widget)
	cmd := command(t, dir, "admit", ".")
	out, err := cmd.CombinedOutput()
	if want := "passed over: 1 CustomResourceDefinition.apiextensions.k8s.io, 1 FIFO, socket or device\n"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("admit of a directory with a FIFO: %v\n%s\nwant %s", err, out, want)
	}

	go func() {
		if err := os.WriteFile(fifo, []byte(strings.ReplaceAll(widgets, "ENUM", "a")+widget), 0); err != nil {
			t.Error(err)
		}
	}()
	out, err = command(t, dir, "admit", "-o", "name", fifo).CombinedOutput()
	if want := "widget.example.com/w\n"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("admit of a FIFO: %v\n%s\nwant %s", err, out, want)
	}

	cmd = command(t, dir, "admit", "-c", "a.yaml", "--no-input-definitions", "-o", "name", "a.yaml", fifo)
	var errOut bytes.Buffer
	printed := make(chan struct{}, 1)
	cmd.Stdout, cmd.Stderr = signalWriter{printed}, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-printed // the answer about a.yaml
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked
	if code := cmd.ProcessState.ExitCode(); code != exitUndecided || !strings.Contains(errOut.String(), "interrupted") {
		t.Errorf("interrupted while it waits for a FIFO: exit code %d, standard error %q", code, errOut.String())
	}
}
