//go:build bash

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGo stands for the go command: it checks its arguments, and "builds" the test binary,
// which is the command.
const fakeGo = `#!/bin/sh
if [ "$1 $2 $4 $5 $7" != "build -C -trimpath -o ./cmd/crdkit" ] || [ ! -f "$3/go.mod" ]; then
  echo "unexpected: go $*" >&2
  exit 9
fi
ln -s "$CRDKIT_TEST_BINARY" "$6"
`

// withFakeGo returns environment variables that put fakeGo first in the PATH.
func withFakeGo(t *testing.T) []string {
	t.Helper()
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(fakeGo), 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH"), "CRDKIT_TEST_BINARY=" + self, beCommand + "=1"}
}

// runAction runs the scripts of the action as a runner does, in the directory dir. source
// has the files of the action.
func runAction(t *testing.T, source, dir string, inputs map[string]string, env ...string) (code int, out string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	a := readAction(t)
	values := map[string]string{"github.action_path": source}
	for name, input := range a.Inputs {
		values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		values["inputs."+name] = value
	}
	expand := func(text string) string {
		return actionExpression.ReplaceAllStringFunc(text, func(text string) string {
			return values[actionExpression.FindStringSubmatch(text)[1]]
		})
	}
	for _, step := range a.Runs.Steps {
		if step.Run == "" {
			continue // setup-go
		}
		scratch := t.TempDir()
		writeFile(t, scratch, "script.sh", step.Run)
		outputs := filepath.Join(scratch, "outputs")
		// See https://docs.github.com/en/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell.
		cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-e", "-o", "pipefail", filepath.Join(scratch, "script.sh"))
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), env...), "GITHUB_OUTPUT="+outputs)
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expand(value))
		}
		text, err := cmd.CombinedOutput()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		out += string(text)
		if code = cmd.ProcessState.ExitCode(); code != 0 {
			break
		}
		lines, err := os.ReadFile(outputs)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(lines)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			values["steps."+step.ID+".outputs."+name] = value
		}
	}
	return code, out
}

// repositoryRoot is the directory of the sources, which are the files of the action.
func repositoryRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestActionScript runs the script of the action over sample repositories.
func TestActionScript(t *testing.T) {
	// The sources of a revision between releases are compiled.
	source, env := sourcesOf(t, "Unreleased"), withFakeGo(t)
	good, bad := t.TempDir(), t.TempDir()
	for dir, list := range map[string]string{good: "a", bad: "b"} {
		writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
		writeFile(t, dir, "object.yaml", widget+"list: ["+list+"]\n")
		writeFile(t, dir, "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n")
	}
	for _, tt := range []struct {
		name, dir string
		inputs    map[string]string
		code      int
		want      string // a part of the output
	}{
		{"annotations", bad, map[string]string{"args": "-R --unknown-kinds=skip ."}, exitRefused, "::error file=object.yaml,line=5,col=8,"},
		{"undecided", good, nil, exitUndecided, `title=Undecided::no matches for kind "Deployment"`},
		{"lines and text", good, map[string]string{"args": "-R\n--unknown-kinds=skip\n  *.nothing  .\n", "output": "text"}, exitUndecided, "undecided: *.nothing\n"},
		{"nothing is expanded", good, map[string]string{"args": "$(touch expanded) `touch expanded`"}, exitUndecided, "$(touch"},
		{"check", bad, map[string]string{"command": "check", "output": "text", "args": "crd.yaml"}, exitOK, "1 accepted, 0 refused, 0 undecided"},
		{"file", bad, map[string]string{"args": "--unknown-kinds=skip .", "output": "sarif", "output-file": "out.sarif"}, exitRefused, "passed over: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out := runAction(t, source, tt.dir, tt.inputs, env...)
			if code != tt.code || !strings.Contains(out, tt.want) {
				t.Errorf("exit code %d, want %d; want %q in\n%s", code, tt.code, tt.want, out)
			}
		})
	}
	text, err := os.ReadFile(filepath.Join(bad, "out.sarif"))
	if err != nil || !strings.Contains(string(text), `"version": "2.1.0"`) {
		t.Errorf("the output file has %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(good, "expanded")); err == nil {
		t.Error("the script ran an input as code")
	}
}
