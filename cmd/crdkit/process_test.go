package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// beCommand makes the test binary the command.
const beCommand = "CRDKIT_TEST_COMMAND"

// peakFile names a file into which the command writes its peak memory in KiB.
const peakFile = "CRDKIT_TEST_PEAK"

func TestMain(m *testing.M) {
	if name := os.Getenv(peakFile); name != "" {
		code := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		status, err := os.ReadFile("/proc/self/status")
		_, peak, ok := strings.Cut(string(status), "VmHWM:")
		peak, _, _ = strings.Cut(strings.TrimSpace(peak), " ")
		if err == nil {
			err = os.WriteFile(name, []byte(peak), 0o666)
		}
		if err != nil || !ok {
			panic(fmt.Sprint("no peak memory: ", err))
		}
		os.Exit(code)
	}
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

var equalRuns = flag.Int("equal-runs", 8, "how often TestEqualBytes runs each command")

// TestEqualBytes runs subcommands many times, each time in a new process, with one
// processor and with two. Maps have another order in each process.
func TestEqualBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes; skipped with -short")
	}
	for _, name := range []string{
		"admit", "refuse", "strict", "jsonl", "input_definitions", "check_text", "check_json", "check_sarif", "check_junit", "check_github",
		"apply", "compat", "complete_commands", "convert", "cost", "explain_recursive", "get_kinds", "jsonschema", "migrate_refused", "openapi_version", "owners", "rules", "test", "versions_json",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equalBytes(t, filepath.Join("testdata", name+".txtar"))
		})
	}
}

func equalBytes(t *testing.T, path string) {
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
	for i := range *equalRuns {
		cmd := command(t, dir, arguments(sections["args"])...)
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
