//go:build unix

package main

import (
	"bytes"
	"errors"
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

// TestSpecialFilesOfCommands checks that no command waits for a FIFO that it finds, or reads
// a device, a directory or a file that is too large as a whole.
func TestSpecialFilesOfCommands(t *testing.T) {
	const irregular, large = "not a regular file\n", "larger than 268435456 bytes\n"
	for _, kind := range []struct {
		name, want string
		make       func(name string) error
	}{
		{"device", irregular, func(name string) error { return os.Symlink("/dev/zero", name) }},
		{"FIFO", irregular, func(name string) error { return syscall.Mkfifo(name, 0o600) }},
		{"link to a FIFO", irregular, func(name string) error {
			return errors.Join(syscall.Mkfifo(name+".fifo", 0o600), os.Symlink(name+".fifo", name))
		}},
		{"link to a directory", irregular, func(name string) error { return os.Symlink(".", name) }},
		{"large file", large, func(name string) error {
			return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 256<<20+1))
		}},
	} {
		for _, at := range []struct {
			name, file, want string
			args             []string
		}{
			{"configuration", configName, "error: .crdkit.yaml: ", []string{"check", "crd.yaml"}},
			{"case", "valid.yaml", "error: valid.yaml: ", []string{"test", "."}},
			{"first object of an update", "a.pre.yaml", "error: a.post.yaml: a.pre.yaml: ", []string{"test", "."}},
			{"text of a refusal", "a.post.yaml.tx_err", "error: a.post.yaml: a.post.yaml.tx_err: ", []string{"test", "a.post.yaml", "a.post.yaml.tx_err"}},
		} {
			paired := at.want != "error: "+at.file+": "
			if paired && kind.name == "link to a directory" {
				continue // the objects in it count
			}
			t.Run(kind.name+" as "+at.name, func(t *testing.T) {
				dir := t.TempDir()
				writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
				if paired {
					writeFile(t, dir, "a.post.yaml", widget)
				}
				if err := kind.make(filepath.Join(dir, at.file)); err != nil {
					t.Fatal(err)
				}
				out, _ := command(t, dir, at.args...).CombinedOutput() // the output has the error
				if want := at.want + kind.want; string(out) != want {
					t.Errorf("got  %swant %s", out, want)
				}
			})
		}
	}
	dir := t.TempDir()
	writeFile(t, dir, "a.yaml", strings.ReplaceAll(widgets, "ENUM", "a")+widget)
	out, _ := command(t, dir, "convert", "--to", "v1", "--webhook", "https://localhost/", "--ca", "/dev/zero", "a.yaml").CombinedOutput()
	if want := "--ca /dev/zero: " + large; !strings.Contains(string(out), want) {
		t.Errorf("got %swant %s", out, want)
	}
}
