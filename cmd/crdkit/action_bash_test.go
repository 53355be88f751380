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

// runAction runs the script of the action as a runner does, in the directory dir.
func runAction(t *testing.T, dir string, inputs map[string]string, env ...string) (code int, out string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	a := readAction(t)
	source, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	step := a.Runs.Steps[len(a.Runs.Steps)-1]
	script := filepath.Join(t.TempDir(), "script.sh")
	writeFile(t, filepath.Dir(script), "script.sh", step.Run)
	// See https://docs.github.com/en/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell.
	cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-e", "-o", "pipefail", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	for name, value := range step.Env {
		cmd.Env = append(cmd.Env, name+"="+actionExpression.ReplaceAllStringFunc(value, func(text string) string {
			expression := actionExpression.FindStringSubmatch(text)[1]
			if expression == "github.action_path" {
				return source
			}
			input := strings.TrimPrefix(expression, "inputs.")
			if value, ok := inputs[input]; ok {
				return value
			}
			return a.Inputs[input].Default
		}))
	}
	text, err := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestActionScript runs the script of the action over sample repositories.
func TestActionScript(t *testing.T) {
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(fakeGo), 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH"), "CRDKIT_TEST_BINARY=" + self, beCommand + "=1"}
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
			code, out := runAction(t, tt.dir, tt.inputs, env...)
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
