//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// A specialFile is a file that no command may read as a whole.
type specialFile struct {
	name, want string // the error
	make       func(name string) error
}

const irregular, large = "not a regular file\n", "larger than 268435456 bytes\n"

var specialFiles = []specialFile{
	{"device", irregular, func(name string) error { return os.Symlink("/dev/zero", name) }},
	{"FIFO", irregular, func(name string) error { return syscall.Mkfifo(name, 0o600) }},
	{"link to a FIFO", irregular, func(name string) error {
		return errors.Join(syscall.Mkfifo(name+".fifo", 0o600), os.Symlink(name+".fifo", name))
	}},
	{"link to a directory", irregular, func(name string) error { return os.Symlink(".", name) }},
	{"large file", large, func(name string) error {
		return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 300<<20))
	}},
}

// TestSpecialConfiguration checks that each command refuses a configuration file that is
// special, with its name and at once. Commands that read none do their work.
func TestSpecialConfiguration(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes; skipped with -short")
	}
	args := map[string]string{
		"admit":      "a.yaml",
		"apply":      "--manager m --live a.yaml a.yaml",
		"check":      "crd.yaml",
		"compat":     "--old crd.yaml --new crd.yaml",
		"completion": "bash",
		"convert":    "--to v1 a.yaml",
		"cost":       "",
		"explain":    "",
		"get":        "a.yaml",
		"jsonschema": "",
		"migrate":    "-c crd.yaml --old crd.yaml",
		"openapi":    "",
		"owners":     "a.yaml",
		"rules":      "",
		"test":       "valid.yaml crd.yaml",
		"versions":   "",
	}
	reads := func(name string) bool {
		return !slices.Contains([]string{"completion", "migrate", "owners", "test"}, name)
	}
	root := newRoot()
	addShells(root)
	for _, kind := range specialFiles {
		dir := t.TempDir()
		writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
		writeFile(t, dir, "a.yaml", widget)
		writeFile(t, dir, "valid.yaml", widget)
		if err := kind.make(filepath.Join(dir, configName)); err != nil {
			t.Fatal(err)
		}
		for _, cmd := range root.Commands() {
			name := cmd.Name()
			line, ok := args[name]
			if !ok {
				t.Fatalf("no arguments for crdkit %s", name)
			}
			t.Run(kind.name+"/"+name, func(t *testing.T) {
				process := command(t, dir, append([]string{name}, strings.Fields(line)...)...)
				out, err := process.CombinedOutput()
				if !reads(name) {
					if err != nil {
						t.Errorf("%v\n%s", err, out)
					}
					return
				}
				if want := "error: " + configName + ": " + kind.want; string(out) != want || process.ProcessState.ExitCode() != exitUndecided {
					t.Errorf("%v: got %swant %s", err, out, want)
				}
			})
		}
	}
}

// TestSpecialFilesOfCommands checks that no command waits for a FIFO that it finds, or reads
// a device, a directory or a file that is too large as a whole.
func TestSpecialFilesOfCommands(t *testing.T) {
	for _, kind := range specialFiles {
		for _, at := range []struct {
			name, file, want string
			args             []string
		}{
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
