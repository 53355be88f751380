package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// beCommand makes the test binary the command.
const beCommand = "CRDKIT_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns the command in a process of its own, in the directory dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), beCommand+"=1")
	return cmd
}

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Cluster
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {list: {type: array, items: {type: string, enum: [ENUM]}}}}}}]
`

const widget = "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestEqualBytes runs subcommands many times, each time in a new process, with one
// processor and with two. Maps have another order in each process.
func TestEqualBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes; skipped with -short")
	}
	for _, name := range []string{
		"admit", "refuse", "strict", "jsonl", "input_definitions", "check_text", "check_json", "check_sarif", "check_junit", "check_github",
		"convert", "cost", "explain_recursive", "get_kinds", "jsonschema", "migrate_refused", "openapi_version", "rules", "versions_json",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equalBytes(t, filepath.Join("testdata", name+".txtar"))
		})
	}
}

func equalBytes(t *testing.T, path string) {
	const runs = 10
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, dir, f.Name, string(f.Data))
	}
	var first string
	for i := range runs {
		cmd := command(t, dir, strings.Fields(sections["args"])...)
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", 1+i%2))
		cmd.Stdin = strings.NewReader(sections["stdin"])
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		err := cmd.Run()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		all := fmt.Sprintf("exit %d\n%s\n%s", cmd.ProcessState.ExitCode(), out.String(), errOut.String())
		if i == 0 {
			first = all
		}
		if diff := cmp.Diff(first, all); diff != "" {
			t.Fatalf("run %d differs (-first +this):\n%s", i, diff)
		}
	}
}

// TestFullDevice checks that output that cannot be written is no success.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
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

// TestInterrupt interrupts the command while it waits for a FIFO and while it judges
// many objects. It ends within a second, and says what it did not judge.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted")
	}
	dir := t.TempDir()
	writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
	writeFile(t, dir, "many.yaml", strings.Repeat(widget+"list: [a, a]\n", 100_000))
	for _, tt := range []struct{ name, args, want string }{
		{"many objects", "admit -c crd.yaml -o jsonl many.yaml", "were judged, many.yaml, document "},
		{"standard input", "admit -c crd.yaml crd.yaml -", "error: interrupted: 0 objects were judged, the rest was not\n"},
		{"many objects to convert", "convert -c crd.yaml --to v1 many.yaml", "error: interrupted: "},
		{"many objects to get", "get -c crd.yaml many.yaml", "error: interrupted: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := command(t, dir, strings.Fields(tt.args)...)
			if _, err := cmd.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond)
			start := time.Now()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code is checked
			took := time.Since(start)
			t.Logf("ended after %v", took)
			if took > time.Second {
				t.Errorf("ended %v after the interrupt", took)
			}
			if code := cmd.ProcessState.ExitCode(); code != exitUndecided || !strings.Contains(errOut.String(), tt.want) || strings.Contains(errOut.String(), "context canceled") {
				t.Errorf("exit code %d, standard error %q, want code %d and %q", code, errOut.String(), exitUndecided, tt.want)
			}
		})
	}
}
